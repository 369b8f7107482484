# SPDX-License-Identifier: Apache-2.0
"""A child of fork goes on in its own file; what it does before its first hooked call there is not recorded."""
import os
import sys
import warnings
from truth import calls, note, seen, shots, tell, trigger

warnings.simplefilter("ignore")


def leaf():
    seen()
    note(); trigger()


def child():
    shots.clear()
    calls.clear()
    note(); trigger()
    for i in range(10):
        leaf()
    note(); trigger()
    tell()


def parent():
    leaf()
    sys.stdout.flush()
    pid = os.fork()
    if pid == 0:
        child()
        os._exit(0)
    assert os.waitpid(pid, 0)[1] == 0
    leaf()
    note(); trigger()


note(); trigger()
parent()
tell()
