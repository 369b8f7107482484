# SPDX-License-Identifier: Apache-2.0
"""Deep recursion in threads: with the default stack, and with small ones. Prints results only."""
import sys
import threading

from truth import trigger


def plain(n):
    return plain(n - 1) + 1 if n else 0


def mutual(n):
    return max(map(mutual, [n - 1])) + 1 if n else 0


def attempt(f, n):
    try:
        return f(n)
    except RecursionError:
        return "RecursionError"


def run(results, size):
    trigger()
    results.append((size, attempt(plain, depth), attempt(plain, 300), attempt(mutual, 40)))
    trigger()


trigger()
depth = int(sys.argv[1])
sys.setrecursionlimit(depth + 200)
for size in [0] + list(map(int, sys.argv[2:])):
    results = []
    threading.stack_size(size)
    threads = [threading.Thread(target=run, args=(results, size)) for i in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    print(results)
