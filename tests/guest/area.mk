# SPDX-License-Identifier: Apache-2.0
# tests/guest: the recorder in a host process. libovh-guest.so is preload/writer and a few hooks written by hand in place of the
# wrappers; the host program is linked with a small stand-in for libcudart.
GUEST_LIB := $(BUILD)/tests/guest/libovh-guest.so
GUEST_CUDART := $(BUILD)/tests/guest/libcudart.so.13
GUEST_HOST := $(BUILD)/tests/guest/host
GUEST_LIB_OBJ := $(filter $(BUILD)/preload/writer/% $(BUILD)/preload/old_glibc.o,$(GUEST_OBJ)) $(BUILD)/tests/guest/hooked.o

$(BUILD)/tests/guest/hooked.o: tests/guest/hooked.c
	@mkdir -p $(@D)
	$(CC) $(GUEST_CFLAGS) -c -o $@ $<
$(GUEST_LIB): $(GUEST_LIB_OBJ)
	$(CC) $(CFLAGS) $(GUEST_LDFLAGS) -o $@ $^ -ldl -lpthread
$(GUEST_CUDART): tests/guest/cudart.c
	@mkdir -p $(@D)
	$(CC) $(BASE) $(CFLAGS) -fPIC -shared -Wl,-soname,libcudart.so.13 -o $@ $<
GUEST_STRESS := $(BUILD)/tests/guest/stress
$(GUEST_HOST) $(GUEST_STRESS): $(BUILD)/tests/guest/%: tests/guest/%.c $(GUEST_CUDART)
	@mkdir -p $(@D)
	$(CC) $(BASE) $(CFLAGS) -o $@ $< $(GUEST_CUDART) -Wl,-rpath,'$$ORIGIN' -lpthread -ldl

GUEST_SIMULATED := $(BUILD)/tests/guest/libsimulated.so
$(GUEST_SIMULATED): tests/guest/simulated.c
	@mkdir -p $(@D)
	$(CC) $(BASE) $(CFLAGS) -fPIC -shared -o $@ $<

TEST_NEEDS += $(GUEST_LIB) $(GUEST_HOST) $(GUEST_STRESS) $(GUEST_SIMULATED)
TESTS += tests/guest/test_life.py tests/guest/test_place.py tests/guest/test_space.py tests/guest/test_settings.py tests/guest/test_recording.py tests/guest/test_stress.py

GUEST_REPETITION := $(BUILD)/tests/guest/repetition
$(GUEST_REPETITION): tests/guest/repetition.c $(BUILD)/preload/writer/repetition.o
	@mkdir -p $(@D)
	$(CC) $(BASE) $(CFLAGS) -o $@ $^
TESTS += $(GUEST_REPETITION)
