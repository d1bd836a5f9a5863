"""Data files of every layout that the program reads, as NumPy arrays."""
import os
import tempfile
from typing import Any, Dict, Optional, Sequence, Tuple, Union

import numpy as np

from .program import _flags, run


class Trajectories:
    """Samples of one length: states [N, T, ..., C], their times [N, T], and what they moved under."""

    def __init__(self, arrays: Dict[str, np.ndarray], file: str):
        self.file = file
        self.states: np.ndarray = arrays.pop("states")
        self.axes: Tuple[str, ...] = tuple(str(arrays.pop("axes")).split(","))
        self.channels: Tuple[str, ...] = tuple(str(name) for name in arrays.pop("channels"))
        self.boundary = str(arrays.pop("boundary"))
        self.attributes: Dict[str, str] = dict(
            str(line).split("=", 1) for line in arrays.pop("attributes", np.array([], dtype=str)))  # type: ignore
        names = [str(name) for name in arrays.pop("parameters")]
        self.parameters: Dict[str, np.ndarray] = {name: arrays[name] for name in names}
        self.times: np.ndarray = np.broadcast_to(arrays.pop("t"), self.states.shape[:2])
        self.coordinates: Dict[str, np.ndarray] = {axis: arrays.pop(axis) for axis in "zyx" if axis in arrays}
        self.static = {name[7:]: values for name, values in arrays.items() if name.startswith("static.")}
        self.controls = {name[8:]: values for name, values in arrays.items() if name.startswith("control.")}
        beside = ("static.", "control.")
        self.numbers: Dict[str, np.ndarray] = {name: v for name, v in arrays.items() if not name.startswith(beside)}

    def __len__(self) -> int:
        return len(self.states)

    def __repr__(self) -> str:
        shape = " x ".join(str(n) for n in self.states.shape)
        return f"<cvf.Trajectories {self.file}: {', '.join(self.channels)}, {shape} ({','.join(self.axes)})>"

    def first(self, channels_first: bool = True, frame: int = 0) -> np.ndarray:
        """A frame of all samples, [N, C, ...] as models take it."""
        frames = self.states[:, frame]
        return np.ascontiguousarray(np.moveaxis(frames, -1, 1)) if channels_first else frames

    def to_xarray(self) -> Any:
        """An xarray.Dataset: a variable for each channel, on sample, t and the axes of the grid."""
        import xarray
        grid = [axis for axis in self.axes if axis in "zyx"]
        together = bool(np.all(self.times == self.times[0]))
        coordinates: Dict[str, Any] = {axis: self.coordinates[axis] for axis in grid if axis in self.coordinates}
        coordinates["t" if together else "time"] = self.times[0] if together else (("sample", "t"), self.times)
        variables = {name: (["sample", "t"] + grid, self.states[..., i]) for i, name in enumerate(self.channels)}
        variables.update({name: (["sample"], values) for name, values in self.parameters.items()})
        variables.update({name: (["sample"] + grid, values) for name, values in self.static.items()})
        variables.update({name: (["sample", "t"], values) for name, values in self.controls.items()})
        return xarray.Dataset(variables, coords=coordinates, attrs={**self.attributes, "boundary": self.boundary})


def open_file(file: Union[str, "os.PathLike[str]"], samples: Optional[str] = None, channels: Optional[Sequence[str]] = None,
              dataset: Optional[str] = None, axes: Optional[str] = None, dt: Optional[float] = None,
              average: Optional[int] = None) -> Trajectories:
    """Reads a file of any layout: PDEBench, The Well, PDEArena, plain HDF5, NPY, NPZ, and forecasts of cvf.

    `dataset`, `axes` ("n,t,y,x,c") and `dt` say what a plain array does not. The arrays lie in memory: `samples`
    ("0:100"), `channels` and `average` (blocks of N x N cells) take a part.
    """
    options = {"samples": samples, "channels": list(channels) if channels else None, "dataset": dataset, "axes": axes,
               "dt": dt, "average": average}
    with tempfile.TemporaryDirectory(prefix="cvf-") as scratch:
        target = os.path.join(scratch, "arrays.npz")
        run(["data", "convert", os.fspath(file), target] + _flags(options))
        with np.load(target) as arrays:
            return Trajectories({name: arrays[name] for name in arrays.files}, os.fspath(file))
