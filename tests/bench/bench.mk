# SPDX-License-Identifier: Apache-2.0
# make bench: what observing costs. An area adds its own in tests/bench/NAME.mk:
#   BENCHES += program        called as `program --json build/bench/NAME.json` (NAME: its file name without suffix), with BUILD and OUT in the
#                             environment. Prints a table on stdout, writes {"bench": NAME, ...} to the file. Built first when it is a target.
#   BENCH_NEEDS += target     something that must be built first
BENCHES += tests/bench/turns.py
BENCH_NEEDS += twin
-include $(sort $(filter-out tests/bench/bench.mk,$(wildcard tests/bench/*.mk)))

bench: all $(BENCH_NEEDS) $(filter $(BUILD)/%,$(BENCHES))
	BUILD=$(BUILD) OUT=$(OUT) tests/bench/run $(BENCHES)
