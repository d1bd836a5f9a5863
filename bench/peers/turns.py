"""Measuring in turns: A B C, A B C, ... so that a slow spell of the machine is in all of them; and where it was measured."""
import argparse
import datetime
import importlib.metadata
import json
import os
import platform
import statistics
import time
from pathlib import Path


def arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--result", type=Path, required=True)
    parser.add_argument("--repeats", type=int, default=7)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--only", default="")
    parser.add_argument("--without-compile", action="store_true")
    parser.add_argument("--seconds", type=float, default=60)
    return parser.parse_args()


def in_turns(entrants, repeats, seconds=0.15):
    """Seconds of one call of each: the median, and the median over the turns of the ratio to the first entrant's; by the
    clock, and CPU seconds of the process, which other programs change less."""
    calls = {}
    for name, act in entrants.items():  # warms up, and finds out how many calls make a turn
        act()
        begin = time.perf_counter()
        act()
        calls[name] = max(1, int(seconds / max(1e-9, time.perf_counter() - begin)))
    taken, computing = ({name: [] for name in entrants} for _ in range(2))
    for _ in range(repeats):
        for name, act in entrants.items():
            time.sleep(0.02)  # until the threads of the one before have gone to sleep
            begin, used = time.perf_counter(), time.process_time()
            for _ in range(calls[name]):
                act()
            taken[name].append((time.perf_counter() - begin) / calls[name])
            computing[name].append((time.process_time() - used) / calls[name])
    return both(taken, computing)


def both(taken, computing):
    """What `summary` says of the clock, with what it says of CPU seconds beside it."""
    out = summary(taken)
    for name, value in summary(computing).items():
        out[name]["cpu"] = value
    return out


def summary(taken):
    first = next(iter(taken.values()))
    return {name: {"seconds": statistics.median(all_of), "best": min(all_of),
                   "ratio": statistics.median(theirs / ours for theirs, ours in zip(all_of, first))}
            for name, all_of in taken.items()}


def passive():
    return os.environ.get("OMP_WAIT_POLICY") == "PASSIVE"


def machine():
    info = Path("/proc/cpuinfo").read_text() if Path("/proc/cpuinfo").exists() else ""
    lines = dict((part.strip() for part in line.split(":", 1)) for line in info.splitlines() if ":" in line)
    flags = lines.get("flags", "").split()
    sets = [name for name in ("avx512f", "avx2", "avx", "sse4_2") if name in flags]
    return f"{lines.get('model name', platform.processor())}, {os.cpu_count()} threads, {sets[0] if sets else platform.machine()}"


def versions(*packages):
    return {name: importlib.metadata.version(name) for name in packages}


def save(path, figures, packages):
    from cvf.program import run
    about = {"machine": machine(), "day": datetime.date.today().isoformat(), "load": os.getloadavg(),
             "python": platform.python_version(), "cvf": run(["--version"]).split()[-1], **versions(*packages)}
    if passive():
        about["threads that wait"] = "asleep"
    path.write_text(json.dumps({"about": about, "figures": figures}, indent=1))
