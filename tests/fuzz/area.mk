# SPDX-License-Identifier: Apache-2.0
# make fuzz [FUZZ_SECONDS=20] [FUZZ_TARGETS="fuzz_report ..."]: libFuzzer on everything that reads a trace, from the golden traces, made-up
# ones (seeds.py) and the inputs kept in tests/fuzz/corpus. Needs clang. What it finds stays in build/fuzz/: with its fix it becomes a file
# of the corpus, which `make check` runs through every target, by any compiler (replay.c).
FUZZ_SECONDS ?= 20
FUZZ_CC ?= $(firstword $(shell command -v clang clang-14 clang-15 clang-16 clang-18 clang-19 2>/dev/null) clang)
FUZZ_CFLAGS := -std=gnu11 -I. -Iinclude -g -O1 -DOVH_VERSION='"fuzz"' -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=undefined
FUZZ_TARGETS := fuzz_trace fuzz_lines fuzz_dump fuzz_verify fuzz_report
FUZZ_SRC := tests/fuzz/repair.c $(wildcard analyzer/trace/*.c analyzer/model/*.c analyzer/out/*.c)
FUZZ_CORPUS := $(wildcard tests/golden/*.bin tests/golden/bad/*.bin tests/fuzz/corpus/*.bin)

# The objects once, the targets from them.
build/fuzz/%.o: %.c
	@mkdir -p $(@D)
	$(FUZZ_CC) $(FUZZ_CFLAGS:-fsanitize=fuzzer,%=-fsanitize=fuzzer-no-link,%) -MMD -MP -c -o $@ $<
build/fuzz/fuzz_%: build/fuzz/tests/fuzz/fuzz_%.o $(FUZZ_SRC:%.c=build/fuzz/%.o)
	$(FUZZ_CC) $(FUZZ_CFLAGS) -o $@ $^ -lsmartcols -ljansson -lm
.PRECIOUS: build/fuzz/%.o

fuzz: $(FUZZ_TARGETS:%=build/fuzz/%)
	mkdir -p build/fuzz/seeds $(FUZZ_TARGETS:%=build/fuzz/found/%)
	tests/fuzz/seeds.py build/fuzz/seeds
	cp $(FUZZ_CORPUS) build/fuzz/seeds
	cd build/fuzz && for t in $(FUZZ_TARGETS); do ./$$t -max_total_time=$(FUZZ_SECONDS) -max_len=24576 -timeout=20 -rss_limit_mb=1500 \
		-print_final_stats=1 -verbosity=0 found/$$t seeds || exit 1; done

FUZZ_REPLAY := $(FUZZ_TARGETS:fuzz_%=$(BUILD)/tests/fuzz/replay_%)
TESTS += $(FUZZ_REPLAY)
$(BUILD)/tests/fuzz/replay_%: tests/fuzz/fuzz_%.c tests/fuzz/replay.c tests/fuzz/repair.c tests/fuzz/repair.h $(REPORT_LIB_OBJ)
	@mkdir -p $(@D)
	$(CC) $(filter-out -MMD -MP -Wshadow,$(TOOL_CFLAGS)) -w -DTARGET='"fuzz_$*"' -o $@ $(filter %.c,$^) $(REPORT_LIB_OBJ) $(REPORT_LIBS)
