# SPDX-License-Identifier: Apache-2.0
"""A whole training step captured as a CUDA graph and replayed; make_graphed_callables."""
import torch
from tell import value

torch.manual_seed(1)
model = torch.nn.Sequential(torch.nn.Linear(64, 64), torch.nn.ReLU(), torch.nn.Linear(64, 64)).cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
x = torch.randn(32, 64, device="cuda")


def step():
    optimizer.zero_grad(set_to_none=True)
    loss = model(x).square().mean()
    loss.backward()
    optimizer.step()
    return loss


side = torch.cuda.Stream()
side.wait_stream(torch.cuda.current_stream())
with torch.cuda.stream(side):
    for _ in range(3):
        step()
torch.cuda.current_stream().wait_stream(side)
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    loss = step()
for _ in range(100):
    graph.replay()
print("replayed", value(loss), value(model[0].weight))
graphed = torch.cuda.make_graphed_callables(torch.nn.Linear(64, 64).cuda(), (torch.randn(32, 64, device="cuda", requires_grad=True),))
for _ in range(20):
    y = graphed(x)
    y.sum().backward()
print("graphed callable", value(y), value(graphed.weight.grad))
