# SPDX-License-Identifier: Apache-2.0
"""C functions are called in a sub-interpreter while the main interpreter's calls are recorded, and again afterwards."""
import math
import sys
from truth import extra, tell, trigger

CODE = """
import math, zlib
total = 0
for i in range(300):
    items = []
    total += abs(-i) + isinstance(i, int) + len("ab") + int(math.hypot(3, 4))
    items.append(i)
    total += {}.get(1, i) + zlib.crc32(b"a")
    "{}".format(i)
assert total == 300 * (8 + 3904355907) + 2 * sum(range(300)), total
"""


def mine(n):
    total = 0
    for i in range(n):
        total += abs(-i) + isinstance(i, int) + len("ab") + int(math.hypot(3, 4))
    return total


def run():
    try:
        import _interpreters as module   # 3.13
        other = module.create()
        return module.run_string(other, CODE), module.destroy(other)
    except ImportError:
        import _xxsubinterpreters as module
        other = module.create()
        return module.run_string(other, CODE), module.destroy(other)


trigger()
mine(300)
extra["first"] = run()
extra["between"] = mine(300)
extra["second"] = run()
trigger()


def measured():
    return mine(300)


extra["last"] = measured()
tell()
