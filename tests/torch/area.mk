# SPDX-License-Identifier: Apache-2.0
# Real PyTorch; skipped where there is none.
TESTS += tests/torch/test_simulated.py tests/torch/test_compiled.py tests/torch/test_findings.py
TESTS += tests/torch/test_native.py
TESTS += tests/torch/test_modules.py
