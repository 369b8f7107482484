# SPDX-License-Identifier: Apache-2.0
"""XXH32 with seed 0, from its public description: for the tests' own writer and reader of traces."""
import ctypes
import ctypes.util

P1, P2, P3, P4, P5 = 2654435761, 2246822519, 3266489917, 668265263, 374761393
M = 0xFFFFFFFF


def _rotate(x, n):
    return (x << n | x >> (32 - n)) & M


def plain(data):
    """In Python alone: slow, needs nothing."""
    n, at = len(data), 0
    if n >= 16:
        lanes = [(P1 + P2) & M, P2, 0, -P1 & M]
        while at + 16 <= n:
            for i in range(4):
                word = int.from_bytes(data[at + 4 * i:at + 4 * i + 4], "little")
                lanes[i] = _rotate((lanes[i] + word * P2) & M, 13) * P1 & M
            at += 16
        h = sum(_rotate(lane, r) for lane, r in zip(lanes, (1, 7, 12, 18))) & M
    else:
        h = P5
    h = (h + n) & M
    while at + 4 <= n:
        h = _rotate((h + int.from_bytes(data[at:at + 4], "little") * P3) & M, 17) * P4 & M
        at += 4
    for byte in data[at:]:
        h = _rotate((h + byte * P5) & M, 11) * P1 & M
    h = (h ^ h >> 15) * P2 & M
    h = (h ^ h >> 13) * P3 & M
    return h ^ h >> 16


def _library():
    name = ctypes.util.find_library("xxhash")
    if not name:
        return None
    f = ctypes.CDLL(name).XXH32
    f.restype, f.argtypes = ctypes.c_uint32, (ctypes.c_char_p, ctypes.c_size_t, ctypes.c_uint32)
    return f


_fast = _library()


def xxh32(data):
    data = bytes(data)
    return _fast(data, len(data), 0) if _fast else plain(data)
