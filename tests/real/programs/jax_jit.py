# SPDX-License-Identifier: Apache-2.0
"""A jitted JAX function and its gradient."""
import hashlib

import jax
import jax.numpy as jnp
import numpy

f = jax.jit(lambda x: jnp.sin(x) @ x)
x = jnp.arange(64 * 64, dtype=jnp.float32).reshape(64, 64) / 4096
for _ in range(50):
    y = f(x)
print("jit", y.shape, hashlib.sha256(numpy.asarray(y).tobytes()).hexdigest()[:16])
g = jax.jit(jax.grad(lambda x: f(x).sum()))(x)
print("grad", g.shape, hashlib.sha256(numpy.asarray(g).tobytes()).hexdigest()[:16])
