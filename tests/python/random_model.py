"""Folders of models with random weights, for tests that need a model of every kind and no training."""
import hashlib
import json
from pathlib import Path

import numpy as np


def _layer(out, name, *sizes):
    out[name + ".weight"], out[name + ".bias"] = sizes, sizes[:1]


def _step(out, width, conditions):
    _layer(out, "step.first", width, 128)
    _layer(out, "step.second", width, width)
    if conditions:
        _layer(out, "step.context", width, conditions)


def shapes_of(field, channels, grid, conditions):
    """The shape of every tensor; `channels` counts the fields beside the state, too."""
    out, kind, width = {}, field["name"], field["width"]
    depth = field.get("depth", {"conv": 1, "sit": 8, "mlp": 3}[kind])
    if kind == "conv":
        line, patch, embedding = len(grid) == 1, field.get("patch", 1), max(64, width)
        taps, inputs = ((1, 3) if line else (3, 3)), channels * patch ** len(grid)
        _layer(out, "lift", width, inputs, *taps)
        _step(out, embedding, conditions)
        for i in range(depth * len(field.get("dilations", [1, 2, 4]))):
            _layer(out, f"blocks.{i}.spatial", width, width, *taps)
            _layer(out, f"blocks.{i}.mix", width, width)
            _layer(out, f"blocks.{i}.modulate", 3 * width, embedding)
        _layer(out, "output", inputs, width, *taps)
        return out
    _step(out, width, conditions)
    if kind == "sit":
        values, parts = channels * field["patch"] ** 2, {"qkv": (3, 1), "project": (1, 1), "expand": (4, 1),
                                                         "contract": (1, 4), "modulate": (6, 1)}
        _layer(out, "patch", width, values)
        out["positions"] = (int(np.prod(grid)) // field["patch"] ** 2, width)
    else:
        values, inner = channels, field.get("expansion", 1)
        parts = {"expand": (inner, 1), "contract": (1, inner), "modulate": (3, 1)}
        _layer(out, "input", width, values)
    for i in range(depth):
        for part, (rows, columns) in parts.items():
            _layer(out, f"blocks.{i}.{part}", rows * width, columns * width)
    _layer(out, "final_modulate", 2 * width, width)
    _layer(out, "output", values, width)
    return out


def _random(shape, draw, kind):
    scale = 0.7 / np.sqrt(np.prod(shape[1:])) if len(shape) > 1 else 0.1
    return (draw.standard_normal(shape) * scale).astype(kind)


def _safetensors(tensors):
    header, place = {}, 0
    for name, values in tensors.items():
        kind = {np.dtype(np.float32): "F32", np.dtype(np.float64): "F64"}[values.dtype]
        header[name] = {"dtype": kind, "shape": list(values.shape), "data_offsets": [place, place + values.nbytes]}
        place += values.nbytes
    text = json.dumps(header).encode()
    return len(text).to_bytes(8, "little") + text + b"".join(values.tobytes() for values in tensors.values())


def _table(name, values):
    lines = [f"[{name}]"] if name else []
    for key, value in values.items():
        lines.append(f"{key} = {json.dumps(value)}")  # text, numbers and lists of them look the same in TOML
    return "\n".join(lines) + "\n"


def write(folder, field, channels, grid=(), boundary="", context=None, nodes=2, normalizer="cascaded", members=1,
          precision="float32", seed=0, epsilon=1e-3, ranges=None):
    """`context` maps the parts of one (parameters, static, controls, control_fields) to their names; `ranges` are the
    lowest and the highest values of the channels in training."""
    draw, context = np.random.default_rng(seed), context or {}
    state = {"channels": list(channels), "dt_ref": 0.8, "delta_min": 0.1, "largest_dt": 0.8}
    state.update(zip(("ny", "nx")[2 - len(grid):], grid))
    if ranges:
        state["lowest"], state["highest"] = [list(values) for values in ranges]
    if boundary:
        state["boundary"] = boundary
    text = _table("", {"members": members, "precision": precision}) + _table("state", state)
    text += _table("context", {"nodes": nodes}) if context else ""
    for part, names in context.items():
        text += _table("context." + part, {"names": names, "mean": [0.3 * i - 0.2 for i in range(len(names))],
                                           "deviation": [0.5 + i for i in range(len(names))]})
    count = {part: len(context.get(part, [])) for part in ("parameters", "static", "controls", "control_fields")}
    shapes = shapes_of(field, len(channels) + count["static"] + nodes * count["control_fields"], grid,
                       count["parameters"] + nodes * count["controls"])
    weights, kind = {}, np.dtype(precision)
    for member in range(members):
        prefix = f"members.{member}." if members > 1 else ""
        for name, shape in shapes.items():
            weights[prefix + name] = _random(shape, draw, kind)
        weights[prefix + "step.frequencies"] = np.exp(np.arange(64) * (-np.log(100.0) / 64)).astype(kind)
    size = len(channels)
    statistics = {"state_mean": draw.standard_normal(size), "state_variance": draw.uniform(0.5, 4, size),
                  "velocity_mean": draw.standard_normal(size), "velocity_variance": draw.uniform(0.2, 2, size)}
    files = {"model.toml": (text + _table("field", field) + _table("normalizer", {"name": normalizer, "relative_epsilon": epsilon})).encode(),
             "normalizer.safetensors": _safetensors(statistics), "run.toml": b'[objective]\nname = "cvf"\n',
             "weights.safetensors": _safetensors(weights)}
    Path(folder).mkdir(parents=True)
    _put(folder, files)
    return folder


def _put(folder, files):
    manifest = "# cvf model, format 1\n"
    manifest += "".join(f"{hashlib.sha256(files[name]).hexdigest()}  {name}\n" for name in sorted(files))
    for name, content in {**files, "SHA256SUMS": manifest.encode()}.items():
        (Path(folder) / name).write_bytes(content)


def replace_weights(folder, weights, normalizer_of):
    """Other weights of the same shapes, and the statistics of another model."""
    files = {name: (Path(folder) / name).read_bytes() for name in ("model.toml", "run.toml")}
    _put(folder, {**files, "weights.safetensors": _safetensors(weights),
                  "normalizer.safetensors": (Path(normalizer_of) / "normalizer.safetensors").read_bytes()})
