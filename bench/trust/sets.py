"""The data sets of the trust figures: the small configs with more samples to calibrate and to test on."""
import json
import subprocess

TRAIN, VALIDATION, TEST = "0:160", "160:220", "220:280"

# name: config
SETS = {
    "dr": "dr-tiny",
    "sw": "sw-tiny",
    "cfd": "cfd-tiny",
    "wave": "wave-tiny",
    "pendulum": "pendulum",
    "lotka-volterra": "lotka-volterra",
    "van-der-pol": "van-der-pol",
}
TOLERANCE_SETS = ["dr", "wave", "pendulum"]


def settings(name, members):
    return SETS[name], [
        f'data.file="data/trust-{name}.h5"',
        "generate.samples=280",
        f'split.train="{TRAIN}"',
        f'split.validation="{VALIDATION}"',
        f'split.test="{TEST}"',
        f"train.members={members}",
        "train.clock=cpu",
        "solver.name=gcs",  # whose doubt is judged
        "evaluation.samples=0",
        "log.diagnostics=0",
    ]


def run(cvf, *words):
    return subprocess.run([cvf, *words, "--quiet"], check=True, capture_output=True, text=True).stdout


def evaluated(cvf, folder, *words):
    return json.loads(run(cvf, "evaluate", str(folder), "--json", *words))
