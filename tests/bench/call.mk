# SPDX-License-Identifier: Apache-2.0
BENCHES += tests/bench/bench_call.py
BENCH_NEEDS += $(BUILD)/tests/bench/bench_call

$(BUILD)/tests/bench/bench_call: tests/bench/bench_call.c tests/bench/fake_cudart.c
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) -shared -fPIC -Wl,-soname,libcudart.so.13 -o $(@D)/libcudart.so.13 tests/bench/fake_cudart.c
	$(CC) $(BASE) $(CFLAGS) -MF $@.d -o $@ $< $(@D)/libcudart.so.13 -Wl,-rpath,'$$ORIGIN' -ldl
