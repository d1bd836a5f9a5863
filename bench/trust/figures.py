#!/usr/bin/env python3
"""The figures of trust: signals within a frame, coverage by lead time, what three members cost and gain, and the error
that solver.tolerance reaches. Calibrates on validation samples, reports on test samples.

  bench/trust/figures.py build/cvf out/trust results/trust [SET...]
"""
import csv
import json
import subprocess
import sys
from pathlib import Path

from sets import SETS, TOLERANCE_SETS

SIGNALS = ["doubt", "doubling", "spread", "time", "distance"]
TOLERANCES = [1e-1, 3e-2, 1e-2, 3e-3, 1e-3]
SCALES = [2, 4, 8]  # frames between targets, in spacings of the source


def run(cvf, *words):
    return subprocess.run([cvf, *words, "--quiet"], check=True, capture_output=True, text=True).stdout


def evaluated(cvf, folder, *words):
    return json.loads(run(cvf, "evaluate", str(folder), "--json", *words))


def seconds_a_step(folder):
    """CPU seconds of a step between the first and the last line that a run of nothing but steps has told."""
    rows = list(csv.DictReader(open(folder / "metrics.csv")))
    first, last = rows[0], rows[-1]
    return (float(last["seconds"]) - float(first["seconds"])) / (int(last["step"]) - int(first["step"]))


def trust_of(cvf, root, name):
    run(cvf, "evaluate", str(root / name), "--calibrate")
    result = evaluated(cvf, root / name, "--protocol", "time_informed", "--step-doubling")
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
    on = evaluated(cvf, root / name, "--protocol", "time_informed", "--every", "0")["time_informed"]
    out["spread_on_grid"] = on["trust"]["rank_correlation"]["spread"]["within_frames"]
    return out


def tolerances_of(cvf, root, name):
    """Rollout error (relative to the truth) and evaluations a frame of one member's worth of solves, for each rule."""
    out = []
    for every in SCALES:
        def add(rule, value, *sets):
            words = [word for s in sets for word in ("--set", s)]
            result = evaluated(cvf, root / name, "--protocol", "time_informed", "--every", str(every), *words)
            part = result["time_informed"]
            out.append({"set": name, "every": every, "rule": rule, "value": value,
                        "step_error": result["one_step"]["step_rmse"]["value"],
                        "relative_l2": part["relative_l2"]["value"], "nfe": part["nfe"]["value"]})
        for tolerance in TOLERANCES:
            add("tolerance", tolerance, "solver.name=gcs", f"solver.tolerance={tolerance}")
        for slack in (1, 0.5, 0.2):
            add("paper", slack, "solver.name=gcs", f"solver.slack={slack}")
        for rtol in TOLERANCES:
            add("dopri5", rtol, "solver.name=dopri5", f"solver.rtol={rtol}", f"solver.atol={rtol}")
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


def write_tolerances(out, rows):
    with open(out / "tolerance.csv", "w") as file:
        table = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
        table.writeheader()
        table.writerows(rows)
    (out / "tolerance.svg").write_text(plot(rows))


def plot(rows):
    """Error of a step against what was asked for, a panel for each set: one line for each rule and scale."""
    import math
    names = list(dict.fromkeys(r["set"] for r in rows))
    wide, high, edge = 300, 260, 46
    colours = {"tolerance": "#1f6f8b", "dopri5": "#c1662f", "paper": "#777777"}
    dashes = dict(zip(SCALES, ["", "6 3", "2 3"]))
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{wide * len(names)}" height="{high + 40}" '
             'font-family="sans-serif" font-size="11"><rect width="100%" height="100%" fill="white"/>']
    for i, name in enumerate(names):
        own = [r for r in rows if r["set"] == name and r["step_error"]]
        low = math.log10(min(r["step_error"] for r in own)) - 0.1
        top = max(math.log10(max(r["step_error"] for r in own)) + 0.1, low + 1)
        x = lambda v: i * wide + edge + (math.log10(v) + 3.1) / 2.2 * (wide - edge - 12)
        y = lambda v: high - 24 - (math.log10(v) - low) / (top - low) * (high - 60)
        parts.append(f'<text x="{i * wide + edge}" y="20" font-size="13">{name}</text>')
        parts.append(f'<rect x="{x(10 ** -3.1):.1f}" y="{y(10 ** top):.1f}" width="{wide - edge - 12}" '
                     f'height="{y(10 ** low) - y(10 ** top):.1f}" fill="none" stroke="#bbb"/>')
        for power in (-3, -2, -1):
            parts.append(f'<text x="{x(10.0 ** power):.1f}" y="{high - 8}" text-anchor="middle">1e{power}</text>')
        for power in range(math.ceil(low), math.floor(top) + 1):
            parts.append(f'<text x="{i * wide + edge - 4}" y="{y(10.0 ** power) + 4:.1f}" '
                         f'text-anchor="end">1e{power}</text>')
        for rule in ("tolerance", "dopri5"):
            for every in SCALES:
                line = [(x(r["value"]), y(r["step_error"])) for r in own if r["rule"] == rule and r["every"] == every]
                points = " ".join(f"{a:.1f},{b:.1f}" for a, b in line)
                parts.append(f'<polyline points="{points}" fill="none" stroke="{colours[rule]}" stroke-width="1.6" '
                             f'stroke-dasharray="{dashes[every]}"/>')
        for r in own:
            if r["rule"] == "paper" and r["value"] == 1:
                parts.append(f'<line x1="{x(10 ** -3.1):.1f}" x2="{x(10 ** -0.9):.1f}" y1="{y(r["step_error"]):.1f}" '
                             f'y2="{y(r["step_error"]):.1f}" stroke="{colours["paper"]}" '
                             f'stroke-dasharray="{dashes[r["every"]]}"/>')
    legend = ("error over an interval between frames (RMS, physical) against the tolerance (blue), rtol = atol of dopri5 "
              "(orange), and by the paper's rule (grey); full, dashed, dotted: 2, 4, 8 spacings")
    parts.append(f'<text x="10" y="{high + 26}">{legend}</text></svg>')
    return "\n".join(parts) + "\n"


def main():
    cvf, root, out = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])
    out.mkdir(parents=True, exist_ok=True)
    names = sys.argv[4:] or list(SETS)
    known = out / "trust.json"
    before = {one["set"]: one for one in json.loads(known.read_text())} if known.exists() else {}
    for name in names:
        before[name] = trust_of(cvf, root, name)
        print(name, json.dumps(before[name]["signals"]), flush=True)
        write_trust(out, [before[n] for n in SETS if n in before])
    rows = []
    for name in [n for n in TOLERANCE_SETS if n in before]:
        rows += tolerances_of(cvf, root, name)
        write_tolerances(out, rows)


main()
