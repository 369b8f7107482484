# SPDX-License-Identifier: Apache-2.0
# Interposition: fake CUDA libraries, programs that say what was really called, the built library itself.
TESTS += tests/interpose/test_interpose.py tests/interpose/test_built_file.py tests/interpose/test_preloads.py
TEST_NEEDS += $(BUILD)/libovh-twin.so
