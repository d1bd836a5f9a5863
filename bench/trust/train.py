#!/usr/bin/env python3
"""Trains what the trust figures are made from: every set with three members, and for the cost a few steps with three and with one.

  bench/trust/train.py build/cvf out/trust [SET...]
"""
import subprocess
import sys
from pathlib import Path

from sets import SETS, settings


def train(cvf, out, name, members, more=()):
    config, sets = settings(name, members)
    command = [cvf, "train", f"configs/{config}.toml", "--out", str(out)]
    for assignment in [*sets, *more]:
        command += ["--set", assignment]
    with open(f"{out}.log", "w") as log:
        subprocess.run(["nice", "-n", "19", *command], check=True, stdout=log, stderr=log)


def main():
    cvf, root = sys.argv[1], Path(sys.argv[2])
    root.mkdir(parents=True, exist_ok=True)
    for name in sys.argv[3:] or SETS:
        train(cvf, root / f"{name}", name, 3)
        for members in (1, 3):
            # A few steps say what a step costs: nothing but steps.
            train(cvf, root / f"{name}-cost-{members}", name, members,
                  ["train.steps=30", "log.steps=10", "validation.steps=-1", "checkpoint.steps=0"])


main()
