"""Makes sit.npz, conv.npz and conv_gelu.npz: a small field, its losses, gradients, ten AdamW steps and a dopri5 solution, from PyTorch in
float64.

An implementation of its own, written from the equations and sharing no code with cvf, so that the tests of fields,
objectives and solvers have something independent to agree with. Needs python3-torch and python3-numpy; the tests need
only the file.

    python3 tests/golden/make_golden.py tests/golden/sit.npz
    python3 tests/golden/make_golden.py tests/golden/conv.npz conv       # SiLU
    python3 tests/golden/make_golden.py tests/golden/conv_gelu.npz conv_gelu
"""
import math
import sys

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

torch.set_default_dtype(torch.float64)
SIDE, PATCH, CHANNELS, WIDTH, DEPTH, HEADS, DT_REF, BATCH = 16, 4, 2, 16, 2, 4, 0.1, 3


class StepEmbedding(nn.Module):
    def __init__(self, width=WIDTH):
        super().__init__()
        self.register_buffer("f", torch.exp(-math.log(100) * torch.arange(64) / 64))
        self.mlp = nn.Sequential(nn.Linear(128, width), nn.SiLU(), nn.Linear(width, width))

    def forward(self, dt):
        angle = (dt / DT_REF)[:, None] * self.f
        return F.silu(self.mlp(torch.cat([angle.cos(), angle.sin()], 1)))


