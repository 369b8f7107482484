# SPDX-License-Identifier: Apache-2.0
"""sys.setprofile and cProfile beside us: they must see what they see without us, and nothing of ours."""
import cProfile
import pstats
import sys
from truth import blank, extra, note, seen, tell, trigger

events = []


def leaf():
    seen()
    note(); trigger()


def work(n):
    seen()
    for i in range(n):
        leaf()


def watch(frame, event, argument):
    if event == "call":
        events.append(frame.f_code.co_name)


def first():
    blank(); trigger()


sys.setprofile(watch)
first()
work(10)
sys.setprofile(None)
extra["events"] = [name for name in events if name not in ("seen", "note", "name_of", "frames", "blank")]
profile = cProfile.Profile()
profile.enable()
work(20)
profile.disable()
extra["profiled"] = {key[2]: value[0] for key, value in pstats.Stats(profile).stats.items() if key[0] == __file__}
note(); trigger()
tell()
