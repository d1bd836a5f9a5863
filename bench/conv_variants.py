"""Variants of the field `conv`, trained in PyTorch for equal CPU time: which change to the network would pay?

    cvf train configs/dr-tiny.toml --data-only        # makes data/dr-tiny.h5; likewise sw, cfd, wave
    OMP_NUM_THREADS=1 python3 bench/conv_variants.py configs/*-tiny.toml --seconds 45 --seed 0 --variants base,norm

Data file, splits, down-sampling, batch and rate are those of each RUN.toml; the objective is sm (psi regressed on the
normalised secant), AdamW with a cosine to 2 % of the rate over the CPU seconds. The errors are those of one solver step
an interval over all validation samples on the training grid, in physical units: one_step starts from true frames,
rollout from frame 0. Columns ending in @N were taken after N steps, so they compare equal steps rather than equal
time (at a rate that has not yet fallen; no value: N was not reached). Needs python3-torch, python3-numpy, python3-h5py.
"""
import argparse
import math
import time
import tomllib

import h5py
import torch
from torch import nn
from torch.nn import functional as F


class Pad(nn.Module):
    """What lies beyond the grid, as the file says: periodic wraps, every other boundary of these sets repeats the edge."""

    def __init__(self, boundary):
        super().__init__()
        if boundary not in ("periodic", "zero_flux", "outflow", "unknown"):
            raise SystemExit(f"boundary '{boundary}' is not made here: periodic, zero_flux, outflow or unknown would do")
        self.mode = "circular" if boundary == "periodic" else "replicate"

    def forward(self, x, reach):
        return F.pad(x, (reach,) * 4, mode=self.mode)


class Convolution(nn.Conv2d):
    def __init__(self, inputs, outputs, pad, kernel=3, dilation=1, zero=False):
        super().__init__(inputs, outputs, kernel, dilation=dilation)
        self.pad, self.reach = pad, dilation * (kernel // 2)
        nn.init.zeros_(self.bias)
        nn.init.zeros_(self.weight) if zero else nn.init.xavier_uniform_(self.weight)

    def forward(self, x):
        return super().forward(self.pad(x, self.reach))


class StepEmbedding(nn.Module):
    def __init__(self, width, dt_ref):
        super().__init__()
        self.dt_ref = dt_ref
        self.register_buffer("frequency", torch.exp(-math.log(100) * torch.arange(64) / 64))
        self.first, self.second = nn.Linear(128, width), nn.Linear(width, width)

    def forward(self, dt):
        angle = (dt / self.dt_ref)[:, None] * self.frequency
        return F.silu(self.second(F.silu(self.first(torch.cat([angle.cos(), angle.sin()], 1)))))


class Spectral(nn.Module):
    """Products with learned complex matrices for the lowest wave numbers."""

    def __init__(self, width, modes):
        super().__init__()
        self.modes = modes
        self.weight = nn.Parameter(torch.randn(2, width, width, modes, modes, 2) / width)

    def forward(self, x):
        m, waves = self.modes, torch.fft.rfft2(x, norm="ortho")
        weight, out = torch.view_as_complex(self.weight), torch.zeros_like(waves)
        out[:, :, :m, :m] = torch.einsum("bixy,ioxy->boxy", waves[:, :, :m, :m], weight[0])
        out[:, :, -m:, :m] = torch.einsum("bixy,ioxy->boxy", waves[:, :, -m:, :m], weight[1])
        return torch.fft.irfft2(out, s=x.shape[-2:], norm="ortho")


class Block(nn.Module):
    def __init__(self, width, embedding, pad, dilation, o):
        super().__init__()
        self.norm = {"group": lambda: nn.GroupNorm(4, width), "rms": lambda: ChannelRms(width)}.get(
            o.get("norm"), nn.Identity)()
        self.spatial = Convolution(width, width, pad, o.get("kernel", 3), dilation)
        self.spectral = Spectral(width, o["modes"]) if "modes" in o else None
        self.mix, self.modulate = Convolution(width, width, pad, 1), nn.Linear(embedding, 3 * width)
        self.act = activation(o)
        nn.init.zeros_(self.modulate.weight)
        nn.init.zeros_(self.modulate.bias)

    def forward(self, x, c):
        shift, scale, gate = (v[:, :, None, None] for v in self.modulate(c).chunk(3, 1))
        n = self.norm(x)
        h = self.spatial(n)
        if self.spectral is not None:
            h = h + self.spectral(n)
        return x + (1 + gate) * self.mix(self.act(h * (1 + scale) + shift))


class ChannelRms(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width, 1, 1))

    def forward(self, x):
        return x * (x.square().mean(1, keepdim=True) + 1e-6).rsqrt() * self.weight


