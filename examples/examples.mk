# SPDX-License-Identifier: Apache-2.0
# make demo: see examples/demo.sh. `make demo PYTHON=...` takes that Python's PyTorch.
demo-run: all
	@OUT=$(OUT) PYTHON=$(PYTHON) examples/demo.sh
.PHONY: demo-run
