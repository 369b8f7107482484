# SPDX-License-Identifier: Apache-2.0
"""The first hooked call comes deep inside; the frames under it return one by one, call others on the way, and come back."""
from truth import extra, note, seen, tell, trigger


def leaf():
    note(); trigger()


def down(n):
    if n:
        down(n - 1)
    else:
        note(); trigger()
        leaf()
    if n % 3 == 0:
        leaf()
    if n % 5 == 0:
        note(); trigger()
    if n % 7 == 0:
        again(3)


def again(n):
    note(); trigger()
    if n:
        again(n - 1)
    leaf()


down(60)
note(); trigger()
down(5)
leaf()
tell()
