# SPDX-License-Identifier: Apache-2.0
"""100 000 calls: references, objects and memory stay where they were."""
import gc
import sys
from truth import extra, tell, trigger


class Thing:
    pass


def leaf(thing):
    return thing


def raises(thing):
    raise ValueError


def generates(thing):
    yield thing


def rounds(thing, n):
    for i in range(n):
        leaf(thing)
        for t in generates(thing):
            trigger()
        try:
            raises(thing)
        except ValueError:
            pass


def pages():
    with open("/proc/self/statm") as f:
        return int(f.read().split()[1])


def state(thing):
    gc.collect()
    return tuple(map(sys.getrefcount, (thing, leaf, leaf.__code__, raises.__code__, generates.__code__))) + (len(gc.get_objects()),)


trigger()
thing = Thing()
rounds(thing, 4000)
state(thing)
before, pages_before = state(thing), pages()
rounds(thing, 25000)
after, pages_after = state(thing), pages()
extra["before"], extra["after"] = before, after
extra["kbytes"] = 4 * (pages_after - pages_before)
tell()
