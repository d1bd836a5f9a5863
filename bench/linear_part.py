"""Does an exact linear part help? cvf with scaled spans, trained in PyTorch for equal CPU time with and without one.

    cvf train configs/dr-tiny.toml --data-only        # makes data/dr-tiny.h5; likewise sw, cfd, wave
    OMP_NUM_THREADS=1 python3 bench/linear_part.py configs/*-tiny.toml --seconds 60 --seed 0

The field with a linear part is an exponential integrator: with A diagonal in the eigenvectors of the grid's Laplacian,
    v(s, dt) = phi_1(A dt) (A s + n(s, dt)),   phi_1(z) = (e^z - 1) / z,
so that what A explains is exact for every dt, and the network n learns the rest. Two kinds of A, learned from zero:
    diagonal  a + b k^2 for each channel: decay and diffusion
    pair      the first two channels of each wave number turn into each other, s1' = w s2, s2' = -(c + d k^2) s1: waves
Everything else is that of conv_variants.py. Errors on all validation samples in physical units, one step a frame from
frame 0: on every source frame (off the training grid), and on the training grid.
"""
import argparse
import math
import time
import tomllib

import torch
from conv_variants import Data, Field, Pad, adamw, descend, read, set_rate
from torch import nn
from torch.nn import functional as F


def eigenvectors(cells, periodic):
    """Of the second difference on a line: orthonormal columns, and minus its eigenvalues as shares of the largest."""
    eye = torch.eye(cells, dtype=torch.float64)
    matrix = 2 * eye - eye.roll(1, 0) - eye.roll(-1, 0)
    if not periodic:  # the edge value goes on beyond the edge
        matrix[0, -1] = matrix[-1, 0] = 0
        matrix[0, 0] = matrix[-1, -1] = 1
    values, vectors = torch.linalg.eigh(matrix)
    return vectors.float(), (values / 4).float()


def phi_1(z):
    small = z.abs() < 1e-3
    safe = torch.where(small, torch.ones_like(z), z)
    return torch.where(small, 1 + z / 2, torch.expm1(safe) / safe)


class LinearPart(nn.Module):
    def __init__(self, kind, channels, ny, nx, periodic, dt_ref):
        super().__init__()
        self.kind, self.dt_ref = kind, dt_ref
        (uy, ky), (ux, kx) = eigenvectors(ny, periodic), eigenvectors(nx, periodic)
        self.register_buffer("uy", uy)
        self.register_buffer("ux", ux)
        self.register_buffer("k2", ky[:, None] + kx[None, :])
        self.at_rest, self.slope = (nn.Parameter(torch.zeros(channels, 1, 1)) for _ in range(2))

    def modes(self, x):
        return self.uy.T @ x @ self.ux

    def cells(self, x):
        return self.uy @ x @ self.ux.T

    def forward(self, s, rest, dt):
        """phi_1(A dt) (A s + rest)"""
        dt = dt.view(-1, 1, 1, 1)
        s, rest = self.modes(s), self.modes(rest)
        if self.kind == "diagonal":
            a = -(self.at_rest + self.slope * self.k2 * 8) / self.dt_ref
            return self.cells(phi_1((a * dt).clamp(max=2)) * (a * s + rest))
        # w and c + d k^2 stay positive, so that Omega is real; both begin near nothing.
        w = F.softplus(self.at_rest[0] - 3) / self.dt_ref
        c = (F.softplus(self.at_rest[1] - 3) + F.softplus(self.slope[1] - 3) * self.k2 * 8) / self.dt_ref
        x, y = w * s[:, 1:2] + rest[:, :1], -c * s[:, :1] + rest[:, 1:2]
        turn = (w * c).sqrt() * dt
        even, odd = torch.sinc(turn / math.pi), torch.sinc(turn / (2 * math.pi)).square() / 2 * dt
        turned = torch.cat([even * x + odd * w * y, even * y - odd * c * x], 1)
        return self.cells(torch.cat([turned, rest[:, 2:]], 1))


