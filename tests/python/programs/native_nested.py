# SPDX-License-Identifier: Apache-2.0
"""Levels are switched deep inside Python functions that C functions call: the frames around each hooked call are right whenever
frames are recorded."""
from truth import blank, library, note, seen, tell, trigger

LEVELS = (3, 1, 3, 2, 3, 1, 2, 3)


def leaf(x):
    note(); trigger()
    return x


def switching(x):
    for level in LEVELS:
        library.trigger_level(level)
        if level == 1:
            blank(); trigger()
        else:
            note(); trigger()
            list(map(leaf, (1, 2)))
            leaf(x)
    return x


def outer(x):
    note(); trigger()
    result = sorted((x, 1), key=switching)
    note(); trigger()
    leaf(x)
    return result


def generate(n):
    for i in range(n):
        switching(i)
        yield i


note(); trigger()
for turn in range(5):
    list(map(outer, (2, 3)))
    note(); trigger()
    sum(generate(2))
    leaf(turn)
    note(); trigger()
tell()
