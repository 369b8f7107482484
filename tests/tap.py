# SPDX-License-Identifier: Apache-2.0
"""TAP for tests written in Python: every function whose name begins with test_ is one test; it asserts. skip("why") skips it.

    from tap import main, skip
    def test_something(): assert ...
    if __name__ == "__main__":
        main()
"""
import sys
import traceback


class Skipped(Exception):
    pass


def skip(why):
    raise Skipped(why)


def main():
    names = [(n, f) for n, f in vars(sys.modules["__main__"]).items() if n.startswith("test_") and callable(f)]
    failed = 0
    print("1..%d" % len(names))
    for number, (name, function) in enumerate(names, 1):
        title = (function.__doc__ or name[5:].replace("_", " ")).strip().splitlines()[0].rstrip(".")
        try:
            function()
            print("ok %d - %s" % (number, title), flush=True)
        except Skipped as e:
            print("ok %d - %s # SKIP %s" % (number, title, e), flush=True)
        except BaseException:
            failed += 1
            print("not ok %d - %s" % (number, title), flush=True)
            print("".join("# %s\n" % line for line in traceback.format_exc().splitlines()), end="", flush=True)
    sys.exit(1 if failed else 0)
