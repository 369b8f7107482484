# SPDX-License-Identifier: Apache-2.0
# make fuzz [FUZZ_SECONDS=20]: libFuzzer on the reader, from the golden traces. Needs clang. What it finds stays in build/fuzz/.
FUZZ_SECONDS ?= 20
FUZZ_CC ?= $(firstword $(shell command -v clang clang-14 clang-15 clang-16 clang-18 clang-19 2>/dev/null) clang)
FUZZ_CFLAGS := -std=gnu11 -I. -Iinclude -g -O1 -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=undefined
FUZZ_TARGETS := fuzz_trace fuzz_lines

build/fuzz/%: tests/fuzz/%.c $(wildcard analyzer/trace/*.[ch]) include/ovh/trace.h
	@mkdir -p $(@D)
	$(FUZZ_CC) $(FUZZ_CFLAGS) -o $@ $< analyzer/trace/*.c

fuzz: $(FUZZ_TARGETS:%=build/fuzz/%)
	mkdir -p build/fuzz/corpus/fuzz_trace build/fuzz/corpus/fuzz_lines
	cp tests/golden/*.bin tests/golden/bad/*.bin build/fuzz/corpus/fuzz_trace
	cd build/fuzz && for t in $(FUZZ_TARGETS); do \
		./$$t -max_total_time=$(FUZZ_SECONDS) -max_len=20480 -print_final_stats=1 -verbosity=0 corpus/$$t || exit 1; done
