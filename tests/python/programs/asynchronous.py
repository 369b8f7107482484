# SPDX-License-Identifier: Apache-2.0
"""Async generators: run to their end, closed early, thrown into, dropped without a word; async comprehensions and with; tasks cancelled
in the middle; a coroutine that is never awaited; many tasks at once."""
import asyncio
import gc
import warnings

from truth import blank, note, seen, tell, trigger

warnings.simplefilter("ignore")


def leaf():
    seen()
    note(); trigger()


async def ticks(n):
    try:
        for i in range(n):
            leaf()
            yield i
            await asyncio.sleep(0)
            note(); trigger()
    finally:
        leaf()
        note(); trigger()


async def to_the_end():
    total = 0
    async for i in ticks(4):
        note(); trigger()
        total += i
    return total + sum([i async for i in ticks(3)])


async def closed_early():
    it = ticks(9)
    async for i in it:
        if i == 2:
            break
    note(); trigger()
    await it.aclose()


async def thrown_into():
    it = ticks(9)
    await it.asend(None)
    try:
        await it.athrow(KeyError("x"))
    except KeyError:
        note(); trigger()


class Room:
    async def __aenter__(self):
        leaf()
        await asyncio.sleep(0)
        return self

    async def __aexit__(self, *error):
        leaf()
        note(); trigger()
        return True


async def in_a_room():
    async with Room():
        leaf()
        raise ValueError
    note(); trigger()


async def slow():
    try:
        await asyncio.sleep(100)
    except asyncio.CancelledError:
        leaf()
        note(); trigger()
        raise


async def cancelled():
    task = asyncio.ensure_future(slow())
    await asyncio.sleep(0)
    task.cancel()
    try:
        await task
    except asyncio.CancelledError:  # thrown in from outside: the interpreter enters this frame without those that await it
        blank(); trigger()


async def never():
    leaf()


async def everything():
    for turn in range(5):
        await to_the_end()
        await closed_early()
        await thrown_into()
        await in_a_room()
        await cancelled()
        never()
        gc.collect()
    await asyncio.gather(*[f() for f in (to_the_end, closed_early, thrown_into, in_a_room, cancelled) for i in range(4)])


note(); trigger()
asyncio.run(everything())
note(); trigger()
tell()
