# SPDX-License-Identifier: Apache-2.0
"""Exceptions through frames: caught far up, in finally, re-raised, swallowed by C."""
from truth import extra, note, seen, tell, trigger

failed = extra.setdefault("failed", {})


def fails(n):
    seen()
    failed["fails"] = failed.get("fails", 0) + 1
    note(); trigger()
    if n:
        fails(n - 1)
    raise ValueError(n)


def tidies(n):
    seen()
    failed["tidies"] = failed.get("tidies", 0) + 1
    try:
        fails(n)
    finally:
        note(); trigger()


def catches(n):
    seen()
    try:
        tidies(n)
    except ValueError:
        note(); trigger()
    note(); trigger()


class Odd:
    def __getattr__(self, name):
        seen()
        failed[Odd.__getattr__.__qualname__ if hasattr((lambda: 0).__code__, "co_qualname") else "__getattr__"] = 30
        raise AttributeError(name)


note(); trigger()
for turn in range(30):
    catches(turn % 4)
    hasattr(Odd(), "nothing")
note(); trigger()
tell()