class WithLinearPart(nn.Module):
    """Asked and answering as every field: the normalised mean velocity."""

    def __init__(self, field, linear, data):
        super().__init__()
        self.field, self.linear, self.data = field, linear, data

    def forward(self, s, dt):
        rest = self.data.spread * self.field(s, dt) + self.data.drift
        return (self.linear(s, rest, dt) - self.data.drift) / self.data.spread


class SourceFrames(Data):
    """Also every source frame of the validation samples."""

    def __init__(self, run):
        super().__init__(run)
        frames, times, _ = read(run, "validation", 1)
        self.fine, self.fine_dt = (frames - self.mean) / self.scale, times.diff()

    @torch.no_grad()
    def rollout(self, field, true, dt):
        reached, errors = true[:, 0], []
        for k in range(len(dt)):
            step = dt[k].expand(len(reached))
            reached = reached + dt[k] * (self.spread * field(reached, step) + self.drift)
            errors.append(reached - true[:, k + 1])
        return (torch.stack(errors) * self.scale).square().mean().sqrt().item()


def cvf_loss(field, data, s, dt, target):
    span = torch.where(torch.rand(len(s)) < 0.5, torch.rand(len(s)), torch.ones(len(s))) * dt
    share = torch.rand(len(s))
    wide = lambda x: x.view(-1, 1, 1, 1)
    psi = field(torch.cat([s, s, s]), torch.cat([dt, share * span, span]))
    secant, first, straight = psi.chunk(3)
    middle = s + wide(share * span) * (data.spread * first + data.drift)
    second = field(middle, (1 - share) * span)
    rupture = wide(share) * first + wide(1 - share) * second - straight
    return F.mse_loss(secant, target) + rupture.square().mean()


def train(data, run, kind, seconds, seed):
    torch.manual_seed(seed)
    _, _, channels, ny, nx = data.train.shape
    dt_ref = data.dt.mean().item()
    field = Field(channels, dt_ref, Pad(data.boundary), {"silu": True})
    if kind != "none":
        field = WithLinearPart(field, LinearPart(kind, channels, ny, nx, data.boundary == "periodic", dt_ref), data)
    rate, batch = run["optimizer"]["learning_rate"], run["loader"]["batch"]
    optimizer = adamw(field, rate)
    windows = torch.cartesian_prod(torch.arange(len(data.train)), torch.arange(len(data.dt)))
    used, steps = 0.0, 0
    while used < seconds:
        start = time.process_time()
        i, k = windows[torch.randint(len(windows), (batch,))].T
        set_rate(optimizer, rate, used / seconds)
        loss = cvf_loss(field, data, data.train[i, k], data.dt[k], data.velocity[i, k])
        descend(optimizer, field, loss)
        steps += 1
        used += time.process_time() - start
    return steps, data.rollout(field, data.fine, data.fine_dt), data.rollout(field, data.validation, data.dt)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("runs", nargs="+", help="RUN.toml files; their data files must exist")
    parser.add_argument("--kinds", default="none,diagonal", help="comma separated, of: none, diagonal, pair")
    parser.add_argument("--seconds", type=float, default=60, help="CPU seconds of training for each")
    parser.add_argument("--rate", type=float, help="learning rate of AdamW; without it, that of the run file")
    parser.add_argument("--seed", type=int, default=0)
    o = parser.parse_args()
    torch.set_num_threads(1)
    print(f"torch {torch.__version__}, {o.seconds:g} CPU seconds, seed {o.seed}")
    print("| run | linear part | steps | off the training grid | on it |")
    print("|---|---|---|---|---|", flush=True)
    for path in o.runs:
        with open(path, "rb") as file:
            run = tomllib.load(file)
        if o.rate:
            run["optimizer"]["learning_rate"] = o.rate
        data, name = SourceFrames(run), path.split("/")[-1].removesuffix(".toml")
        for kind in o.kinds.split(","):
            steps, off, on = train(data, run, kind, o.seconds, o.seed)
            print(f"| {name} | {kind} | {steps} | {off:.4g} | {on:.4g} |", flush=True)


main()
