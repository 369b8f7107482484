# SPDX-License-Identifier: Apache-2.0
"""More functions than the table of code objects holds."""
from truth import extra, tell, trigger

trigger()
text = "".join("def f%d(): pass\nf%d()\n" % (i, i) for i in range(1000))
for turn in range(67):
    exec(compile(text, "many%d" % turn, "exec"), {})
for turn in range(100):
    exec(compile("def g(): pass\ng()", "late%d" % turn, "exec"), {})
extra["functions"] = 67 * 1000 + 67 + 200
tell()
