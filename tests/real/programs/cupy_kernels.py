# SPDX-License-Identifier: Apache-2.0
"""cupy.matmul and a RawKernel."""
import hashlib

import cupy

a = cupy.arange(128 * 128, dtype=cupy.float32).reshape(128, 128) / 1e3
for _ in range(100):
    c = cupy.matmul(a, a)
print("matmul", c.shape, hashlib.sha256(cupy.asnumpy(c).tobytes()).hexdigest()[:16])
kernel = cupy.RawKernel('extern "C" __global__ void inc(float *p, int n) { int i = threadIdx.x; if (i < n) p[i] += 1.0f; }', "inc")
p = cupy.zeros(32, dtype=cupy.float32)
for _ in range(200):
    kernel((1,), (32,), (p, cupy.int32(32)))
print("RawKernel", float(p.sum()))
