# SPDX-License-Identifier: Apache-2.0
"""A training loop: so many steps, each a few Python calls, hooked calls and one launch; now and then another kind of launch; the loop itself is
begun anew from time to time, so that it is at every level. steps.py WHERE STEPS: in the main thread, or in a worker that the main thread waits for."""
import json
import sys
import threading

from truth import library, released, trigger

launch = getattr(library, "trigger_launch", lambda what: 0)
launch_released = getattr(released, "trigger_launch", lambda what: 0)
launches = 0


class Stop(Exception):
    pass


def leaf(n):
    return n + 1


def numbers():
    yield leaf(1)
    yield leaf(2)


def fails():
    leaf(0)
    raise Stop


def forward(give_up):
    global launches
    leaf(1)
    trigger()
    try:
        fails()
    except Stop:
        pass
    for _ in numbers():
        pass
    (launch_released if give_up else launch)(7)
    launches += 1
    trigger()


def step(i, give_up):
    global launches
    forward(give_up)
    if i % 500 == 499:
        launch(1000 + i)
        launches += 1


def train(first, n, give_up):
    for i in range(first, first + n):
        step(i, give_up)


def main(steps, give_up):
    for first in range(0, steps, 313):
        train(first, min(313, steps - first), give_up)


where, steps = sys.argv[1], int(sys.argv[2])
if where == "main":
    main(steps, True)
elif where == "worker":
    thread = threading.Thread(target=main, args=(steps, True))
    thread.start()
    thread.join()
elif where == "threads":
    threads = [threading.Thread(target=main, args=(steps // 3, i % 2 == 0)) for i in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
print(json.dumps({"launches": launches, "steps": steps}))