def norm(x, shift, scale):
    return F.layer_norm(x, (WIDTH,), eps=1e-6) * (1 + scale[:, None]) + shift[:, None]


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.qkv, self.o = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
        self.f1, self.f2 = nn.Linear(WIDTH, 4 * WIDTH), nn.Linear(4 * WIDTH, WIDTH)
        self.ada = nn.Linear(WIDTH, 6 * WIDTH)

    def forward(self, x, c):
        b, n, _ = x.shape
        shift1, scale1, gate1, shift2, scale2, gate2 = self.ada(c).chunk(6, 1)
        qkv = self.qkv(norm(x, shift1, scale1)).view(b, n, 3, HEADS, WIDTH // HEADS).permute(2, 0, 3, 1, 4)
        weights = (qkv[0] @ qkv[1].transpose(-1, -2) * (WIDTH // HEADS) ** -0.5).softmax(-1)
        x = x + gate1[:, None] * self.o((weights @ qkv[2]).transpose(1, 2).reshape(b, n, WIDTH))
        hidden = F.gelu(self.f1(norm(x, shift2, scale2)), approximate="tanh")
        return x + gate2[:, None] * self.f2(hidden)


def positions(rows, columns):
    quarter = WIDTH // 4
    w = 10000.0 ** (-torch.arange(quarter) / quarter)
    half = lambda place: torch.cat([(place[:, None] * w).sin(), (place[:, None] * w).cos()], 1)
    row = torch.arange(rows).repeat_interleave(columns).double()
    column = torch.arange(columns).repeat(rows).double()
    return torch.cat([half(row), half(column)], 1)[None]


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("pos", positions(SIDE // PATCH, SIDE // PATCH))
        self.inp, self.te = nn.Linear(CHANNELS * PATCH**2, WIDTH), StepEmbedding()
        self.bl = nn.ModuleList(Block() for _ in range(DEPTH))
        self.ada, self.out = nn.Linear(WIDTH, 2 * WIDTH), nn.Linear(WIDTH, CHANNELS * PATCH**2)

    def forward(self, s, dt):
        b, n = s.shape[0], SIDE // PATCH
        tokens = s.view(b, CHANNELS, n, PATCH, n, PATCH).permute(0, 2, 4, 1, 3, 5).reshape(b, n * n, -1)
        x, c = self.inp(tokens) + self.pos, self.te(dt)
        for block in self.bl:
            x = block(x, c)
        shift, scale = self.ada(c).chunk(2, 1)
        y = self.out(norm(x, shift, scale)).view(b, n, n, CHANNELS, PATCH, PATCH)
        return y.permute(0, 3, 1, 4, 2, 5).reshape(b, CHANNELS, SIDE, SIDE)


class ConvNet(nn.Module):
    """Residual dilated convolutions on a grid with a wall below, an open side above, and periodic along x."""
    WIDTH, DILATIONS, EMBEDDING = 6, (1, 2, 3), 64

    def __init__(self, activation):
        super().__init__()
        self.activation = activation
        w, e = self.WIDTH, self.EMBEDDING
        self.lift, self.output = nn.Conv2d(CHANNELS, w, 3), nn.Conv2d(w, CHANNELS, 3)
        self.step = StepEmbedding(e)
        self.blocks = nn.ModuleList(
            nn.ModuleDict({"spatial": nn.Conv2d(w, w, 3, dilation=d), "mix": nn.Linear(w, w),
                           "modulate": nn.Linear(e, 3 * w)}) for d in self.DILATIONS)

    @staticmethod
    def padded(x, d):
        x = torch.cat([x[:, :, :d].flip(2), x, x[:, :, -1:].expand(-1, -1, d, -1)], 2)
        return torch.cat([x[..., -d:], x, x[..., :d]], 3)

    def forward(self, s, dt):
        x, c = self.lift(self.padded(s, 1)), self.step(dt)
        for block, d in zip(self.blocks, self.DILATIONS):
            shift, scale, gate = (v[:, :, None, None] for v in block["modulate"](c).chunk(3, 1))
            h = self.activation(block["spatial"](self.padded(x, d)) * (1 + scale) + shift)
            x = x + (1 + gate) * block["mix"](h.permute(0, 2, 3, 1)).permute(0, 3, 1, 2)
        return self.output(self.padded(self.activation(x), 1))


class Model(nn.Module):
    def __init__(self, net):
        super().__init__()
        column = lambda values: torch.tensor(values).view(1, CHANNELS, 1, 1)
        self.register_buffer("ms", column([0.1, -0.2]))
        self.register_buffer("vs", column([0.8, 1.3]))
        self.register_buffer("mv", column([0.3, -0.1]))
        self.register_buffer("vv", column([2.0, 0.7]))
        self.net = net
        for p in self.parameters():  # nothing zero, so that every gradient is put to the test
            nn.init.normal_(p, std=0.15)

    sigma_s = property(lambda self: (self.vs + 1e-8).sqrt())
    sigma_v = property(lambda self: (self.vv + 1e-12).sqrt())
    state = lambda self, s: (s - self.ms) / self.sigma_s
    den = lambda self, psi: self.sigma_v * psi + self.mv
    target = lambda self, v: (v / self.sigma_s - self.mv) / self.sigma_v  # v physical


wide = lambda t: t.view(-1, 1, 1, 1)
mean_square = lambda t: t.square().mean()


def rupture(m, s, dt, r):
    first = m.net(s, r * dt)
    second = m.net(s + wide(r * dt) * m.den(first), (1 - r) * dt)
    return wide(r) * first + wide(1 - r) * second - m.net(s, dt)


def losses(m, b):
    s0, s1, s2, dt, r = m.state(b["s0"]), m.state(b["s1"]), m.state(b["s2"]), b["dt"], b["r"]
    target = m.target((b["s1"] - b["s0"]) / wide(dt))
    zero = torch.zeros(())

    def cvf():
        parts = mean_square(m.net(s0, dt) - target), mean_square(rupture(m, s0, dt, r))
        return sum(parts), *parts

    def cvfbi():
        back = wide(r) * m.net(s0, r * dt) + wide(1 - r) * m.net(s1, -(1 - r) * dt) - m.net(s0, dt)
        parts = mean_square(m.net(s0, dt) - target), mean_square(back)
        return sum(parts), *parts

    def alone(value):
        return value, value, zero

    def sm():
        return alone(mean_square(m.net(s0, dt) - target))

    def tm():
        return alone(mean_square(m.net(m.state(b["sx"]), dt) - m.target(b["vx"])))

    def cfm():
        return alone(mean_square(m.net((1 - wide(r)) * s0 + wide(r) * s1, dt) - target))

    def node():
        slope, h, x = lambda x: m.den(m.net(x, dt)), wide(dt) / 2, s0
        for _ in range(2):
            k1 = slope(x)
            k2 = slope(x + h / 2 * k1)
            k3 = slope(x + h / 2 * k2)
            x = x + h / 6 * (k1 + 2 * k2 + 2 * k3 + slope(x + h * k3))
        return alone(mean_square(((x - s0) / wide(dt) - m.mv) / m.sigma_v - target))

    def pf():
        with torch.no_grad():
            reached = s0 + wide(dt) * m.den(m.net(s0, dt))
        last = ((s2 - reached) / wide(dt) - m.mv) / m.sigma_v
        return alone((mean_square(m.net(s0, dt) - target) + mean_square(m.net(reached, dt) - last)) / 2)

    return {f.__name__: f for f in (cvf, cvfbi, sm, node, tm, cfm, pf)}


def ten_steps(m, b):
    matrices = [p for p in m.parameters() if p.dim() > 1]
    vectors = [p for p in m.parameters() if p.dim() <= 1]
    groups = [{"params": matrices, "weight_decay": 0.01}, {"params": vectors, "weight_decay": 0.0}]
    optimizer, rows = torch.optim.AdamW(groups, lr=1e-3, betas=(0.9, 0.99), eps=1e-8), []
    for _ in range(10):
        optimizer.zero_grad()
        loss = losses(m, b)["cvf"]()[0]
        loss.backward()
        rows.append([loss.item(), nn.utils.clip_grad_norm_(m.parameters(), 1.0).item()])
        optimizer.step()
    return np.array(rows)


# Dormand and Prince 5(4) with one step for the whole batch, as torchdiffeq has it; weights from the literature.
STAGES = [[1 / 5], [3 / 40, 9 / 40], [44 / 45, -56 / 15, 32 / 9],
          [19372 / 6561, -25360 / 2187, 64448 / 6561, -212 / 729],
          [9017 / 3168, -355 / 33, 46732 / 5247, 49 / 176, -5103 / 18656],
          [35 / 384, 0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84]]
FOURTH = [1951 / 21600, 0, 22642 / 50085, 451 / 720, -12231 / 42400, 649 / 6300, 1 / 60]
MIDDLE = [6025192743 / 30085553152, 0, 51252292925 / 65400821598, -2691868925 / 45128329728,
          187940372067 / 1594534317056, -1776094331 / 19743644256, 11237099 / 235043384]


def dopri5(slope, start, times, atol=1e-4, rtol=1e-3):
    """The states at `times` from time 0 on, and the evaluations that had been made when each was reached."""
    count = 0

    def evaluate(y):
        nonlocal count
        count += 1
        return slope(y)

    rms = lambda x: x.square().mean().sqrt().item()
    weigh = lambda weights, ks: sum(w * k for w, k in zip(weights, ks))
    y, t = start, 0.0
    f = evaluate(y)
    size = atol + rtol * y.abs()
    d0, d1 = rms(y / size), rms(f / size)
    h0 = 1e-6 if d0 < 1e-5 or d1 < 1e-5 else 0.01 * d0 / d1
    d2 = rms((evaluate(y + h0 * f) - f) / size) / h0
    h1 = max(1e-6, 1e-3 * h0) if max(d1, d2) <= 1e-15 else (0.01 / max(d1, d2)) ** 0.2
    h, states, counts = min(100 * h0, h1), [], []
    before = None
    for wanted in times:
        while wanted > t:
            ks = [f]
            for row in STAGES:
                end = y + h * weigh(row, ks)
                ks.append(evaluate(end))
            error = h * (weigh(STAGES[-1], ks) - weigh(FOURTH, ks))
            ratio = rms(error / (atol + rtol * torch.maximum(y.abs(), end.abs())))
            taken = h
            h *= 10.0 if ratio == 0 else min(10.0, max(0.9 / ratio**0.2, 1.0 if ratio < 1 else 0.2))
            if ratio <= 1:
                before, t, y, f = (t, taken, y, end, ks), t + taken, end, ks[-1]
        t0, step, y0, y1, ks = before
        middle, x, f0, f1 = y0 + step / 2 * weigh(MIDDLE, ks), (wanted - t0) / (t - t0), ks[0], ks[-1]
        # The quartic that fits both ends, both slopes and the middle, by solving for its coefficients.
        conditions = torch.tensor([[1.0, 0, 0, 0, 0], [1.0] * 5, [0.5**i for i in range(5)],
                                   [0, 1.0, 0, 0, 0], [float(i) for i in range(5)]])
        values = torch.stack([y0, y1, middle, step * f0, step * f1]).flatten(1)
        powers = torch.tensor([x**i for i in range(5)])
        states.append((powers @ torch.linalg.solve(conditions, values)).view_as(y))
        counts.append(count)
    return torch.stack(states), np.array(counts, dtype=float)


def main(path, kind="sit"):
    torch.manual_seed(7)
    activation = F.silu if kind == "conv" else lambda x: F.gelu(x, approximate="tanh")
    m = Model(ConvNet(activation) if kind != "sit" else Net())
    grid = (7, 9) if kind != "sit" else (SIDE, SIDE)
    field = lambda: torch.randn(BATCH, CHANNELS, *grid)
    b = {"s0": field(), "dt": torch.tensor([0.1, 0.07, 0.16]), "r": torch.tensor([0.3, 0.55, 0.81])}
    b["s1"] = b["s0"] + 0.1 * field()
    b["s2"] = b["s1"] + 0.1 * field()
    b["sx"], b["vx"] = field(), 2 * field()
    # The weights are copied now: the ten steps below change them in place.
    out = {"w." + k: v.clone().numpy() for k, v in m.state_dict().items()}
    out.update({"b." + k: v.numpy() for k, v in b.items()})
    dts = torch.tensor([0.0, 0.05, 0.2])
    with torch.no_grad():
        s = m.state(b["s0"])
        raw = m.net(s, dts)
        size = lambda t: t.flatten(1).norm(dim=1)
        error = size(m.sigma_v * rupture(m, s, dts, torch.full((BATCH,), 0.5)))
        out.update(dts=dts.numpy(), raw=raw.numpy(), vel=(m.sigma_s * m.den(raw)).numpy(),
                   nre=(error / (size(m.den(raw)) + 1e-8)).numpy())
        at_rest = torch.zeros(BATCH)
        states, out["dp_nfe"] = dopri5(lambda x: m.den(m.net(x, at_rest)), s, [0.05, 1.0, 2.0])
        out["dp_x"] = states.numpy()  # normalised states [3,B,...]
    for name, loss in losses(m, b).items():
        m.zero_grad()
        values = loss()
        values[0].backward()
        out["loss." + name] = np.array([v.item() for v in values])
        out.update({f"g.{name}.{k}": p.grad.clone().numpy() for k, p in m.named_parameters()})
    out["adamw10"] = ten_steps(m, b)
    np.savez_compressed(path, **out)


main(*sys.argv[1:])
