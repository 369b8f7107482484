# SPDX-License-Identifier: Apache-2.0
# What `make test` runs. An area adds its own in tests/AREA/area.mk:
#   TESTS += program        something that prints TAP on stdout (see tests/run); built before the run when it is a target
#   TEST_NEEDS += target    something that must be built first
# C unit tests of the analyzer: every tests/unit/test_*.c is one cmocka program linked with all of analyzer/ but main.
UNIT_SRC := $(wildcard tests/unit/test_*.c)
UNIT_BIN := $(patsubst %.c,$(BUILD)/%,$(UNIT_SRC))
TESTS += $(UNIT_BIN)

$(BUILD)/tests/unit/%: tests/unit/%.c $(REPORT_LIB_OBJ)
	@mkdir -p $(@D)
	$(CC) $(TOOL_CFLAGS) -o $@ $< $(REPORT_LIB_OBJ) $(REPORT_LIBS) -lcmocka

check: all $(TEST_NEEDS) $(filter $(BUILD)/%,$(TESTS))
	BUILD=$(BUILD) OUT=$(OUT) CC=$(CC) CMOCKA_MESSAGE_OUTPUT=TAP tests/run $(TESTS)

# What the tests run, but the tests of the analyzer.
test-programs: all $(TEST_NEEDS) $(filter-out $(UNIT_BIN) $(FUZZ_REPLAY),$(filter $(BUILD)/%,$(TESTS)))

# Real PyTorch for the tests: two releases, each in a virtual environment of its own (no NVIDIA package: the CUDA libraries are ours).
# Without a registry there is none, and the tests that need it are skipped.
test-venvs:
	@[ -n "$(OVH_TEST_TORCH)" ] || scripts/torch_venv.sh build/venv-torch 2.11.0 || true
	@[ -n "$(OVH_TEST_TORCH_OLD)" ] || scripts/torch_venv.sh build/venv-torch-old 2.5.1 || true
# CPython newer than this machine's, where Debian's packages are reachable; tests on a version that there is none of are skipped.
test-pythons:
	@[ -n "$(OVH_TEST_PYTHONS)" ] || scripts/newer_pythons.sh build/pythons || true