def activation(o):
    return F.silu if o.get("silu") else lambda x: F.gelu(x, approximate="tanh")


class Field(nn.Module):
    def __init__(self, channels, dt_ref, pad, o):
        super().__init__()
        w, self.act = o.get("width", 32), activation(o)
        e = max(64, w)
        self.step, self.lift = StepEmbedding(e, dt_ref), Convolution(channels, w, pad)
        self.output = Convolution(w, channels, pad, zero=True)
        blocks = lambda width, dilations: nn.ModuleList(Block(width, e, pad, d, o) for d in dilations)
        self.blocks = blocks(w, o.get("dilations", (1, 2, 4)))
        if below := o.get("below"):  # a level of half the grid and twice the width between two of the blocks
            self.down, self.up = nn.Conv2d(w, 2 * w, 2, stride=2), nn.ConvTranspose2d(2 * w, w, 2, stride=2)
            self.lower = blocks(2 * w, below)

    def forward(self, s, dt):
        x, c = self.lift(s), self.step(dt)
        for i, block in enumerate(self.blocks):
            x = block(x, c)
            if i == 0 and hasattr(self, "lower"):
                y = self.down(x)
                for lower in self.lower:
                    y = lower(y, c)
                x = x + self.up(y)
        return self.output(self.act(x))


# Widths are such that a step costs about as much arithmetic as the base's.
VARIANTS = {
    "base": {},
    "norm": {"norm": "rms"},
    "groupnorm": {"norm": "group"},
    "kernel5": {"kernel": 5, "dilations": (1, 2), "width": 24},
    "unet": {"dilations": (1, 1), "below": (1, 2), "width": 28},
    "fno": {"modes": 4, "width": 24},
    "dilation8": {"dilations": (1, 2, 4, 8), "width": 28},
    "depth2": {"dilations": (1, 2, 4) * 2, "width": 23},
    "silu": {"silu": True},
}


def read(run, which, every):
    """Every so many frames of a split, [sample, frame, channel, y, x], their times, and the boundary of the file."""
    with h5py.File(run["data"]["file"]) as file:
        begin, end = map(int, run["split"][which].split(":"))
        arrays = (torch.from_numpy(file[f"{i:04d}/data"][::every]) for i in range(begin, end))
        times = torch.from_numpy(file["0000/grid/t"][::every]).float()  # all samples of these sets share them
        text = file.attrs["boundary"]
        boundary = text.decode() if isinstance(text, bytes) else text
        return torch.stack(list(arrays)).permute(0, 1, 4, 2, 3).contiguous(), times, boundary


