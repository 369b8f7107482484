# SPDX-License-Identifier: Apache-2.0
BENCHES += tests/bench/bench_native.py
BENCH_NEEDS += $(PYTHON_TRIGGER)
