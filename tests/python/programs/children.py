# SPDX-License-Identifier: Apache-2.0
"""multiprocessing by every way to start a child; each child tells of itself. children.py METHOD: fork, spawn or forkserver."""
import multiprocessing
import sys
import warnings

import truth
from truth import calls, note, seen, shots, tell, trigger

warnings.simplefilter("ignore")


def leaf(n):
    seen()
    note(); trigger()
    return n * n


def work(queue, answers):
    shots.clear()
    calls.clear()
    note(); trigger()
    for n in iter(queue.get, None):
        answers.put(leaf(n))
    note(); trigger()
    tell()


def main(method):
    context = multiprocessing.get_context(method)
    queue, answers = context.Queue(), context.Queue()
    workers = [context.Process(target=work, args=(queue, answers)) for i in range(2)]
    for worker in workers:
        worker.start()
    for n in range(12):
        queue.put(n)
    total = sum(answers.get() for n in range(12))
    for worker in workers:
        queue.put(None)
    for worker in workers:
        worker.join()
        assert worker.exitcode == 0, worker.exitcode
    assert total == sum(n * n for n in range(12))
    leaf(0)
    tell()


if __name__ == "__main__":
    note(); trigger()
    leaf(1)
    main(sys.argv[1])
