# SPDX-License-Identifier: Apache-2.0
# The simulated device, the makers of stand-ins, and (tests/torch) real PyTorch on them.
SIM_TEST := $(BUILD)/tests/sim
TEST_NEEDS += $(SIM_TEST)/simulated sim

$(SIM_TEST)/simulated: tests/sim/simulated.c $(BUILD)/record/simulate.o $(BUILD)/record/library.o $(BUILD)/record/fail.o $(SIM_STANDIN_OBJ)
	@mkdir -p $(@D)
	$(CC) $(TOOL_CFLAGS) -o $@ $^
