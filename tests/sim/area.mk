# SPDX-License-Identifier: Apache-2.0
# The simulated device and the makers of stand-ins; tests/torch has real PyTorch on them.
SIM_TEST := $(BUILD)/tests/sim
SIM_TEST_BIN := $(foreach v,12 13,$(SIM_TEST)/device$(v) $(SIM_TEST)/blas$(v)) $(SIM_TEST)/standins
TESTS += $(SIM_TEST_BIN) tests/sim/test_simulation.py tests/sim/test_costs.py
TEST_NEEDS += $(SIM_TEST)/simulated sim

$(SIM_TEST)/simulated: tests/sim/simulated.c $(BUILD)/record/simulate.o $(BUILD)/record/library.o $(BUILD)/record/fail.o $(SIM_STANDIN_OBJ)
	@mkdir -p $(@D)
	$(CC) $(TOOL_CFLAGS) -o $@ $^
$(SIM_TEST)/standins: tests/sim/standins.c $(SIM_STANDIN_OBJ)
	@mkdir -p $(@D)
	$(CC) $(TOOL_CFLAGS) -o $@ $^ -ldl -Wl,--build-id

# $(1): CUDA version
define SIM_VERSION_TESTS
$(SIM_TEST)/%$(1): tests/sim/%.c $(SIM_INSTALL)
	@mkdir -p $$(@D)
	$$(CC) $$(BASE) $$(CFLAGS) -D_GNU_SOURCE -DSIM_CUDA=$(1) -Wno-enum-conversion -o $$@ $$< -Wl,--no-as-needed $(addprefix $(SIM_DIR)/,libovhsim.so.1 libcuda.so.1 \
		libcudart.so.$(1) libcublas.so.$(1) libcublasLt.so.$(1)) -Wl,-rpath,$(abspath $(SIM_DIR)) -ldl
endef
$(foreach v,12 13,$(eval $(call SIM_VERSION_TESTS,$(v))))
