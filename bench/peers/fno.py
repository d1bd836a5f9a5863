"""Error after equal CPU seconds on one thread: cvf (conv, recipe plus) against neuraloperator's FNO, same file and splits.

Both see one frame in eight of the training samples and forecast the test samples from frame 0. The FNO is given what makes
the comparison a fair one: it predicts the normalised mean velocity over a step, as cvf does; dt comes as one more input
channel; its rows are pairs of kept frames 1, 2 or 4 apart, so that it sees steps of several lengths; AdamW with a cosine over
the CPU seconds. Errors are RMSEs over samples, elements and frames, in physical units:

  on the grid   the kept frames, in steps of one interval
  off the grid  all others: whole intervals, then one step of what is left (`asked`), or, as one would with an operator of
                fixed step, a straight line between the forecasts of the kept frames (`between`); cvf also by its solver
"""
import os
import subprocess
import time
import tomllib

import numpy as np
import torch
from neuralop.models import FNO

import cvf
import turns

PEERS = ("torch", "neuraloperator")
SETS = {"dr-tiny": 8, "sw-tiny": 12}  # Fourier modes that are kept along an axis
STRIDES = (1, 2, 4)


class Data:
    """The frames of a run file, [samples, frames, C, y, x], and what its splits and down-sampling say of them."""

    def __init__(self, name, out):
        with open(f"configs/{name}.toml", "rb") as file:
            run = tomllib.load(file)
        self.file, self.every = out / f"{name}.h5", run["downsampling"]["factor"]
        subprocess.run([os.environ["CVF_PROGRAM"], "train", f"configs/{name}.toml", "--set", f"data.file={self.file}",
                        "--data-only", "--quiet", "--out", str(out / f"{name}-data")], check=True, stdout=subprocess.DEVNULL)
        self.kept = self.frames(run["split"]["train"])[:, ::self.every]
        self.test = self.frames(run["split"]["test"])
        times = cvf.open(self.file, samples="0:1").times[0]
        self.times = times - times[0]
        self.interval = float(times[self.every] - times[0])

    def frames(self, samples):
        return np.ascontiguousarray(np.moveaxis(cvf.open(self.file, samples=samples).states, -1, 2)).astype(np.float32)


class Operator:
    """The FNO as a velocity field of normalised states."""

    def __init__(self, data, modes, seed=0):
        torch.manual_seed(seed)
        self.frames, self.interval = torch.from_numpy(data.kept), data.interval
        channels = self.frames.shape[2]
        self.net = FNO(n_modes=(modes, modes), in_channels=channels + 1, out_channels=channels, hidden_channels=32, n_layers=4)
        per_channel = lambda values: values.view(1, -1, 1, 1)  # noqa: E731
        over = (0, 1, 3, 4)
        self.mean, self.sigma = per_channel(self.frames.mean(over)), per_channel(self.frames.std(over))
        secants = (self.frames[:, 1:] - self.frames[:, :-1]) / self.interval / self.sigma
        self.velocity_mean, self.velocity_sigma = per_channel(secants.mean(over)), per_channel(secants.std(over))

    def psi(self, state, dt):
        tau = (dt / self.interval).view(-1, 1, 1, 1).expand(-1, 1, *state.shape[2:])
        return self.net(torch.cat([state, tau], 1))

    def train(self, seconds, batch=16, rate=2e-3):
        """For so many CPU seconds; how many steps that were."""
        optimizer = torch.optim.AdamW(self.net.parameters(), lr=rate, weight_decay=1e-4)
        samples, count = self.frames.shape[:2]
        begin, steps = time.process_time(), 0
        while (share := (time.process_time() - begin) / seconds) < 1:
            for group in optimizer.param_groups:
                group["lr"] = rate * (0.02 + 0.98 * 0.5 * (1 + np.cos(np.pi * share)))
            stride = torch.tensor(STRIDES)[torch.randint(len(STRIDES), (batch,))]
            which, start = torch.randint(samples, (batch,)), (torch.rand(batch) * (count - stride)).long()
            s0, s1 = ((self.frames[which, at] - self.mean) / self.sigma for at in (start, start + stride))
            dt = stride * self.interval
            target = ((s1 - s0) / dt.view(-1, 1, 1, 1) - self.velocity_mean) / self.velocity_sigma
            optimizer.zero_grad()
            (self.psi(s0, dt) - target).square().mean().backward()
            optimizer.step()
            steps += 1
        return steps

    def step(self, states, dt):
        with torch.no_grad():
            state = (torch.from_numpy(states) - self.mean) / self.sigma
            psi = self.psi(state, torch.full((len(states),), dt))
            moved = state + dt * (psi * self.velocity_sigma + self.velocity_mean)
            return (moved * self.sigma + self.mean).numpy()


