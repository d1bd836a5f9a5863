#!/usr/bin/env python3
"""Signals of trust within a frame, coverage by lead time, and what three members cost and gain. Calibrates on validation
samples, reports on test samples; sets that were done before stay in the tables.

  bench/trust/signals.py build/cvf out/trust results/trust [SET...]
"""
import csv
import json
import sys
from pathlib import Path

from sets import SETS, TEST, VALIDATION, evaluated, run

SIGNALS = ["doubt", "doubling", "spread", "time", "distance"]


def seconds_a_step(folder):
    """CPU seconds of a step between the first and the last line that a run of nothing but steps has told."""
    rows = list(csv.DictReader(open(folder / "metrics.csv")))
    first, last = rows[0], rows[-1]
    return (float(last["seconds"]) - float(first["seconds"])) / (int(last["step"]) - int(first["step"]))


def trust_of(cvf, root, name):
    run(cvf, "evaluate", str(root / name), "--calibrate", "--samples", VALIDATION)
    result = evaluated(cvf, root / name, "--protocol", "time_informed", "--step-doubling", "--samples", TEST)
    part = result["time_informed"]
    out = {"set": name, "rmse": part["rollout_rmse"]["value"], "one": part["one_member"]["rollout_rmse"]["value"],
           "relative": part["relative_l2"]["value"], "signals": {}, "bins": result["error_bars"]["bins"],
           "whole": result["error_bars"]["reached"], "commit": result["origin"]["cvf"],
           "checkpoint": result["origin"]["checkpoint_sha256"]}
    for signal in SIGNALS:
        found = part["trust"]["rank_correlation"].get(signal)
        out["signals"][signal] = found["within_frames"] if found else None
    out["cost"] = seconds_a_step(root / f"{name}-cost-3") / seconds_a_step(root / f"{name}-cost-1")
    # Off the training grid the model steps between its frames; on it, steps are those of training.
    on = evaluated(cvf, root / name, "--protocol", "time_informed", "--every", "0", "--samples", TEST)["time_informed"]
    out["spread_on_grid"] = on["trust"]["rank_correlation"]["spread"]["within_frames"]
    return out


def interval(signal):
    if not signal:
        return "-"
    mean, low, high = signal
    return f"{mean:.2f} ({low:.2f} .. {high:.2f})"


def write_trust(out, all_sets):
    lines = ["| set | " + " | ".join(SIGNALS) + " | spread, training grid |", "|---" * (len(SIGNALS) + 2) + "|"]
    for one in all_sets:
        cells = [interval(one["signals"][s]) for s in SIGNALS] + [interval(one["spread_on_grid"])]
        lines.append(f"| {one['set']} | " + " | ".join(cells) + " |")
    (out / "signals.md").write_text("\n".join(lines) + "\n")
    lines = ["| set | whole trajectories | by lead time, from the shortest to the longest |", "|---|---|---|"]
    for one in all_sets:
        bins = ", ".join(f"{b['reached']:.2f}" for b in one["bins"])
        lines.append(f"| {one['set']} | {one['whole']:.2f} | {bins} |")
    (out / "coverage.md").write_text("\n".join(lines) + "\n")
    lines = ["| set | L_tau of the mean | of one member | mean over one | CPU seconds a step, three over one |",
             "|---|---|---|---|---|"]
    for one in all_sets:
        lines.append(f"| {one['set']} | {one['rmse']:.4g} | {one['one']:.4g} | {one['rmse'] / one['one']:.2f} | "
                     f"{one['cost']:.2f} |")
    (out / "members.md").write_text("\n".join(lines) + "\n")
    (out / "trust.json").write_text(json.dumps(all_sets, indent=1) + "\n")


def main():
    cvf, root, out = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])
    out.mkdir(parents=True, exist_ok=True)
    for name in sys.argv[4:] or list(SETS):
        one = trust_of(cvf, root, name)
        known = out / "trust.json"
        done = {other["set"]: other for other in json.loads(known.read_text())} if known.exists() else {}
        done[name] = one
        write_trust(out, [done[n] for n in SETS if n in done])
        print(name, json.dumps(one["signals"]), flush=True)


main()
