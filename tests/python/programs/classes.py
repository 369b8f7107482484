# SPDX-License-Identifier: Apache-2.0
"""Classes: __init__ (also specialised by the interpreter), properties, __call__, super, class and static methods, slots of C."""
from truth import note, seen, tell, trigger


class Base:
    def __init__(self, x):
        note(); trigger()
        self.x = x


class Derived(Base):
    def __init__(self, x):
        super().__init__(x)
        note(); trigger()

    def __call__(self, y):
        seen()
        note(); trigger()
        return self.value + y

    @property
    def value(self):
        seen()
        note(); trigger()
        return self.x

    @classmethod
    def made(cls):
        seen()
        note(); trigger()
        return cls(1)

    @staticmethod
    def fixed():
        seen()
        note(); trigger()

    def __add__(self, other):
        seen()
        note(); trigger()
        return self.x + other.x

    def __eq__(self, other):
        seen()
        note(); trigger()
        return True


def uses():
    seen()
    a, b = Derived(1), Base(2)
    a(3)
    Derived.made()
    Derived.fixed()
    a + b
    [a].index(Derived(4))
    note(); trigger()


note(); trigger()
for turn in range(30):
    uses()
tell()