def errors_of(data, step):
    """RMSE on the grid; off it, asked for the step that is left, and between the forecasts on the grid."""
    frames, every = data.test.shape[1], data.every
    found = {0: data.test[:, 0]}
    for frame in range(every, frames, every):
        found[frame] = step(found[frame - every], data.interval)
    squares = {"on the grid": [], "off the grid, asked": [], "off the grid, between": []}
    for frame in range(1, frames):
        before = frame // every * every
        if frame == before:
            squares["on the grid"].append(np.square(found[frame] - data.test[:, frame]).mean())
            continue
        asked = step(found[before], float(data.times[frame] - data.times[before]))
        squares["off the grid, asked"].append(np.square(asked - data.test[:, frame]).mean())
        if before + every in found:
            share = (frame - before) / every
            line = (1 - share) * found[before] + share * found[before + every]
            squares["off the grid, between"].append(np.square(line - data.test[:, frame]).mean())
    return {name: float(np.sqrt(np.mean(values))) for name, values in squares.items()}


def errors_by_solver(data, model):
    forecast = model.forecast(data.test[:, 0], data.times[1:]).states
    kept = np.arange(1, data.test.shape[1]) % data.every == 0
    squares = np.square(forecast - data.test[:, 1:]).mean((0, 2, 3, 4))
    return {"on the grid": float(np.sqrt(squares[kept].mean())), "off the grid, asked": float(np.sqrt(squares[~kept].mean()))}


def cvf_model(name, data, out, seconds):
    folder = out / f"{name}-cvf"
    settings = {"data.file": data.file, "objective.recipe": "plus", "train.minutes": seconds / 60, "train.clock": "cpu",
                "train.steps": 0, "validation.steps": -1, "log.diagnostics": 0, "evaluation.samples": 0}
    words = [word for key, value in settings.items() for word in ("--set", f"{key}={value}")]
    subprocess.run([os.environ["CVF_PROGRAM"], "train", f"configs/{name}.toml", "--out", str(folder), "--overwrite", "--quiet",
                    "--threads", "1", *words], check=True, stdout=subprocess.DEVNULL)
    return cvf.load(folder / "last"), cvf.results(folder, pandas=False)[-1]["step"]


def main():
    given = turns.arguments()
    torch.set_num_threads(1)
    figures = {}
    for name, modes in SETS.items():
        data = Data(name, given.out)
        model, steps = cvf_model(name, data, given.out, given.seconds)
        operator = Operator(data, modes)
        begin = time.process_time()
        operator_steps = operator.train(given.seconds)
        taken = time.process_time() - begin
        figures[name] = {
            "cvf": {**errors_of(data, lambda s, dt: model.step(s, dt)), "steps": steps, "seconds": given.seconds},
            "cvf, its solver": errors_by_solver(data, model),
            "FNO": {**errors_of(data, operator.step), "steps": operator_steps, "seconds": taken,
                    "parameters": sum(p.numel() for p in operator.net.parameters())},
            "persistence": errors_of(data, lambda s, dt: s)}
        print(name, figures[name], flush=True)
        turns.save(given.result, figures, PEERS)


if __name__ == "__main__":
    main()
