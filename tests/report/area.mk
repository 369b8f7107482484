# SPDX-License-Identifier: Apache-2.0
# The report of traces whose truth is known to the ns (tests/synthetic.py).
TESTS += tests/report/test_units.py tests/report/test_accounts.py tests/report/test_forms.py tests/report/test_counted.py tests/report/test_damage.py tests/report/test_ranges.py
TESTS += tests/report/test_native.py
TESTS += tests/report/test_compare.py tests/report/test_findings.py tests/report/test_gate_script.py
TESTS += tests/report/test_levels.py
TESTS += tests/report/test_modules.py
TESTS += tests/report/test_estimate.py
