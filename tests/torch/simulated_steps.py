# SPDX-License-Identifier: Apache-2.0
"""What PyTorch must be able to do on the simulated device, one part per name on the command line: prints "PART RESULT...", and ends
with a traceback where it cannot. Kernels compute nothing: what is checked is that calls succeed, and what the device promises about
copies, time and order."""
import sys

import torch

D = {"device": "cuda", "dtype": torch.bfloat16}


def linear():
    for bias in (False, True):
        m = torch.nn.Linear(256, 512, bias=bias, **D)
        x = torch.empty((128, 256), requires_grad=True, **D)
        for _ in range(3):
            y = m(x)
        y.sum().backward()
        assert y.shape == (128, 512) and x.grad.shape == x.shape and m.weight.grad.shape == m.weight.shape
        assert not bias or m.bias.grad.shape == (512,)
    torch.cuda.synchronize()
    return "forward and backward, without and with bias"


def encoder():
    layer = torch.nn.TransformerEncoderLayer(64, 4, dim_feedforward=128, batch_first=True, **D)
    optimizer = torch.optim.AdamW(layer.parameters(), lr=1e-3)
    x = torch.zeros((2, 16, 64), **D)
    for _ in range(3):
        optimizer.zero_grad()
        loss = layer(x).float().sum()
        loss.backward()
        optimizer.step()
    assert isinstance(loss.item(), float)
    return "training step with AdamW"


def events():
    stream, start, end = torch.cuda.current_stream(), torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    m, x = torch.nn.Linear(4096, 4096, bias=False, **D), torch.empty((4096, 4096), **D)
    m(x)
    torch.cuda.synchronize()
    start.record(stream)
    for _ in range(10):
        m(x)
    end.record(stream)
    assert not end.query()
    end.synchronize()
    assert end.query()
    # 2 x 4096^3 operations at 680 TFLOP/s are 202.1 us
    ms = start.elapsed_time(end)
    assert 2.0 < ms < 2.1, ms
    return "ten products took the time of their operations"


def copies():
    host = torch.arange(1 << 16, dtype=torch.int32).pin_memory()
    device = host.to("cuda", non_blocking=True)
    back = torch.empty_like(host, pin_memory=True)
    back.copy_(device, non_blocking=True)
    torch.cuda.synchronize()
    assert host.is_pinned() and torch.equal(back, host)
    assert device[5].item() == 5
    assert torch.equal(device.cpu(), host)
    return "pinned both ways, item, pageable"


def streams():
    m, x, side = torch.nn.Linear(2048, 2048, **D), torch.empty((2048, 2048), **D), torch.cuda.Stream(priority=-1)
    torch.cuda.synchronize()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        for _ in range(50):
            m(x)
    main_idle, side_busy = torch.cuda.current_stream().query(), not side.query()
    torch.cuda.current_stream().wait_stream(side)
    torch.cuda.current_stream().synchronize()
    assert main_idle and side_busy and side.query()
    return "a second stream runs beside the first, and is waited for"


def graphs():
    m, x = torch.nn.Linear(2048, 2048, bias=False, **D), torch.zeros((2048, 2048), **D)
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        m(x)
    torch.cuda.current_stream().wait_stream(side)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        assert torch.cuda.is_current_stream_capturing()
        for _ in range(20):
            y = m(x)
    assert not torch.cuda.is_current_stream_capturing()
    torch.cuda.synchronize()
    begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    begin.record()
    graph.replay()
    end.record()
    torch.cuda.synchronize()
    us = begin.elapsed_time(end) * 1e3
    assert 500 < us < 600, us  # 20 x 25.3 us
    return "captured and replayed"


def memory():
    free, total = torch.cuda.mem_get_info()
    block = torch.empty(1 << 30, dtype=torch.uint8, device="cuda")
    assert torch.cuda.mem_get_info()[0] <= free - (1 << 30) and torch.cuda.mem_get_info()[1] == total
    try:
        torch.empty(total + 1, dtype=torch.uint8, device="cuda")
        raise AssertionError("more memory than there is")
    except torch.cuda.OutOfMemoryError:
        pass
    assert int(block[12345].item()) == 0
    return "sizes add up, and end"


def name():
    assert "simulated" in torch.cuda.get_device_name()
    return torch.cuda.get_device_name()


if __name__ == "__main__":
    for part in sys.argv[1:]:
        print(part, globals()[part](), flush=True)
