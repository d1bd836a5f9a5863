#!/usr/bin/env python3
"""Does psi cost what it did? Two builds of cvf in turns, old new old new, each measured by its own `cvf bench field` on one thread
in CPU time; prints the median over the turns of the time of the new one over that of the old one, and the range.

  bench/field/two_programs.py OLD/build/cvf build/cvf [--only S,mlp,conv32x16,conv32x32] [--turns 9] [--repeats 3]
"""
import argparse
import json
import statistics
import subprocess


def speeds(program, only, repeats):
    """Samples a second for each (configuration, part), and the instruction set of the kernels."""
    words = [program, "bench", "field", "--only", only, "--threads", "1", "--fused-only", "--cpu-time",
             "--repeats", str(repeats), "--json"]
    told = json.loads(subprocess.run(words, check=True, capture_output=True, text=True).stdout)
    found = {(name, part): told[name][part]["samples_per_s"] for name in only.split(",") for part in ("infer", "train")}
    return found, told["kernels"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old")
    parser.add_argument("new")
    parser.add_argument("--only", default="S,mlp,conv32x16,conv32x32")
    parser.add_argument("--turns", type=int, default=9)
    parser.add_argument("--repeats", type=int, default=3)
    args = parser.parse_args()
    ratios, kernels = {}, ""
    for _ in range(args.turns):
        old, kernels = speeds(args.old, args.only, args.repeats)
        new, _ = speeds(args.new, args.only, args.repeats)
        for key in old:
            ratios.setdefault(key, []).append(old[key] / new[key])
    print(f"time of the new program over the old one's, {args.turns} turns, one thread, CPU time, {kernels} kernels")
    for (name, part), all_turns in ratios.items():
        print(f"{name:10} {part:5}  {statistics.median(all_turns):.3f}  ({min(all_turns):.3f} .. {max(all_turns):.3f})")


main()
