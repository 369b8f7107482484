# SPDX-License-Identifier: Apache-2.0
"""What libovh.so knows torch's nn.Module by: the file's place, the class, who is called with what. Attributes are kept as torch keeps them:
__init__ goes past __setattr__, which reads __dict__; children that are added go past both."""


class Module:
    def __init__(self):
        super().__setattr__("training", True)
        super().__setattr__("_parameters", {})
        super().__setattr__("_modules", {})

    def _call_impl(self, *args, **kwargs):
        return self.forward(*args, **kwargs)

    def _wrapped_call_impl(self, *args, **kwargs):
        return self._call_impl(*args, **kwargs)

    __call__ = _wrapped_call_impl

    def __setattr__(self, name, value):
        if isinstance(value, Module):
            self.__dict__["_modules"][name] = value
        else:
            object.__setattr__(self, name, value)

    def __getattr__(self, name):
        modules = self.__dict__.get("_modules", {})
        if name in modules:
            return modules[name]
        raise AttributeError(name)

    def add_module(self, name, module):
        self._modules[name] = module

    def named_modules(self, prefix="", seen=None):
        seen = set() if seen is None else seen
        if id(self) not in seen:
            seen.add(id(self))
            yield prefix, self
            for name, module in self._modules.items():
                if module is not None:
                    yield from module.named_modules(prefix + ("." if prefix else "") + name, seen)
