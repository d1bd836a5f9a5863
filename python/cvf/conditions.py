"""What states move under, from names and arrays to the structs of the library."""
import ctypes
from typing import TYPE_CHECKING, Any, Dict, List, Mapping, Sequence

import numpy as np

from . import _library
from ._numbers import floats_of
from .errors import UsageError

if TYPE_CHECKING:
    from .model import Model

_words = ("parameters", "statics", "controls", "control_fields", "control_times")


def _stacked(what: str, names: Sequence[str], given: Any, shape: Sequence[int], batch: int, kind: Any) -> np.ndarray:
    """[B, len(names), *shape]: from a mapping of names, each of `shape` or [B, *shape]."""
    if given is None:
        given = {}
    if not isinstance(given, Mapping):
        raise UsageError(f"{what}: a mapping of names is wanted, one of {', '.join(names) or 'none'}")
    unknown = [name for name in given if name not in names]
    missing = [name for name in names if name not in given]
    if unknown or missing:
        raise UsageError(f"{what}: the model takes {', '.join(names) or 'none'}" +
                         (f", not {', '.join(unknown)}" if unknown else "") +
                         (f"; {', '.join(missing)} is missing" if missing else ""))
    columns: List[np.ndarray] = []
    for name in names:
        values = floats_of(given[name], f"{what}: '{name}'", kind)
        wanted = (batch,) + tuple(shape)
        if values.shape not in (wanted, tuple(shape)):
            raise UsageError(f"{what}: '{name}' has shape {values.shape}, and {tuple(shape)} or {wanted} is wanted")
        columns.append(np.broadcast_to(values, wanted))
    if not columns:
        return np.empty((batch, 0) + tuple(shape), dtype=kind)
    return np.ascontiguousarray(np.stack(columns, axis=1))


class Conditions:
    """Holds the arrays for as long as the library needs them. `argument` is what to hand over; None: nothing."""

    def __init__(self, model: "Model", batch: int, start: Any, context: Dict[str, Any]):
        unknown = [word for word in context if word not in _words]
        if unknown:
            raise UsageError(f"unknown argument {unknown[0]}; a context is given by {', '.join(_words)}")
        names = (model.parameters, model.statics, model.controls, model.control_fields)
        has_context = any(names) or any(value is not None for value in context.values())
        self.argument: Any = None
        if not has_context and isinstance(start, (int, float)) and start == 0:
            return  # as most states move
        self._start = model._each(start, batch, "start")
        self._contexts = (_library.Context * batch)()
        if has_context:
            self._fill(model, batch, context)
        struct = _library.Conditions(self._contexts if has_context else None, batch if has_context else 0,
                                     self._start.ctypes.data_as(ctypes.POINTER(ctypes.c_double)))
        self._struct = struct
        self.argument = ctypes.byref(struct)

    def _fill(self, model: "Model", batch: int, context: Dict[str, Any]) -> None:
        times = floats_of(context.get("control_times", ()), "control_times")
        moving = bool(model.controls or model.control_fields)
        if moving and times.size == 0:
            raise UsageError("control_times: the times of the controls are missing")
        if times.ndim not in (1, 2) or (times.ndim == 2 and len(times) != batch):
            raise UsageError(f"control_times: shape (T,) or ({batch}, T) is wanted, not {times.shape}")
        times = np.ascontiguousarray(np.broadcast_to(times, (batch, times.shape[-1])))
        count = times.shape[1]
        grid = model.grid

        def column(what: str, names: Sequence[str], shape: Sequence[int], kind: Any) -> np.ndarray:
            return _stacked(what, names, context.get(what), shape, batch, kind)

        parameters = column("parameters", model.parameters, (), np.float64)
        statics = column("statics", model.statics, grid, np.float32)
        # [B, names, T, ...] -> [B, T, names, ...], as the library has them
        controls = np.ascontiguousarray(column("controls", model.controls, (count,), np.float32).swapaxes(1, 2))
        fields = np.ascontiguousarray(
            column("control_fields", model.control_fields, (count,) + grid, np.float32).swapaxes(1, 2))
        self._arrays = (times, parameters, statics, controls, fields)
        doubles, floats = ctypes.POINTER(ctypes.c_double), ctypes.POINTER(ctypes.c_float)
        for i, struct in enumerate(self._contexts):
            struct.parameters = parameters[i].ctypes.data_as(doubles)
            struct.statics = statics[i].ctypes.data_as(floats)
            struct.times = times[i].ctypes.data_as(doubles)
            struct.time_count = count
            struct.controls = controls[i].ctypes.data_as(floats)
            struct.control_fields = fields[i].ctypes.data_as(floats)
