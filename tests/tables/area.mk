# SPDX-License-Identifier: Apache-2.0
# The hook tables. `make check-tables` compares them with every set of CUDA headers that is here (CUDA_HOME, /usr/local/cuda,
# build/cuda-headers); `make check-tables LIST=1` also names the functions that are not hooked. `make cuda-headers` fetches headers
# from PyPI into build/cuda-headers, `make cuda-headers CUBLAS=1 LIBRARIES=1` those of cuBLAS and of the other libraries too (GBs).
.PHONY: cuda-headers
TESTS += tests/tables/test_tables.py

check-tables:
	CC=$(CC) tests/tables/check_tables.py $(if $(LIST),--list)
cuda-headers:
	tests/tables/fetch_headers.py $(if $(CUBLAS),--cublas) $(if $(LIBRARIES),--libraries)