class Data:
    """Normalised states on the training grid: for training and validation, [sample, frame, channel, y, x]."""

    def __init__(self, run):
        every = run["downsampling"]["factor"]
        self.train, times, self.boundary = read(run, "train", every)
        self.validation, _, _ = read(run, "validation", every)
        self.dt = times.diff()
        moments = lambda x: (x.mean((0, 1, 3, 4)).view(-1, 1, 1), x.var((0, 1, 3, 4)).view(-1, 1, 1))
        self.mean, variance = moments(self.train)
        self.scale = (variance + 1e-8).sqrt()
        self.train, self.validation = (self.train - self.mean) / self.scale, (self.validation - self.mean) / self.scale
        self.velocity = self.train.diff(dim=1) / self.dt.view(-1, 1, 1, 1)
        self.drift, variance = moments(self.velocity)
        self.spread = (variance + 1e-12).sqrt()
        self.velocity = (self.velocity - self.drift) / self.spread

    def advance(self, field, s, k):
        dt = self.dt[k].expand(len(s))
        return s + self.dt[k] * (self.spread * field(s, dt) + self.drift)

    @torch.no_grad()
    def errors(self, field):
        true, frames = self.validation, len(self.dt)
        reached, step, rollout = true[:, 0], [], []
        for k in range(frames):
            reached = self.advance(field, reached, k)
            step.append(self.advance(field, true[:, k], k) - true[:, k + 1])
            rollout.append(reached - true[:, k + 1])
        rmse = lambda parts: (torch.stack(parts) * self.scale).square().mean().sqrt().item()
        return rmse(step), rmse(rollout)


def adamw(field, rate):
    groups = [{"params": [p for p in field.parameters() if p.dim() > 1], "weight_decay": 0.01},
              {"params": [p for p in field.parameters() if p.dim() <= 1], "weight_decay": 0}]
    return torch.optim.AdamW(groups, lr=rate, betas=(0.9, 0.99))


def set_rate(optimizer, rate, share):
    """Warm-up over a twentieth of the time, then a cosine to 2 %."""
    for group in optimizer.param_groups:
        group["lr"] = rate * min(share / 0.05, 0.51 + 0.49 * math.cos(math.pi * share))


def descend(optimizer, field, loss):
    optimizer.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(field.parameters(), 1.0)
    optimizer.step()


def train(data, run, options, seconds, seed, at):
    torch.manual_seed(seed)
    field = Field(data.train.shape[2], data.dt.mean().item(), Pad(data.boundary), options)
    rate, batch = run["optimizer"]["learning_rate"], run["loader"]["batch"]
    optimizer = adamw(field, rate)
    windows = torch.cartesian_prod(torch.arange(len(data.train)), torch.arange(len(data.dt)))
    used, steps, early = 0.0, 0, (math.nan, math.nan)
    while True:
        for chosen in torch.randperm(len(windows)).split(batch):
            start = time.process_time()
            if len(chosen) < batch:
                continue
            i, k = windows[chosen].T
            set_rate(optimizer, rate, used / seconds)
            loss = F.mse_loss(field(data.train[i, k], data.dt[k]), data.velocity[i, k])
            descend(optimizer, field, loss)
            steps += 1
            used += time.process_time() - start
            if steps == at:
                early = data.errors(field)
            if used >= seconds:
                return (sum(p.numel() for p in field.parameters()), steps, *data.errors(field), *early)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("runs", nargs="+", help="RUN.toml files; their data files must exist")
    parser.add_argument("--variants", default=",".join(VARIANTS), help="comma separated, of: " + ", ".join(VARIANTS))
    parser.add_argument("--seconds", type=float, default=45, help="CPU seconds of training for each")
    parser.add_argument("--at", type=int, default=500, help="also give the errors after this many steps")
    parser.add_argument("--seed", type=int, default=0)
    o = parser.parse_args()
    torch.set_num_threads(1)
    torch.manual_seed(0)
    print(f"torch {torch.__version__}, {o.seconds:g} CPU seconds, seed {o.seed}")
    print(f"| run | variant | parameters | steps | one_step | rollout | one_step@{o.at} | rollout@{o.at} |")
    print("|---|---|---|---|---|---|---|---|", flush=True)
    for path in o.runs:
        with open(path, "rb") as file:
            run = tomllib.load(file)
        data, name = Data(run), path.split("/")[-1].removesuffix(".toml")
        for variant in o.variants.split(","):
            parameters, steps, *errors = train(data, run, VARIANTS[variant], o.seconds, o.seed, o.at)
            row = " | ".join(f"{e:.4g}" for e in errors)
            print(f"| {name} | {variant} | {parameters} | {steps} | {row} |", flush=True)


if __name__ == "__main__":
    main()
