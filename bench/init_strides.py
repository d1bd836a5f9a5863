#!/usr/bin/env python3
"""Which loader.strides should cvf init write? Trains the default model with each candidate and scores forecasts.

    bench/init_strides.py OUT --dysts train_multivariate__pts_per_period_100__periods_12.json
                          [--cvf build/cvf] [--seeds 0,1,2] [--candidates NAME,...] [--sets NAME,...]

Every run has the same number of steps (systems 2000, fields 1000), on one thread.

Sets: one in 13 of the chaotic systems of the wheel dysts 0.1 (1000 frames to learn from, the next 200 to forecast; the
score is the sMAPE in per cent), and files of 40 (dr, sw) or 20 (pendulum, and lotka_volterra with uneven times and 5 %
noise) trajectories, of which two in ten validate (the score is L_tau of a forecast; for lotka_volterra against the clean
values). All score on samples that training does not see. One line of OUT/results.jsonl for each run; runs that are there
are not repeated. Without --dysts only the other sets. `--table` prints medians and means of the lines that are there.
"""
import argparse
import array
import json
import math
import pathlib
import random
import statistics
import struct
import subprocess
import zipfile

TRAINED, FORECAST = 1000, 200
CANDIDATES = {
    "factor 8": "downsampling.factor = 8\nloader.batch = 64",  # what cvf init wrote before; batch: 124 pairs
    "1": "loader.strides = [1]",
    "1-4": "loader.strides = [1, 2, 4]",
    "1-8": "loader.strides = [1, 2, 4, 8]",
    "1-16": "loader.strides = [1, 2, 4, 8, 16]",
    "8": "loader.strides = [8]",
    "2-4": "loader.strides = [2, 4]",
    "4-8": "loader.strides = [4, 8]",
    "2-8": "loader.strides = [2, 4, 8]",
    "8-16": "loader.strides = [8, 16]",
    "16-32": "loader.strides = [16, 32]",
}
GENERATED = {  # set: system and options of cvf data generate
    "dr": ["diffusion_reaction", "--samples", "40", "--frames", "65", "--grid", "16",
           "--set", "system.initial=smooth", "--set", "system.correlation_length=0.3"],
    "sw": ["shallow_water", "--samples", "40", "--frames", "65", "--grid", "16"],
    "pendulum": ["pendulum", "--samples", "20", "--frames", "129"],
    "noisy": ["lotka_volterra", "--samples", "20", "--frames", "129", "--jitter", "0.9"],
}


def header(shape):
    text = f"{{'descr': '<f4', 'fortran_order': False, 'shape': {tuple(shape)}, }}"
    text += " " * (-(len(text) + 11) % 64) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text.encode()


def write_npz(path, members):
    with zipfile.ZipFile(path, "w") as out:
        for name, (shape, values, kind) in members.items():
            head = header(shape).replace(b"<f4", b"<f8") if kind == "d" else header(shape)
            out.writestr(name + ".npy", head + array.array(kind, values).tobytes())


def read_npz(path, name):
    with zipfile.ZipFile(path) as file:
        raw = file.read(name + ".npy")
    length = struct.unpack("<H", raw[8:10])[0]
    about = eval(raw[10:10 + length], {})  # a file that cvf wrote
    values = array.array({"<f4": "f", "<f8": "d"}[about["descr"]])
    values.frombytes(raw[10 + length:])
    return about["shape"], values


