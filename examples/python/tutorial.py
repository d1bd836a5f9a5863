"""From arrays of one's own to a forecast with error bars, in Python alone.

    python3 examples/python/tutorial.py [--out FOLDER] [--steps 1500]

Damped springs of random stiffness are watched at sparse times; a network learns how they move, and is asked at times
that it never saw. The motion has a closed form, so every number can be checked. A minute on two cores.
"""
import argparse
import os

import cvf
import numpy as np

DAMPING = 0.2


def motion(stiffness, start, times):
    """Position and velocity [N, T, 2] of x'' = -stiffness x - DAMPING x'."""
    decay, turn = DAMPING / 2, np.sqrt(stiffness - DAMPING**2 / 4)[:, None]
    x0, v0 = start[:, :1], start[:, 1:]
    a, b = x0, (v0 + decay * x0) / turn
    cos, sin, envelope = np.cos(turn * times), np.sin(turn * times), np.exp(-decay * times)
    x = envelope * (a * cos + b * sin)
    v = envelope * ((b * turn - decay * a) * cos - (a * turn + decay * b) * sin)
    return np.stack([x, v], axis=-1)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", default="out/tutorial", help="folder of everything")
    parser.add_argument("--steps", type=int, default=1500, help="of training")
    options = parser.parse_args()
    os.makedirs(options.out, exist_ok=True)
    path = os.path.join(options.out, "springs.npz")

    # 1. Data: 200 trajectories of 33 frames, 0.25 apart, and the stiffness of each.
    random = np.random.default_rng(0)
    stiffness, start = random.uniform(0.5, 2.0, 200), random.uniform(-1, 1, (200, 2))
    times = 0.25 * np.arange(33)
    np.savez(path, states=motion(stiffness, start, times).astype(np.float32), t=times, stiffness=stiffness,
             axes="n,t,c", channels=["position", "velocity"])
    print(cvf.open(path))

    # 2. Training sees one frame in four. The dictionary has the tables of a run file; what it leaves out is chosen.
    run = cvf.train({
        "data": {"file": path, "parameters": ["stiffness"]},
        "split": {"train": "0:160", "validation": "160:180", "test": "180:200"},
        "downsampling": {"factor": 4},
        "train": {"steps": options.steps},
    }, out=os.path.join(options.out, "run"), progress=True)

    # 3. The test samples on every frame: three of four are at times that training never saw.
    run.calibrate()
    scores = run.evaluate()
    print("error on every frame:", round(scores["time_informed"]["rollout_rmse"]["value"], 4))

    # 4. Forecasts without the program: springs that nobody has seen, at times of their own.
    model = cvf.load(run)
    mine, states = np.array([0.8, 1.7]), np.array([[1.0, 0.0], [0.0, 1.0]])
    wanted = np.array([0.0, 0.3, 0.7, 2.0, 5.0])
    forecast = model.forecast(states, wanted, parameters={"stiffness": mine})
    error = np.abs(forecast.states - motion(mine, states, wanted))
    bars = forecast.error_bars(0.9)
    for t, each, bar in zip(wanted, error.max(axis=(0, 2)), bars.max(axis=0)):
        print(f"t = {t:4.1f}   largest error {each:.4f}   error bar {bar:.4f}")

    # 5. The network in PyTorch, to be differentiated: how does the state at t = 1 depend on the start?
    try:
        import torch
    except ModuleNotFoundError:
        print("torch is not installed: no derivatives")
        return
    module = model.to_torch()
    jacobian = torch.autograd.functional.jacobian(
        lambda s: module.step(s[None], 1.0, parameters=torch.tensor([[0.8]]))[0], torch.tensor([1.0, 0.0]))
    print("d state(1) / d state(0):", jacobian.numpy().round(3).tolist())


if __name__ == "__main__":
    main()
