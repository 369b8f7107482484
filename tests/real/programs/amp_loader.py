# SPDX-License-Identifier: Apache-2.0
"""Training under autocast with GradScaler, fed by two DataLoader workers (fork) through pinned memory."""
import torch
from tell import value


class Numbers(torch.utils.data.Dataset):
    def __len__(self):
        return 96

    def __getitem__(self, i):
        return torch.full((32,), float(i % 7) / 7), i % 4


def main():
    torch.manual_seed(1)
    model = torch.nn.Sequential(torch.nn.Linear(32, 64), torch.nn.LayerNorm(64), torch.nn.GELU(), torch.nn.Linear(64, 4)).cuda()
    optimizer, scaler = torch.optim.AdamW(model.parameters(), lr=1e-3, foreach=True), torch.amp.GradScaler("cuda")
    loader = torch.utils.data.DataLoader(Numbers(), batch_size=8, num_workers=2, pin_memory=True)
    labels, steps = 0, 0
    for epoch in range(2):
        for x, y in loader:
            labels += int(y.sum())
            x, y = x.to("cuda", non_blocking=True), y.to("cuda", non_blocking=True)
            optimizer.zero_grad(set_to_none=True)
            with torch.autocast("cuda", dtype=torch.float16):
                loss = torch.nn.functional.mse_loss(model(x), x[:, :4])
            scaler.scale(loss).backward()
            scaler.unscale_(optimizer)
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            scaler.step(optimizer)
            scaler.update()
            steps += 1
    print("steps", steps, "labels", labels)
    print("loss", value(loss), "weights", *(value(p) for p in model.parameters()))


if __name__ == "__main__":
    main()
