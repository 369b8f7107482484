# SPDX-License-Identifier: Apache-2.0
"""Ten C functions a turn, of which the recorder's check is to say how they are seen: four by slot, two by tp_call, three by an
instruction of their own, and one bound method that lives for a moment, which nothing sees."""
from sys import getsizeof
from truth import extra, tell, trigger


class Sets:
    pass


SETS = Sets()


def turn():
    object.__setattr__(SETS, "a", 1)
    getsizeof(SETS)
    isinstance(1, int)
    len("a")
    mine = []
    mine.append(1)
    abs(1)
    {}.get(1)
    divmod(7, 2)
    mine.reverse()
    append = mine.append
    append(1)


def classes():
    str(2)
    type(3)
    tuple(())


trigger()
for _ in range(3000):
    turn()
for _ in range(10):
    classes()
trigger()
extra["turns"] = 3000
tell()
