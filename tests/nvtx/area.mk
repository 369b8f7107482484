# SPDX-License-Identifier: Apache-2.0
# tests/nvtx: NVTX ranges of C programs and of real PyTorch.
NVTX_RANGES := $(BUILD)/tests/nvtx/ranges
NVTX_INCLUDE ?= $(firstword $(wildcard /usr/local/cuda/include/nvtx3 /opt/cuda/include/nvtx3))

$(NVTX_RANGES): tests/nvtx/ranges.c $(BUILD)/sim/libcudart.so.13
	@mkdir -p $(@D)
	$(CC) $(BASE) $(CFLAGS) -o $@ $< $(BUILD)/sim/libcudart.so.13 -Wl,-rpath-link,$(BUILD)/sim -Wl,-rpath,'$$ORIGIN/../../sim' -lpthread -ldl
# The same program with NVIDIA's own headers, where there are some.
$(NVTX_RANGES)-real: tests/nvtx/ranges.c $(BUILD)/sim/libcudart.so.13
	@mkdir -p $(@D)
	$(CC) $(BASE) -Wno-undef -isystem $(NVTX_INCLUDE)/.. -DREAL $(CFLAGS) -o $@ $< $(BUILD)/sim/libcudart.so.13 -Wl,-rpath-link,$(BUILD)/sim -Wl,-rpath,'$$ORIGIN/../../sim' -lpthread -ldl

TEST_NEEDS += $(NVTX_RANGES) $(if $(NVTX_INCLUDE),$(NVTX_RANGES)-real)
TESTS += tests/nvtx/test_ranges.py
