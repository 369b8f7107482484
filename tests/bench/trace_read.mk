# SPDX-License-Identifier: Apache-2.0
BENCHES += $(BUILD)/tests/bench/trace_read
$(BUILD)/tests/bench/trace_read: tests/bench/trace_read.c $(patsubst %.c,$(BUILD)/%.o,$(wildcard analyzer/trace/*.c))
	@mkdir -p $(@D)
	$(CC) $(TOOL_CFLAGS) -o $@ $^
