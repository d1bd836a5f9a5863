"""The SiT network as one would write it in plain PyTorch, to compare the fused field with.

Usage: torch_sit.py SIDE PATCH WIDTH DEPTH HEADS BATCH. Torch keeps its own default settings. Prints the number of
parameters, then answers each line "infer N" or "train N" with the seconds that N calls took.
"""
import math
import sys
import time

import torch
from torch import nn
from torch.nn import functional as F


class Attention(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(width, 3 * width)
        self.project = nn.Linear(width, width)

    def forward(self, x):
        b, n, d = x.shape
        q, k, v = self.qkv(x).view(b, n, 3, self.heads, d // self.heads).permute(2, 0, 3, 1, 4)
        if hasattr(F, "scaled_dot_product_attention"):
            out = F.scaled_dot_product_attention(q, k, v)
        else:
            scores = (q @ k.transpose(-2, -1)) / math.sqrt(d // self.heads)
            out = scores.softmax(-1) @ v
        return self.project(out.transpose(1, 2).reshape(b, n, d))


class Block(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.norm1 = nn.LayerNorm(width, elementwise_affine=False, eps=1e-6)
        self.norm2 = nn.LayerNorm(width, elementwise_affine=False, eps=1e-6)
        self.attention = Attention(width, heads)
        self.mlp = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(approximate="tanh"), nn.Linear(4 * width, width))
        self.modulate = nn.Linear(width, 6 * width)

    def forward(self, x, c):
        shift1, scale1, gate1, shift2, scale2, gate2 = self.modulate(c).unsqueeze(1).chunk(6, -1)
        x = x + gate1 * self.attention(self.norm1(x) * (1 + scale1) + shift1)
        return x + gate2 * self.mlp(self.norm2(x) * (1 + scale2) + shift2)


class Sit(nn.Module):
    def __init__(self, side, patch, width, depth, heads, channels=2):
        super().__init__()
        self.patch, self.tokens_per_side = patch, side // patch
        values = channels * patch * patch
        self.enter = nn.Linear(values, width)
        self.step = nn.Sequential(nn.Linear(128, width), nn.SiLU(), nn.Linear(width, width), nn.SiLU())
        self.blocks = nn.ModuleList(Block(width, heads) for _ in range(depth))
        self.norm = nn.LayerNorm(width, elementwise_affine=False, eps=1e-6)
        self.modulate = nn.Linear(width, 2 * width)
        self.leave = nn.Linear(width, values)
        self.register_buffer("positions", torch.randn(self.tokens_per_side**2, width))
        self.register_buffer("frequencies", torch.exp(-math.log(100.0) * torch.arange(64) / 64))

    def forward(self, state, tau):
        b, c, h, w = state.shape
        p, t = self.patch, self.tokens_per_side
        tokens = state.view(b, c, t, p, t, p).permute(0, 2, 4, 1, 3, 5).reshape(b, t * t, c * p * p)
        angles = tau[:, None] * self.frequencies
        condition = self.step(torch.cat([angles.cos(), angles.sin()], 1))
        x = self.enter(tokens) + self.positions
        for block in self.blocks:
            x = block(x, condition)
        shift, scale = self.modulate(condition).unsqueeze(1).chunk(2, -1)
        out = self.leave(self.norm(x) * (1 + scale) + shift)
        return out.view(b, t, t, c, p, p).permute(0, 3, 1, 4, 2, 5).reshape(b, c, h, w)


def main():
    side, patch, width, depth, heads, batch = map(int, sys.argv[1:7])
    torch.manual_seed(1)
    model = Sit(side, patch, width, depth, heads)
    optimiser = torch.optim.AdamW(model.parameters(), lr=1e-4, betas=(0.9, 0.99))
    state, target, tau = torch.randn(batch, 2, side, side), torch.randn(batch, 2, side, side), torch.ones(batch)

    def infer():
        with torch.no_grad():
            model(state, tau)

    def train():
        leaf = state.clone().requires_grad_()
        optimiser.zero_grad()
        (model(leaf, tau) - target).square().mean().backward()
        optimiser.step()

    print(sum(p.numel() for p in model.parameters()), flush=True)
    for line in sys.stdin:
        what, count = line.split()
        start = time.perf_counter()
        for _ in range(int(count)):
            {"infer": infer, "train": train}[what]()
        print(time.perf_counter() - start, flush=True)


main()
