# SPDX-License-Identifier: Apache-2.0
"""Tools that look at Python, beside us: tools.py TOOL before|after. The tool begins before the first hooked call or after it; what it saw
is printed, and must be the same without us. The work has calls, exceptions, generators, coroutines, classes, a thread, and C functions."""
import collections
import json
import os
import sys
import threading

from truth import library, released, trigger

launch = getattr(library, "trigger_launch", library.getpid)
unlocked = getattr(released, "trigger", released.getpid)
HERE = os.path.abspath(__file__)


def leaf(n):
    trigger()
    return n + 1


def fails(n):
    launch(n)
    raise KeyError(n)


def numbers(n):
    for i in range(n):
        yield leaf(i)


class Thing:
    def __init__(self, n):
        self.n = n

    @property
    def twice(self):
        return leaf(self.n) * 2

    def __call__(self, x):
        return isinstance(x, int) and self.twice + len([x])


async def waits(n):
    unlocked()
    return n and await waits(n - 1)


def step(i):
    things = [Thing(k) for k in range(3)]
    total = sum(thing(i) for thing in things)
    try:
        fails(i)
    except KeyError:
        total += sum(numbers(3))
    try:
        waits(2).send(None)
    except StopIteration:
        launch(7)
    return total + max(map(leaf, range(3)), key=lambda v: -v)


def work(steps):
    total = 0
    for i in range(steps):
        total += step(i)
    thread = threading.Thread(target=step, args=(3,))
    thread.start()
    thread.join()
    return total


def ours(code):
    return os.path.abspath(code.co_filename) == HERE


def name_of(callable_):
    """The hooked calls have other names without us."""
    name = getattr(callable_, "__name__", type(callable_).__name__)
    return "hooked" if name in ("trigger", "trigger_launch", "getpid") else name


def counted(seen):
    return sorted(("%s" % (key,), n) for key, n in seen.items())


def with_a_hook(install):
    """sys.setprofile and sys.settrace: every event in this file."""
    seen = collections.Counter()

    def hook(frame, event, argument):
        if ours(frame.f_code):
            what = name_of(argument) if event.startswith("c_") else frame.f_lineno if event == "line" else ""
            seen[(event, frame.f_code.co_name, what)] += 1
        return hook
    getattr(threading, install)(hook)
    getattr(sys, install)(hook)

    def end():
        getattr(sys, install)(None)
        getattr(threading, install)(None)
        # 3.13, 3.14: a StopIteration between awaits is an event or not as the interpreter has specialised the place
        return counted({key: n for key, n in seen.items() if key[2] != install and key[:2] != ("exception", "waits")})
    return end


def with_cprofile():
    import cProfile
    import pstats
    profile = cProfile.Profile()
    profile.enable()

    def end():
        profile.disable()
        return sorted((key[2], value[0], value[1]) for key, value in pstats.Stats(profile).stats.items() if key[0] == __file__)
    return end


def with_monitoring(tool):
    monitoring = sys.monitoring
    seen, events = collections.Counter(), monitoring.events
    names = ["PY_START", "PY_RETURN", "PY_YIELD", "PY_RESUME", "PY_UNWIND", "RAISE", "LINE", "CALL"]
    monitoring.use_tool_id(tool, "looks")
    for name in names:
        def note(code, *rest, name=name):
            if ours(code):
                what = name_of(rest[1]) if name == "CALL" else rest[0] if name == "LINE" else ""
                seen[(name, code.co_name, what)] += 1
        monitoring.register_callback(tool, getattr(events, name), note)
    monitoring.set_events(tool, sum(getattr(events, name) for name in names))

    def end():
        monitoring.set_events(tool, 0)
        monitoring.free_tool_id(tool)
        return counted({key: n for key, n in seen.items() if key[:2] != ("RAISE", "waits")})
    return end


def with_tracemalloc():
    import tracemalloc
    tracemalloc.start(10)
    kept = []

    def end():
        kept.append(bytearray(1 << 20))
        top = tracemalloc.take_snapshot().statistics("lineno")[0]
        return [top.traceback[0].filename == __file__, top.size >= 1 << 20, tracemalloc.get_object_traceback(kept[0])[-1].lineno]
    return end


def with_faulthandler():
    import faulthandler
    import tempfile
    faulthandler.enable()
    file = tempfile.TemporaryFile("w+")
    faulthandler.dump_traceback_later(1000, file=file)

    def inner(n):
        trigger()
        return inner(n - 1) if n else faulthandler.dump_traceback(file=file, all_threads=False)

    def end():
        faulthandler.cancel_dump_traceback_later()
        inner(5)
        file.seek(0)
        return [line for line in file.read().splitlines() if not line.startswith("Current")]
    return end


TOOLS = {"setprofile": lambda: with_a_hook("setprofile"), "settrace": lambda: with_a_hook("settrace"), "cprofile": with_cprofile,
         "monitoring": lambda: with_monitoring(sys.monitoring.PROFILER_ID), "tracemalloc": with_tracemalloc,
         "debugger": lambda: with_monitoring(sys.monitoring.DEBUGGER_ID), "faulthandler": with_faulthandler}

if __name__ == "__main__":
    name, when = sys.argv[1:]
    work(3)  # what the interpreter does once has been done
    end = TOOLS[name]() if when == "before" else None
    trigger()
    if when == "after":
        for i in range(300):
            step(i)
        end = TOOLS[name]()
    total = work(20)
    print(json.dumps({"seen": end(), "total": total}))
