# SPDX-License-Identifier: Apache-2.0
# tests/python: the CPython side on every CPython found. libovh-trigger.so is preload/writer + preload/python + one function in place of
# the CUDA wrappers.
PYTHON_TRIGGER := $(BUILD)/tests/python/libovh-trigger.so
PYTHON_TRIGGER_OBJ := $(filter $(BUILD)/preload/writer/% $(BUILD)/preload/old_glibc.o $(BUILD)/preload/python/%,$(GUEST_OBJ)) $(BUILD)/tests/python/trigger.o

$(BUILD)/tests/python/trigger.o: tests/python/trigger.c
	@mkdir -p $(@D)
	$(CC) $(GUEST_CFLAGS) -c -o $@ $<
$(PYTHON_TRIGGER): $(PYTHON_TRIGGER_OBJ)
	$(CC) $(CFLAGS) $(GUEST_LDFLAGS) -o $@ $^ -ldl -lpthread

# A program that embeds CPython.
PYTHON_EMBED := $(BUILD)/tests/python/embed
$(PYTHON_EMBED): tests/python/embed.c
	@mkdir -p $(@D)
	$(CC) $(BASE) $(CFLAGS) -o $@ $< -ldl

TESTS += tests/python/test_frames.py tests/python/test_ladder.py tests/python/test_lives.py tests/python/test_beside.py tests/python/test_recording.py
TEST_NEEDS += $(PYTHON_TRIGGER) $(PYTHON_EMBED) sim

TESTS += tests/python/test_native.py tests/python/test_modules.py

# CPython's own tests under the hooks, on every CPython that is found: half an hour and more. CPYTHON_SUITE="--python 3.14 test_gc" for a part.
.PHONY: test-cpython
test-cpython: $(PYTHON_TRIGGER) test-pythons
	BUILD=$(BUILD) tests/python/cpython_suite.py $(CPYTHON_SUITE)
