#!/usr/bin/env python3
"""The error that gcs reaches with solver.tolerance, beside the paper's rule and dopri5, at three distances between
targets, on the first test samples. After bench/trust/signals.py, which calibrates.

  bench/trust/tolerance.py build/cvf out/trust results/trust [SET...]
"""
import csv
import math
import sys
from pathlib import Path

from sets import TOLERANCE_SETS, evaluated

TOLERANCES = [3e-1, 1e-1, 3e-2, 1e-2, 3e-3, 1e-3]
SCALES = [8, 16, 32]  # frames between targets, in spacings of the source: 1, 2 and 4 steps of training
SAMPLES = "220:236"


def tolerances_of(cvf, root, name):
    """Errors and evaluations a frame (of three members), for each rule."""
    out = []
    for every in SCALES:
        def add(rule, value, *sets):
            words = [word for s in sets for word in ("--set", s)]
            result = evaluated(cvf, root / name, "--protocol", "time_informed", "--every", str(every),
                               "--samples", SAMPLES, *words)
            part = result["time_informed"]
            out.append({"set": name, "every": every, "rule": rule, "value": value,
                        "step_error": result["one_step"]["step_rmse"]["value"],
                        "relative_l2": part["relative_l2"]["value"], "nfe": part["nfe"]["value"]})
        # The whole way to a target may be one step.
        for tolerance in TOLERANCES:
            add("tolerance", tolerance, "solver.name=gcs", "solver.max_step=0", f"solver.tolerance={tolerance}")
        for slack in (1, 0.5):
            add("paper", slack, "solver.name=gcs", "solver.max_step=0", f"solver.slack={slack}")
        for rtol in (1e-1, 1e-2, 1e-3):
            add("dopri5", rtol, "solver.name=dopri5", f"solver.rtol={rtol}", f"solver.atol={rtol}")
    return out


def known(out):
    """Rows of sets that were done before."""
    if not (out / "tolerance.csv").exists():
        return []
    words = {"set", "rule"}
    with open(out / "tolerance.csv") as file:
        return [{key: text if key in words else float(text) if text else None for key, text in row.items()}
                for row in csv.DictReader(file)]


def write_tolerances(out, rows):
    with open(out / "tolerance.csv", "w") as file:
        table = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
        table.writeheader()
        table.writerows(rows)
    (out / "tolerance.svg").write_text(plot(rows))


def plot(rows):
    """Error of a step against what was asked for, a panel for each set: one line for each rule and scale."""
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
        x = lambda v: i * wide + edge + (math.log10(v) + 3.2) / 2.8 * (wide - edge - 12)
        y = lambda v: high - 24 - (math.log10(v) - low) / (top - low) * (high - 60)
        parts.append(f'<text x="{i * wide + edge}" y="20" font-size="13">{name}</text>')
        parts.append(f'<rect x="{x(10 ** -3.2):.1f}" y="{y(10 ** top):.1f}" width="{wide - edge - 12}" '
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
                parts.append(f'<line x1="{x(10 ** -3.2):.1f}" x2="{x(10 ** -0.4):.1f}" y1="{y(r["step_error"]):.1f}" '
                             f'y2="{y(r["step_error"]):.1f}" stroke="{colours["paper"]}" '
                             f'stroke-dasharray="{dashes[r["every"]]}"/>')
    legend = ("error over an interval between frames (RMS, physical) against the tolerance (blue), rtol = atol of dopri5 "
              "(orange), and by the paper's rule (grey); full, dashed, dotted: 1, 2, 4 steps of training between targets")
    parts.append(f'<text x="10" y="{high + 26}">{legend}</text></svg>')
    return "\n".join(parts) + "\n"


def main():
    cvf, root, out = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])
    for name in sys.argv[4:] or TOLERANCE_SETS:
        fresh = tolerances_of(cvf, root, name)
        write_tolerances(out, [row for row in known(out) if row["set"] != name] + fresh)
        print(name, flush=True)


main()
