# SPDX-License-Identifier: Apache-2.0
"""Another evaluator in the slot when we come; then it goes away; then we are switched off."""
import ctypes
import sys
from truth import blank, extra, library, note, seen, tell, trigger

api = ctypes.pythonapi
for name in ("_PyInterpreterState_GetEvalFrameFunc", "PyInterpreterState_Main"):
    getattr(api, name).restype = ctypes.c_void_p
interpreter = ctypes.c_void_p(api.PyInterpreterState_Main())
default = ctypes.cast(api._PyEval_EvalFrameDefault, ctypes.c_void_p)
other = ctypes.cast(library.trigger_other_evaluator, ctypes.c_void_p)


def current():
    return api._PyInterpreterState_GetEvalFrameFunc(interpreter)


def put(function):
    api._PyInterpreterState_SetEvalFrameFunc(interpreter, function)


def unseen():
    blank(); trigger()


def leaf():
    seen()
    note(); trigger()


def off():
    library.trigger_frames_off()


def late():
    blank(); trigger()


put(other)
unseen()
unseen()
extra["kept"] = current() == other.value
put(default)
note(); trigger()
for i in range(5):
    leaf()
extra["ours"] = current() not in (default.value, other.value)
off()
extra["restored"] = current() == default.value
late()
late()
tell()
