"""The files of a model's folder, read without anything but NumPy."""
import json
import os
from pathlib import Path
from typing import Any, Dict, Union

import numpy as np

from .errors import ModelError

try:
    import tomllib
except ModuleNotFoundError:  # before Python 3.11
    import tomli as tomllib  # type: ignore

_types = {"F64": np.float64, "F32": np.float32, "I64": np.int64, "I32": np.int32, "U8": np.uint8}


def model_folder(path: Union[str, "os.PathLike[str]"]) -> Path:
    """A model's folder, or the best, else the last model of a run's."""
    for folder in (Path(path), Path(path) / "best", Path(path) / "last"):
        if (folder / "model.toml").is_file():
            return folder
    raise ModelError(f"{os.fspath(path)}: neither a model's folder nor a run with one: there is no model.toml")


def settings_of(folder: Path) -> Dict[str, Any]:
    """model.toml as nested dictionaries."""
    with open(folder / "model.toml", "rb") as file:
        return tomllib.load(file)


def tensors_of(file: Path) -> Dict[str, np.ndarray]:
    """All tensors of a safetensors file."""
    content = file.read_bytes()
    length = int.from_bytes(content[:8], "little")
    if len(content) < 8 or length > len(content) - 8:
        raise ModelError(f"{file}: is cut short")
    out = {}
    for name, entry in json.loads(content[8:8 + length]).items():
        if name == "__metadata__":
            continue
        if entry["dtype"] not in _types:
            raise ModelError(f"{file}: '{name}' has the type {entry['dtype']}, which is not read")
        begin, end = (8 + length + offset for offset in entry["data_offsets"])
        out[name] = np.frombuffer(content[begin:end], dtype=_types[entry["dtype"]]).reshape(entry["shape"]).copy()
    return out