def run(cvf, *words):
    done = subprocess.run([cvf, *map(str, words), "--quiet"], capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(done.stderr.strip().splitlines()[-1])
    return done.stdout


def prepare_dysts(name, system, folder):
    values, dt = system["values"], system["dt"]
    for part, rows in (("train", values[:TRAINED]), ("valid", values[TRAINED - 1:TRAINED + FORECAST])):
        flat = [x for row in rows for x in row]
        write_npz(folder / f"{name}-{part}.npz", {"states": ((1, len(rows), len(rows[0])), flat, "f")})
    return {"data": f'file = "{folder}/{name}-train.npz"\naxes = "n,t,c"\ndt = {dt!r}', "train": "0:1",
            "valid": folder / f"{name}-valid.npz", "words": ["--axes", "n,t,c", "--dt", repr(dt)]}


def add_noise(cvf, clean, noisy, fraction):
    run(cvf, "data", "convert", clean, noisy)
    shape, values = read_npz(noisy, "states")
    times_shape, times = read_npz(noisy, "t")
    draw, channels = random.Random(0), shape[-1]
    for c in range(channels):
        spread = statistics.pstdev(values[c::channels])
        for i in range(c, len(values), channels):
            values[i] += fraction * spread * draw.gauss(0, 1)
    write_npz(noisy, {"states": (shape, values, "f"), "t": (times_shape, times, "d")})


def prepare_generated(cvf, name, folder):
    samples = int(GENERATED[name][2])
    clean, valid = folder / f"{name}.h5", folder / f"{name}-valid.{'npz' if name == 'noisy' else 'h5'}"
    if not clean.exists():
        run(cvf, "data", "generate", *GENERATED[name], "--seed", 1, "--out", clean)
    held = [i for i in range(samples) if i % 10 in (4, 9)]
    if not valid.exists():
        run(cvf, "data", "convert", clean, valid, "--samples", ",".join(map(str, held)))
    data, words = f'file = "{clean}"', []
    if name == "noisy":
        words = ["--channels", "prey,predator"]  # an NPZ written here does not name them
        noisy = folder / "noisy.npz"
        if not noisy.exists():
            add_noise(cvf, clean, noisy, 0.05)
        data = f'file = "{noisy}"\naxes = "n,t,c"'
    return {"data": data, "train": ",".join(str(i) for i in range(samples) if i not in held), "valid": valid,
            "words": words}


def smape(truth, forecast):
    terms = [2 * abs(a - b) / (abs(a) + abs(b)) for a, b in zip(truth, forecast) if a != b]
    terms = [100 * (2 if not math.isfinite(t) else t) for t in terms]
    return sum(terms) / len(truth)


def score(cvf, folder, prepared, is_dysts):
    """Of the last model, all frames in one solve, one evaluation for each step."""
    model = folder / "last"
    if not is_dysts:
        told = json.loads(run(cvf, "evaluate", model, "--data", prepared["valid"], *prepared["words"], "--protocol", "forecast",
                              "--solver", "euler", "--json"))["forecast"]
        return {"score": told["rollout_rmse"]["value"], "mean_state": told["rollout_rmse"].get("mean_state")}
    forecast = folder / "forecast.h5"
    run(cvf, "rollout", model, "--data", prepared["valid"], *prepared["words"], "--solver", "euler", "--out", forecast,
        "--overwrite")
    run(cvf, "data", "convert", forecast, folder / "forecast.npz")
    shape, values = read_npz(folder / "forecast.npz", "states")
    _, truth = read_npz(prepared["valid"], "states")
    channels = shape[-1]
    return {"score": smape(truth[channels:], values[channels:])}


def cell(cvf, out, name, candidate, seed, prepared, steps):
    folder = out / "runs" / f"{name}-{candidate.replace(' ', '')}-{seed}"
    (out / "runs").mkdir(exist_ok=True)
    file = out / "run.toml"
    file.write_text(f'seed = {seed}\n{CANDIDATES[candidate]}\nvalidation.steps = -1\nevaluation.samples = 0\n'
                    f'log.diagnostics = 0\ntrain.steps = {steps}\n[data]\n{prepared["data"]}\n'
                    f'[split]\ntrain = "{prepared["train"]}"\n')
    line = {"set": name, "candidate": candidate, "seed": seed, "steps": steps}
    try:
        run(cvf, "train", file, "--out", folder, "--overwrite", "--threads", 1)
        line |= score(cvf, folder, prepared, name.startswith("dysts-"))
    except RuntimeError as failure:
        line |= {"score": None, "failure": str(failure)}
    return line


def table(lines):
    sets = sorted({line["set"] for line in lines})
    groups = {"dysts (sMAPE)": [s for s in sets if s.startswith("dysts-")]} | {s: [s] for s in sets if not s.startswith("dysts-")}
    for group, members in groups.items():
        print(f"\n{group}")
        for candidate in CANDIDATES:
            of_sets = []
            for s in members:
                scores = [line["score"] if line["score"] is not None else math.inf
                          for line in lines if line["set"] == s and line["candidate"] == candidate]
                if scores:
                    of_sets.append(sum(scores) / len(scores))
            if of_sets:
                print(f"  {candidate:<10} median {statistics.median(of_sets):<10.4g} mean {statistics.fmean(of_sets):<10.4g} "
                      f"of {len(of_sets)} sets")


def main():
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("out", type=pathlib.Path)
    words.add_argument("--dysts", type=pathlib.Path)
    words.add_argument("--cvf", default="build/cvf")
    words.add_argument("--seeds", default="0,1,2")
    words.add_argument("--candidates", default="factor 8,1,1-4,1-8,1-16")
    words.add_argument("--sets", default="")
    words.add_argument("--every", type=int, default=13, help="one system in so many")
    words.add_argument("--first", type=int, default=0, help="beginning with this one")
    words.add_argument("--table", action="store_true")
    given = words.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    results = given.out / "results.jsonl"
    lines = [json.loads(text) for text in results.read_text().splitlines()] if results.exists() else []
    if given.table:
        return table(lines)
    done = {(line["set"], line["candidate"], line["seed"]) for line in lines}
    folder = given.out / "data"
    folder.mkdir(exist_ok=True)
    systems = json.loads(given.dysts.read_text()) if given.dysts else {}
    chosen = [f"dysts-{name}" for name in list(systems)[given.first::given.every]] + list(GENERATED)
    if given.sets:
        chosen = [s for s in chosen if s in given.sets.split(",") or s.split("-")[0] in given.sets.split(",")]
    for seed in map(int, given.seeds.split(",")):
        for name in chosen:
            is_dysts = name.startswith("dysts-")
            prepared = prepare_dysts(name, systems[name[6:]], folder) if is_dysts else prepare_generated(given.cvf, name, folder)
            for candidate in given.candidates.split(","):
                if (name, candidate, seed) in done:
                    continue
                line = cell(given.cvf, given.out, name, candidate, seed, prepared, 1000 if name in ("dr", "sw") else 2000)
                with results.open("a") as file:
                    file.write(json.dumps(line) + "\n")
                print(line, flush=True)


if __name__ == "__main__":
    main()
