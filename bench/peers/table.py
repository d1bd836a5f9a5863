"""The figures of all parts as one Markdown text; standard library only."""
import json


def _read(path):
    return json.loads(path.read_text()) if path.exists() else None


def _row(*cells):
    return "| " + " | ".join(str(cell) for cell in cells) + " |"


def _head(*cells):
    return [_row(*cells), "|" + "---|" * len(cells)]


def _about(part):
    about = dict(part["about"])
    machine, day, load = about.pop("machine"), about.pop("day"), about.pop("load")
    names = ", ".join(f"{name} {version}" for name, version in about.items())
    return f"{day}, {machine}; {names}; load average at the end {load[0]:.1f}."


def _times(value):
    """By the clock, and by CPU time where that was taken."""
    text = f"{value['ratio']:.2f}x" if value["ratio"] < 10 else f"{value['ratio']:.0f}x"
    return f"{text}, {_times(value['cpu'])}" if "cpu" in value else text


def _threads(file):
    count = int(file.stem.split("-")[1])
    return "1 thread" if count == 1 else f"{count} threads"


def _latency(out):
    lines = []
    for file in sorted(out.glob("latency-*.json")):
        part = _read(file)
        peers = list(next(iter(part["figures"].values())))
        lines += ["", f"One step, {_threads(file)}: libcvf in ms by the clock and of CPU time, the others as multiples of both. "
                  f"{_about(part)}", ""]
        lines += _head("", *peers, "the best of them")
        for name, figures in part["figures"].items():
            ours, others = figures["libcvf"], [value for peer, value in figures.items() if peer != "libcvf"]
            own = f"{1e3 * ours['seconds']:.2f}, {1e3 * ours['cpu']['seconds']:.2f} ms"
            lines.append(_row(name, own, *[_times(value) for value in others],
                              _times(min(others, key=lambda value: value["ratio"]))))
    return lines


def _training(out):
    lines = []
    for file in sorted(out.glob("training-*.json")):
        part = _read(file)
        peers = list(next(iter(part["figures"].values())))
        lines += ["", f"Training with the cvf loss, {_threads(file)}: samples a second, and how many times as fast `cvf train` is, "
                  f"by the clock and by CPU time. {_about(part)}", ""]
        lines += _head("", *peers)
        for name, figures in part["figures"].items():
            cells = [f"{1 / value['seconds']:.0f}" + ("" if peer == peers[0] else f" ({_times(value)})")
                     for peer, value in figures.items()]
            lines.append(_row(name, *cells))
    return lines


def _lorenz(out):
    part = _read(out / "lorenz.json")
    if part is None:
        return []
    lines = ["", f"dopri5, 256 Lorenz systems, float64, one thread: a step of the batch, and as a multiple of cvf's with steps "
             f"of the same kind. {_about(part)}", ""]
    lines += _head("", "us a step", "over cvf")
    for name, value in part["figures"].items():
        lines.append(_row(name, f"{1e6 * value['seconds']:.0f}", "" if name.startswith("cvf") else _times(value)))
    return lines


def _fno(out):
    part = _read(out / "fno.json")
    if part is None:
        return []
    kinds = ("on the grid", "off the grid, asked", "off the grid, between")
    seconds = next(iter(part["figures"].values()))["cvf"]["seconds"]
    lines = ["", f"RMSE of forecasts of the test samples after {seconds:.0f} CPU seconds of training on one thread. "
             f"{_about(part)}", ""]
    lines += _head("", "", "steps", *kinds)
    for data, methods in part["figures"].items():
        for name, value in methods.items():
            lines.append(_row(data, name, f"{value['steps']:.0f}" if "steps" in value else "",
                              *[f"{value[kind]:.4g}" if kind in value else "" for kind in kinds]))
    return lines


def markdown(out):
    return "\n".join(_latency(out) + _training(out) + _lorenz(out) + _fno(out)).strip() + "\n"
