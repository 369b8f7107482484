# SPDX-License-Identifier: Apache-2.0
# The tools as a user calls them.
TESTS += tests/cli/test_record.py
