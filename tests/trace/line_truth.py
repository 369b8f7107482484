# SPDX-License-Identifier: Apache-2.0
"""Run by test_lines.py under many CPythons: prints, for code objects of the standard library, the line table and what CPython itself
says each instruction's line is: "FORMAT FIRST_LINE CODE_BYTES TABLE . | LINE LINE ..." (0: none)."""
import ctypes
import os
import sys
import types

FILES = ("argparse.py", "ast.py", "dataclasses.py", "enum.py", "typing.py", "pickle.py", "contextlib.py", "asyncio/base_events.py",
         "asyncio/tasks.py", "inspect.py", "json/decoder.py", "unittest/mock.py", "tarfile.py", "functools.py")


def codes(code):
    yield code
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from codes(constant)


def lines_by_iterator(code):
    lines = [0] * (len(code.co_code) // 2)
    for start, end, line in code.co_lines():
        for at in range(start, end, 2):
            lines[at // 2] = line or 0
    return lines


def lines_by_lookup(code):
    lookup = ctypes.pythonapi.PyCode_Addr2Line
    lookup.argtypes, lookup.restype = (ctypes.py_object, ctypes.c_int), ctypes.c_int
    return [max(lookup(code, at), 0) for at in range(0, len(code.co_code), 2)]


def main():
    new = sys.version_info >= (3, 10)
    form = 3 if sys.version_info >= (3, 11) else 2 if new else 1
    for name in FILES:
        path = os.path.join(os.path.dirname(os.__file__), name)
        with open(path, encoding="utf-8") as f:
            source = f.read()
        for code in codes(compile(source, path, "exec")):
            table = code.co_linetable if new else code.co_lnotab
            truth = lines_by_iterator(code) if new else lines_by_lookup(code)
            print(form, code.co_firstlineno, len(code.co_code), table.hex(), ". |", *truth)


main()
