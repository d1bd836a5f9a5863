"""Samples a second of training with the cvf loss (scaled spans, a rupture of every row): `cvf train` against PyTorch eager and compiled.

Both read the same file and do the same evaluations: 2.5 of each row in one pass (the secant, the first leg, and the long side
of the half of the rows whose span is scaled), then the second leg, gradients through all of them, AdamW.
"""
import functools
import os
import time

import torch

import cvf
import models
import turns

PEERS = ("torch",)
STEPS = {"sit-S": 10, "conv-32": 40, "sit-A": 6, "conv-64": 12}  # of a turn: a few seconds


def pairs_of(file):
    """Neighbouring frames of the training samples, [rows, C, y, x], and their interval."""
    data = cvf.open(file, samples="0:8")
    frames = torch.from_numpy(data.states).movedim(-1, 2).float().contiguous()
    return frames[:, :-1].flatten(0, 1), frames[:, 1:].flatten(0, 1), float(data.times[0, 1] - data.times[0, 0])


class Learner:
    """The cvf loss on the cascaded normalizer, as plain PyTorch has it."""

    def __init__(self, folder, file, batch, compiled):
        self.module, self.batch = models.torch_module(folder), batch
        self.first, self.second, self.interval = pairs_of(file)
        module = self.module
        sides = [1, -1, 1, 1]
        self.mean, self.sigma = module.state_mean.view(sides), module.state_deviation.view(sides)
        self.factor = (module.velocity_factor / module.state_deviation).view(sides)  # den(psi), of the normalised state
        self.offset = (module.velocity_offset / module.state_deviation).view(sides)
        self.optimizer = torch.optim.AdamW(module.field.parameters(), lr=1e-4, betas=(0.9, 0.99), fused=True)
        self.loss_of = torch.compile(self.loss, dynamic=False) if compiled else self.loss
        self.random = torch.Generator().manual_seed(1)

    def loss(self, s0, s1, dt, span, share):
        """The first half of the rows has a long side of its own, the others have the interval."""
        field, scaled = self.module.field, len(s0) // 2
        row = lambda values: values[:, None, None, None].float()  # noqa: E731
        den = lambda psi: psi * self.factor + self.offset  # noqa: E731
        target = ((s1 - s0) / row(dt) - self.offset) / self.factor
        psi = field(torch.cat([s0, s0, s0[:scaled]]), torch.cat([dt, share * span, span[:scaled]]), None)
        secant, leg, long_side = psi.split([len(s0), len(s0), scaled])
        long_side = torch.cat([long_side, secant[scaled:]])
        there = s0 + row(share * span) * den(leg)
        last = field(there, (1 - share) * span, None)
        rupture = row(share) * leg + row(1 - share) * last - long_side
        return (secant - target).square().mean() + rupture.square().mean()

    def step(self):
        rows = torch.randint(len(self.first), (self.batch,), generator=self.random)
        s0, s1 = ((frames[rows] - self.mean) / self.sigma for frames in (self.first, self.second))
        dt = torch.full((self.batch,), self.interval, dtype=torch.float64)
        span = dt * torch.rand(self.batch, generator=self.random, dtype=torch.float64)
        span[self.batch // 2:] = dt[self.batch // 2:]
        share = torch.rand(self.batch, generator=self.random, dtype=torch.float64)
        self.optimizer.zero_grad(set_to_none=True)
        loss = self.loss_of(s0, s1, dt, span, share)
        loss.backward()
        self.optimizer.step()
        return loss


def theirs(learner, steps):
    """Seconds of a sample by the clock, and CPU seconds."""
    begin, computing = time.perf_counter(), time.process_time()
    for _ in range(steps):
        learner.step()
    return tuple((now - then) / steps / learner.batch
                 for now, then in ((time.perf_counter(), begin), (time.process_time(), computing)))


class Ours:
    """`cvf train`: by the record of the run, the last half of its steps; CPU seconds beyond those of a run of two steps."""

    def __init__(self, name, out, steps, threads):
        self.name, self.out, self.steps, self.threads = name, out, steps, threads
        self.start = self.run(2)[1]

    def run(self, steps):
        before = os.times()
        records = models.train(self.name, self.out, self.out / f"{self.name}-trained", self.threads,
                               **{"train.steps": steps, "log.steps": steps // 2})
        after = os.times()
        used = after.children_user + after.children_system - before.children_user - before.children_system
        return 1 / records[-1]["samples_per_s"], used

    def __call__(self):
        seconds, used = self.run(2 * self.steps)
        return seconds, (used - self.start) / (2 * self.steps - 2) / models.CONFIGURATIONS[self.name][1]


def main():
    given = turns.arguments()
    torch.set_num_threads(given.threads)
    figures = {}
    for name in models.chosen(given.only):
        side, batch, _ = models.CONFIGURATIONS[name]
        folder, file = models.folder_of(name, given.out), given.out / f"wave-{side}.h5"
        peers = {"PyTorch eager": Learner(folder, file, batch, False)}
        if not given.without_compile:
            torch._dynamo.reset()
            peers["torch.compile"] = Learner(folder, file, batch, True)
        for learner in peers.values():
            losses = [learner.step().item() for _ in range(3)]
            if not all(loss < 1e6 for loss in losses):
                raise SystemExit(f"{name}: PyTorch's loss is {losses}")
        acts = {"cvf train": Ours(name, given.out, STEPS[name], given.threads)}
        acts |= {peer: functools.partial(theirs, learner, STEPS[name]) for peer, learner in peers.items()}
        clock, computing = ({entrant: [] for entrant in acts} for _ in range(2))
        for _ in range(max(2, given.repeats // 2)):
            for entrant, act in acts.items():
                seconds, used = act()
                clock[entrant].append(seconds)
                computing[entrant].append(used)
        figures[name] = turns.both(clock, computing)
        print(name, {k: f"{1 / v['seconds']:.1f} samples/s, {v['ratio']:.2f}x, by CPU time {v['cpu']['ratio']:.2f}x"
                     for k, v in figures[name].items()}, flush=True)
        turns.save(given.result, figures, PEERS)


if __name__ == "__main__":
    main()
