# SPDX-License-Identifier: Apache-2.0
# The library, the tools and the simulated libraries built for aarch64, their tests run by qemu-user; docs/aarch64.md says what that
# shows. Where compiler, emulator or the libraries are missing the tests are skipped, and counted; `make deps-aarch64` fetches them.
#   make test-aarch64          all of it, also what `make check` leaves out for time
.PHONY: aarch64-programs deps-aarch64 test-aarch64
AARCH64_GCC := aarch64-linux-gnu-gcc
AARCH64_TEST := build/aarch64/tests/aarch64
AARCH64_LIBRARIES := $(CURDIR)/build/aarch64/sysroot/usr/lib/aarch64-linux-gnu:$(CURDIR)/build/aarch64/sysroot/lib/aarch64-linux-gnu

ifeq ($(ARCH)$(SANITIZE),x86_64)
TESTS += tests/aarch64/test_aarch64.py
ifneq ($(and $(shell command -v $(AARCH64_GCC)),$(shell command -v qemu-aarch64-static),$(wildcard build/aarch64/sysroot/complete)),)
TEST_NEEDS += aarch64-programs
endif
endif

aarch64-programs: $(AARCH64_TEST)/ovh-report
	+@$(MAKE) --no-print-directory -s CROSS=aarch64-linux-gnu- CC=$(AARCH64_GCC) AR=aarch64-linux-gnu-ar BUILD=build/aarch64 test-programs

# ovh-report for aarch64 as a program of this machine.
$(AARCH64_TEST)/ovh-report: tests/aarch64/emulated.c
	@mkdir -p $(@D)
	gcc -O1 -static -DQEMU='"$(shell command -v qemu-aarch64-static)"' -DROOT='"/usr/aarch64-linux-gnu"' -DLIBRARIES='"$(AARCH64_LIBRARIES)"' \
		-DPROGRAM='"$(CURDIR)/build/aarch64/ovh-report"' -o $@ $<

deps-aarch64:
	@scripts/deps_aarch64.sh || true

test-aarch64: deps-aarch64
	+@$(MAKE) --no-print-directory -s all aarch64-programs
	OUT=$(OUT) OVH_TEST_ALL=1 tests/run tests/aarch64/test_aarch64.py
