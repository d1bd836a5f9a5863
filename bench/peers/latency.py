"""Seconds of one step, state + dt * psi(state, dt), in physical units: libcvf, ONNX Runtime, PyTorch eager and compiled."""
import os
import subprocess

import numpy as np
import onnxruntime
import torch

import cvf
import models
import turns

PEERS = ("onnxruntime", "torch", "numpy")


def session_of(folder, threads):
    file = f"{folder}.onnx"
    subprocess.run([os.environ["CVF_PROGRAM"], "export", str(folder), file, "--overwrite", "--quiet"], check=True)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads, options.inter_op_num_threads = threads, 1
    if turns.passive():
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    return onnxruntime.InferenceSession(file, options, providers=["CPUExecutionProvider"])


def entrants_of(folder, batch, threads, compiled):
    model, session, module = cvf.load(folder, threads=threads), session_of(folder, threads), models.torch_module(folder)
    state = np.random.default_rng(1).standard_normal((batch,) + model.state_shape).astype(np.float32)
    step = np.full(batch, model.frame_interval)
    given = {"state": state, "dt": step.astype(np.float32)}
    tensor, dt = torch.from_numpy(state), torch.from_numpy(step)

    def step_of(forward):
        def act():
            with torch.inference_mode():
                return forward(tensor, dt)
        return act

    out = {"libcvf": lambda: model.step(state, step), "ONNX Runtime": lambda: session.run(["next"], given)[0],
           "PyTorch eager": step_of(module.step)}
    if compiled:
        torch._dynamo.reset()
        out["torch.compile"] = step_of(torch.compile(module.step, dynamic=False))
    expected = out["libcvf"]()
    for name, act in out.items():  # the same numbers, or the times mean nothing
        error = np.abs(np.asarray(act()) - expected).max() / np.abs(expected).max()
        if not error < 1e-4:
            raise SystemExit(f"{name} differs from libcvf by {error:.1e} of the largest value")
    return out


def main():
    given = turns.arguments()
    torch.set_num_threads(given.threads)
    figures = {}
    for name in models.chosen(given.only):
        folder = models.folder_of(name, given.out)
        for batch in (1, 16):
            compiled = not given.without_compile
            figures[f"{name}, batch {batch}"] = turns.in_turns(entrants_of(folder, batch, given.threads, compiled),
                                                              given.repeats)
            print(name, batch, {k: f"{1e3 * v['seconds']:.2f} ms, {v['ratio']:.2f}x, by CPU time {v['cpu']['ratio']:.2f}x"
                                for k, v in figures[f"{name}, batch {batch}"].items()}, flush=True)
            turns.save(given.result, figures, PEERS)


if __name__ == "__main__":
    main()
