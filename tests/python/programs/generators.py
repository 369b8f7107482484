# SPDX-License-Identifier: Apache-2.0
"""Generators and coroutines: one frame that is entered again and again, closed early, thrown into, delegated to."""
import asyncio
from truth import extra, note, seen, tell, trigger

resumed = extra.setdefault("resumed", {"numbers": 0, "waits": 0})
closed = extra.setdefault("closed", {"numbers": 0, "waits": 0})  # close() enters it once more, before 3.13
created = extra.setdefault("created", {"numbers": 0, "waits": 0})


def numbers(n):
    for i in range(n):
        resumed["numbers"] += 1
        note(); trigger()
        yield i
    resumed["numbers"] += 1
    note(); trigger()


def delegates(n):
    yield from numbers(n)
    note(); trigger()


def uses():
    seen()
    created["numbers"] += 3
    total = sum(numbers(3))
    for value in delegates(2):
        note(); trigger()
    early = numbers(5)
    next(early)
    early.close()
    closed["numbers"] += 1
    return total


def thrown():
    seen()

    def catcher():
        while True:
            try:
                yield
            except KeyError:
                note(); trigger()
    it = catcher()
    next(it)
    it.throw(KeyError("x"))
    it.close()


class Later:
    def __await__(self):
        note(); trigger()
        yield
        note(); trigger()
        return 5


async def waits(n):
    resumed["waits"] += 1
    note(); trigger()
    value = await Later() if n == 0 else await waits(n - 1)
    note(); trigger()
    return value


def drives():
    seen()
    created["waits"] += 3
    coroutine = waits(2)
    coroutine.send(None)
    resumed["waits"] += 3  # each of the three is entered once more
    try:
        coroutine.send(None)
    except StopIteration as e:
        assert e.value == 5


async def sleeper(n):
    await asyncio.sleep(0)
    note(); trigger()
    return n


async def gather():
    return sum(await asyncio.gather(*[sleeper(i) for i in range(4)]))


note(); trigger()
for turn in range(10):
    uses()
    thrown()
    drives()
assert asyncio.run(gather()) == 6
note(); trigger()
tell()
