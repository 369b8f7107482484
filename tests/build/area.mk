# SPDX-License-Identifier: Apache-2.0
# The tree, the build and the installation.
TESTS += tests/build/test_tree.py tests/build/test_install.py
TEST_NEEDS += man
