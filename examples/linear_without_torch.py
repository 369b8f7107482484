#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A small Linear layer on cudart and cuBLAS through ctypes: what there is to profile where PyTorch is not to be had.

    ovh-record --sim -- python3 linear_without_torch.py
"""
import argparse
import ctypes
import time
from ctypes import byref, c_float, c_int, c_size_t, c_void_p

NO_TRANSPOSE, TRANSPOSE = 0, 1
HOST_TO_DEVICE = 1


def library(name):
    """The CUDA 13 or CUDA 12 library of that name, whichever is here."""
    for version in (13, 12):
        try:
            return ctypes.CDLL("lib%s.so.%d" % (name, version))
        except OSError:
            continue
    raise SystemExit("no lib%s.so.13 nor .12: run it as `ovh-record --sim -- python3 %s`" % (name, __file__))


def check(status):
    if status:
        raise RuntimeError("CUDA answered %d" % status)


class Device:
    """The runtime calls that the layer needs."""

    def __init__(self):
        self.cudart, self.cublas = library("cudart"), library("cublas")
        self.handle = c_void_p()
        check(self.cublas.cublasCreate_v2(byref(self.handle)))

    def array(self, floats):
        pointer = c_void_p()
        check(self.cudart.cudaMalloc(byref(pointer), c_size_t(4 * floats)))
        return pointer

    def fill(self, pointer, values):
        host = (c_float * len(values))(*values)
        check(self.cudart.cudaMemcpy(pointer, host, c_size_t(ctypes.sizeof(host)), c_int(HOST_TO_DEVICE)))

    def current(self):
        number = c_int()
        check(self.cudart.cudaGetDevice(byref(number)))
        return number.value

    def synchronize(self):
        check(self.cudart.cudaDeviceSynchronize())


class Linear:
    """y = x W^T, all square of side `size`, in single precision."""

    def __init__(self, device, size):
        self.device, self.size = device, size
        self.weight, self.result = device.array(size * size), device.array(size * size)
        device.fill(self.weight, [1.0] * (size * size))
        self.one, self.zero = c_float(1), c_float(0)

    def __call__(self, x):
        return self.forward(x)

    def forward(self, x):
        self.device.current()
        n = c_int(self.size)
        check(self.device.cublas.cublasSgemm_v2(
            self.device.handle, c_int(TRANSPOSE), c_int(NO_TRANSPOSE), n, n, n, byref(self.one), self.weight, n, x, n,
            byref(self.zero), self.result, n))
        return self.result


def main():
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument("--size", type=int, default=256, help="side of the matrices (%(default)s)")
    p.add_argument("--calls", type=int, default=2000, help="forwards to time (%(default)s)")
    a = p.parse_args()
    device = Device()
    layer, x = Linear(device, a.size), device.array(a.size * a.size)
    for _ in range(100):
        layer(x)
    device.synchronize()
    begin = time.perf_counter()
    for _ in range(a.calls):
        layer(x)
    took = time.perf_counter() - begin
    device.synchronize()
    print("CPU time per call: %.2f µs" % (took / a.calls * 1e6))


if __name__ == "__main__":
    main()
