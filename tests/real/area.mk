# SPDX-License-Identifier: Apache-2.0
# Whole programs, with and without us; skipped where what they import is not there.
TESTS += tests/real/test_real.py
