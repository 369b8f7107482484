# SPDX-License-Identifier: Apache-2.0
"""One of the lives of an embedded interpreter: functions made anew each time, a thread, hooked calls at the very end."""
import atexit
import threading

from truth import note, seen, tell, trigger


def leaf():
    seen()
    note(); trigger()


def work(n):
    seen()
    for i in range(n):
        leaf()
    note(); trigger()


note(); trigger()
work(30)
thread = threading.Thread(target=work, args=(5,))
thread.start()
thread.join()
for i in range(100):
    scope = {"note": note, "trigger": trigger}
    exec(compile("def f%d():\n    note(); trigger()\nf%d()" % (i, i), "made%d" % i, "exec"), scope)
note(); trigger()
tell()
atexit.register(trigger)
