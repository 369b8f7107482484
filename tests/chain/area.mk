# SPDX-License-Identifier: Apache-2.0
# The whole chain on real programs: ovh-record --sim, then ovh-report.
TESTS += tests/chain/test_torch_linear.py tests/chain/test_without_torch.py
