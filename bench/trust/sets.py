"""The data sets of the trust figures: the small configs with more samples to calibrate and to test on."""
import json
import subprocess

TRAIN, VALIDATION, TEST = "0:160", "160:220", "220:280"

# name: (config, settings laid over it)
SETS = {
    "dr": ("dr-tiny", ["train.steps=800", "validation.steps=400"]),
    "sw": ("sw-tiny", ["train.steps=400", "validation.steps=400"]),
    "cfd": ("cfd-tiny", ["train.steps=150", "validation.steps=150"]),
    "wave": ("wave-tiny", ["train.steps=800", "validation.steps=400"]),
    "pendulum": ("pendulum", ["train.steps=3000"]),
    "lotka-volterra": ("lotka-volterra", ["train.steps=1500", "validation.steps=500"]),
    "van-der-pol": ("van-der-pol", ["train.steps=1500", "validation.steps=500"]),
}
TOLERANCE_SETS = ["dr", "wave", "pendulum"]
FEWER = {"sw": ("160:180", "220:240")}  # larger grids: samples to calibrate and to test on


def settings(name, members):
    config, more = SETS[name]
    common = [
        f'data.file="data/trust-{name}.h5"',
        "generate.samples=280",
        f'split.train="{TRAIN}"',
        f'split.validation="{VALIDATION}"',
        f'split.test="{TEST}"',
        f"train.members={members}",
        "train.clock=cpu",
        "evaluation.samples=0",
        "log.diagnostics=0",
    ]
    return config, common + more


def run(cvf, *words):
    return subprocess.run([cvf, *words, "--quiet"], check=True, capture_output=True, text=True).stdout


def evaluated(cvf, folder, *words):
    return json.loads(run(cvf, "evaluate", str(folder), "--json", *words))
