# SPDX-License-Identifier: Apache-2.0
BENCHES += tests/bench/bench_report.py
