# SPDX-License-Identifier: Apache-2.0
"""What a CI job measures: forward passes of one torch.nn.Linear, and nothing that a GPU would be needed for.

    ovh-record --sim --detail 2 -o change1.bin -- python3 linear_overhead.py

--waste N makes the Python path slower by N turns of an empty loop per call: to see that a gate catches it.
"""
import argparse
import time

import torch


class Wasteful(torch.nn.Linear):
    turns = 0

    def forward(self, x):
        for _ in range(self.turns):
            pass
        return super().forward(x)


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--bursts", type=int, default=48, help="of calls, with a pause between: neighbours come and go meanwhile")
    options.add_argument("--calls", type=int, default=125, help="in a burst")
    options.add_argument("--waste", type=int, default=0, metavar="N", help="turns of an empty loop in every call")
    options = options.parse_args()
    model = Wasteful(256, 256, bias=False, device="cuda", dtype=torch.bfloat16)
    model.turns = options.waste
    x = torch.randn(64, 256, device="cuda", dtype=torch.bfloat16)
    with torch.no_grad():
        for i in range(options.bursts * options.calls):
            model(x)
            if i % options.calls == options.calls - 1:
                torch.cuda.synchronize()
                time.sleep(0.03)


if __name__ == "__main__":
    main()
