"""dopri5 on 256 Lorenz systems to t = 10, tolerance 1e-6, first step 1e-3, float64, one thread: microseconds of a step.

A step is one trial of the whole batch. torchdiffeq has one step for all of it (norm = "batch" of cvf), torchode and diffrax
one for each system, as cvf by default. The equations are part of every figure, written as each program takes them: a loop in
C++, tensor operations, or compiled by XLA.
"""
import json
import statistics
import time

import diffrax
import jax
import jax.numpy as jnp
import numpy as np
import torch
import torchdiffeq
import torchode
from cvf.program import run

import turns

PEERS = ("torch", "torchdiffeq", "torchode", "jax", "diffrax")
UNTIL, TOLERANCE, FIRST = 10.0, 1e-6, 1e-3
START = 5 * np.random.default_rng(1).standard_normal((256, 3)) + np.array([0.0, 0.0, 25.0])


def lorenz(t, state):
    x, y, z = state.unbind(1)
    return torch.stack([10 * (y - x), x * (28 - z) - y, x * y - 8 / 3 * z], 1)


def with_torchdiffeq():
    calls = 0

    def counted(t, state):
        nonlocal calls
        calls += 1
        return lorenz(t, state)

    times, options = torch.tensor([0.0, UNTIL], dtype=torch.float64), {"first_step": FIRST}
    end = torchdiffeq.odeint(counted, torch.from_numpy(START), times, rtol=TOLERANCE, atol=TOLERANCE, method="dopri5",
                             options=options)[-1]
    return end.numpy(), (calls - 1) / 6


def torchode_solver(scripted):
    term = torchode.ODETerm(lorenz)
    method = torchode.Dopri5(term=term)
    control = torchode.IntegralController(atol=TOLERANCE, rtol=TOLERANCE, term=term)
    solver = torchode.AutoDiffAdjoint(method, control)
    problem = torchode.InitialValueProblem(y0=torch.from_numpy(START), t_start=torch.zeros(256, dtype=torch.float64),
                                           t_end=torch.full((256,), UNTIL, dtype=torch.float64))
    first = torch.full((256,), FIRST, dtype=torch.float64)
    if scripted:
        solver = torch.jit.script(solver)

    def solve():
        with torch.no_grad():
            solution = solver.solve(problem, dt0=first)
        return solution.ys[:, -1].numpy(), float(solution.stats["n_steps"].max())

    return solve


def with_diffrax():
    jax.config.update("jax_enable_x64", True)

    def velocity(t, state, _):
        x, y, z = state
        return jnp.stack([10 * (y - x), x * (28 - z) - y, x * y - 8 / 3 * z])

    def one(start):
        solution = diffrax.diffeqsolve(
            diffrax.ODETerm(velocity), diffrax.Dopri5(), 0.0, UNTIL, FIRST, start, max_steps=100_000,
            stepsize_controller=diffrax.PIDController(rtol=TOLERANCE, atol=TOLERANCE))
        return solution.ys[-1], solution.stats["num_steps"]

    batched, start = jax.jit(jax.vmap(one)), jnp.asarray(START)

    def solve():
        end, steps = batched(start)
        return np.asarray(end), float(steps.max())

    return solve


def main():
    given = turns.arguments()
    torch.set_num_threads(given.threads)
    peers = {"torchdiffeq": with_torchdiffeq, "torchode": torchode_solver(False), "diffrax": with_diffrax()}
    try:
        scripted = torchode_solver(True)
        scripted()
        peers["torchode, scripted"] = scripted
    except Exception as error:  # TorchScript is on its way out of PyTorch
        print(f"torchode cannot be scripted here: {str(error).splitlines()[0]}", flush=True)
    taken, steps = {"cvf, own steps": [], "cvf, one step for all": []} | {name: [] for name in peers}, {}
    for name, solve in peers.items():
        end, steps[name] = solve()
        if not np.isfinite(end).all():
            raise SystemExit(f"{name} does not reach t = {UNTIL}")
    for _ in range(given.repeats):
        cvf = json.loads(run(["bench", "solvers", "--repeats", "1", "--json", "--threads", str(given.threads)]))["lorenz_256"]
        taken["cvf, own steps"].append(1e-6 * cvf["row_us"])
        taken["cvf, one step for all"].append(1e-6 * cvf["batch_us"])
        for name, solve in peers.items():
            begin = time.perf_counter()
            _, steps[name] = solve()
            taken[name].append((time.perf_counter() - begin) / steps[name])
    figures = turns.summary(taken)
    one_step = taken["cvf, one step for all"]
    figures["torchdiffeq"]["ratio"] = statistics.median(
        theirs / ours for theirs, ours in zip(taken["torchdiffeq"], one_step))  # which has one step for all, too
    for name in peers:
        figures[name]["steps"] = steps[name]
    print({k: f"{1e6 * v['seconds']:.1f} us, {v['ratio']:.1f}x" for k, v in figures.items()}, flush=True)
    turns.save(given.result, figures, PEERS)


if __name__ == "__main__":
    main()
