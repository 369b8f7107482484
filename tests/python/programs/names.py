# SPDX-License-Identifier: Apache-2.0
"""Names in all three widths of CPython's strings, and code objects that die so that their addresses are used again."""
import truth
from truth import note, seen, tell, trigger


def größe():
    seen()
    note(); trigger()


def 名前():
    seen()
    note(); trigger()


def 𝔣𝔬():
    seen()
    note(); trigger()


exec("def 𐐀𐐁(): seen(); note(); trigger()")  # not in the basic plane even after normalisation


note(); trigger()
for turn in range(5):
    größe()
    名前()
    𝔣𝔬()
    𐐀𐐁()
for turn in range(300):
    scope = {"note": note, "trigger": truth.released.trigger if turn % 2 else trigger}
    exec(compile("def f%d():\n    note(); trigger()\nf%d()" % (turn, turn), "made%d" % turn, "exec"), scope)
    del scope
tell()
