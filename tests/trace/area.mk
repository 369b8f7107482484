# SPDX-License-Identifier: Apache-2.0
# Reading traces: golden files, and line tables against real CPythons. (C tests of the reader: tests/unit/test_trace_*.c)
TESTS += tests/trace/test_golden.py tests/trace/test_lines.py
LINES_PROGRAM := $(BUILD)/tests/trace/lines
TEST_NEEDS += $(LINES_PROGRAM)

$(LINES_PROGRAM): tests/trace/lines.c $(BUILD)/analyzer/trace/lines.o
	@mkdir -p $(@D)
	$(CC) $(TOOL_CFLAGS) -o $@ $^

# Writes the golden traces and what ovh-report says of them. Look at the difference before you commit it.
golden: $(OUT)/ovh-report
	tests/golden/make.py
	tests/golden/expect.py $(OUT)/ovh-report
