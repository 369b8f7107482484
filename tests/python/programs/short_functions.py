# SPDX-License-Identifier: Apache-2.0
"""Functions that take less than to time them: Python's and C's; one of them calls CUDA now and then. `extra`: calls of each."""
import math
from truth import extra, tell, trigger

TURNS, SELDOM = 4000, 500


def leaf(x):
    return x


def seldom(x):
    if x % SELDOM == SELDOM - 1:
        trigger()
    return x


def inner(x):
    return leaf(x)


def measured():
    for i in range(TURNS):
        leaf(i)
        seldom(i)
        inner(i)
        abs(i)
        math.hypot(3, 4)


trigger()
measured()
extra["calls"] = {"leaf": 2 * TURNS, "seldom": TURNS, "inner": TURNS, "abs": TURNS, "math.hypot": TURNS}
extra["seldom"] = TURNS // SELDOM
tell()
