"""A trained model: steps and forecasts of states in physical units."""
import ctypes
import operator
import os
from pathlib import Path
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple, Union

import numpy as np

from . import _library
from ._library import check, library
from ._numbers import floats_of, numbers_of
from ._signals import Heard
from .conditions import Conditions
from .errors import ModelError, UsageError, error_of
from .forecast import STATUS, Forecast, warn_of_departure

PathLike = Union[str, "os.PathLike[str]"]
Settings = Union[Mapping[str, Any], Sequence[str]]


def setting_text(value: Any) -> str:
    """A value as `--set key=value` takes it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(f'"{v}"' if isinstance(v, str) else setting_text(v) for v in value) + "]"
    return str(value)


def assignments(settings: Optional[Settings]) -> List[str]:
    if settings is None:
        return []
    if isinstance(settings, Mapping):
        return [f"{key}={setting_text(value)}" for key, value in settings.items()]
    return list(settings)


def pointer(values: np.ndarray, kind: Any) -> Any:
    return values.ctypes.data_as(ctypes.POINTER(kind))


def whole_number(value: Any, what: str, most: int) -> int:
    """An int from 1 to `most`: ctypes would cut off what does not fit."""
    number = operator.index(value)
    if not 1 <= number <= most:
        raise UsageError(f"{what}: {number} is not from 1 to {most}")
    return number


def loaded_again(folder: str, words: List[str], threads: int, grid: Tuple[int, ...], checksums: bytes) -> "Model":
    """The model that was copied or pickled, from its folder."""
    model = Model(folder, settings=words, threads=threads)
    if model._checksums != checksums:
        raise ModelError(f"{folder}: holds another model than the one that was copied or pickled; load it anew")
    return model if model.grid == grid else model.on_grid(*grid)


class Model:
    """One loaded model. It never changes, so any number of threads may use it at once.

    States are [C] (a vector), [C, X] or [C, Y, X], or a batch of these with an axis in front; float32 stays float32,
    everything else becomes float64. What comes back has the shape and type of what was given. Where the model has a
    context, `parameters`, `statics`, `controls` and `control_fields` give it by name, for all states or with a batch axis;
    `controls` and `control_fields` are series at the times `control_times`. A model of several `members` moves each of
    them by itself and gives their mean.

    A copy and an unpickled model are loaded from the folder, which must still hold this very model.
    """

    def __init__(self, folder: PathLike, solver: Optional[str] = None, settings: Optional[Settings] = None,
                 threads: int = 1):
        words = ([f"solver.name={solver}"] if solver else []) + assignments(settings)
        encoded = (ctypes.c_char_p * len(words))(*[word.encode() for word in words])
        handle = ctypes.c_void_p()
        check(library().cvf_model_load(os.fsencode(folder), encoded, len(words), ctypes.byref(handle)))
        self._take(handle, threads, words)

    def _take(self, handle: ctypes.c_void_p, threads: int, words: List[str]) -> None:
        self._handle: Optional[ctypes.c_void_p] = handle
        self._words = words
        about = _library.Description()
        check(library().cvf_model_describe(handle, ctypes.byref(about)))
        self.folder: str = os.fsdecode(about.folder)
        self.field: str = about.field.decode()
        self.normalizer: str = about.normalizer.decode()
        self.solver: str = about.solver.decode()
        self.boundary: str = about.boundary.decode()
        self.channels = self._names(0, about.channels)
        self.parameters = self._names(1, about.parameters)
        self.statics = self._names(2, about.statics)
        self.controls = self._names(3, about.controls)
        self.control_fields = self._names(4, about.control_fields)
        self.grid: Tuple[int, ...] = (about.ny, about.nx)[2 - about.axes:] if about.axes else ()
        self.spacing: Tuple[float, ...] = (about.dy, about.dx)[2 - about.axes:] if about.axes else ()
        self.frame_interval: float = about.frame_interval
        self.shortest_step: float = about.shortest_step
        self.longest_step: float = about.longest_step
        self.members: int = library().cvf_model_members(handle)
        sums = Path(self.folder, "SHA256SUMS")
        self._checksums = sums.read_bytes() if sums.is_file() else b""
        self._threads = 1
        if threads != 1:
            self.threads = threads

    def __del__(self) -> None:
        if getattr(self, "_handle", None) is not None:
            library().cvf_model_free(self._handle)
            self._handle = None

    def __reduce__(self) -> Tuple[Any, ...]:
        return loaded_again, (os.path.abspath(self.folder), self._words, self._threads, self.grid, self._checksums)

    def __repr__(self) -> str:
        grid = " x ".join(str(n) for n in self.grid) or "vector"
        field = self.field if self.members == 1 else f"{self.members} members of {self.field}"
        return (f"<cvf.Model {self.folder}: {field}, {', '.join(self.channels)} on {grid}, steps to "
                f"{self.longest_step:g}, {self.solver}>")

    def _names(self, kind: int, count: int) -> Tuple[str, ...]:
        return tuple(library().cvf_model_name(self._handle, kind, i).decode() for i in range(count))

    @property
    def state_shape(self) -> Tuple[int, ...]:
        """Of one state: channels, then the grid."""
        return (len(self.channels),) + self.grid

    @property
    def threads(self) -> int:
        """Of each call; 1 unless you say otherwise."""
        return self._threads

    @threads.setter
    def threads(self, count: int) -> None:
        number = whole_number(count, "threads", 2**31 - 1)
        check(library().cvf_model_set_threads(self._handle, number))
        self._threads = number

    def on_grid(self, *grid: int, spacing: Optional[Sequence[float]] = None) -> "Model":
        """The same weights on another grid of the training spacing, where the field has no positions (conv)."""
        if len(grid) != len(self.grid):
            raise UsageError(f"{self.folder}: a grid of {len(self.grid)} sizes is wanted, not {len(grid)}")
        steps = tuple(spacing or (0.0,) * len(grid))
        ny, nx = ((1,) + tuple(whole_number(n, "grid", 2**63 - 1) for n in grid))[-2:]
        dy, dx = ((0.0,) + steps)[-2:]
        handle = ctypes.c_void_p()
        check(library().cvf_model_on_grid(self._handle, ny, nx, dy, dx, ctypes.byref(handle)))
        other = object.__new__(Model)
        other._take(handle, self._threads, self._words)
        return other

    def _states(self, values: Any) -> Tuple[np.ndarray, bool]:
        """A copy [B, ...] in memory of its own, and whether a batch was given."""
        given = numbers_of(values, "states")
        kind = np.float32 if given.dtype == np.float32 else np.float64
        shape = self.state_shape
        if given.shape[-len(shape):] != shape or given.ndim not in (len(shape), len(shape) + 1):
            wanted = ", ".join(str(n) for n in shape)
            raise UsageError(f"{self.folder}: states of shape ({wanted}) or (batch, {wanted}) are wanted, not "
                             f"{tuple(given.shape)}")
        if given.ndim > len(shape) and len(given) == 0:
            raise UsageError(f"states: the batch is empty, of shape {tuple(given.shape)}; give one state or more")
        copied = np.array(floats_of(given, "states", kind), order="C")
        return copied.reshape((-1,) + shape), given.ndim > len(shape)

    @staticmethod
    def _each(values: Any, batch: int, what: str) -> np.ndarray:
        numbers = floats_of(values, what)
        if numbers.shape == (batch,):
            return np.ascontiguousarray(numbers)
        try:
            return np.ascontiguousarray(np.broadcast_to(numbers, (batch,)))
        except ValueError:
            raise UsageError(f"{what}: one number, or one for each of {batch} states, not shape "
                             f"{np.shape(values)}") from None

    def _call(self, name: str, states: np.ndarray, *arguments: Any) -> int:
        single = states.dtype == np.float32
        function = getattr(library(), name + ("_f32" if single else ""))
        kind = ctypes.c_float if single else ctypes.c_double
        with Heard(library()):
            return function(self._handle, len(states), pointer(states, kind), *arguments)

    def _move(self, name: str, state: Any, dt: Any, start: Any, context: Dict[str, Any]) -> np.ndarray:
        states, batched = self._states(state)
        steps = self._each(dt, len(states), "dt")
        conditions = Conditions(self, len(states), start, context)
        results = (_library.Result * len(states))()
        check(self._call(name, states, pointer(steps, ctypes.c_double), conditions.argument, results))
        outside = [i for i, result in enumerate(results) if STATUS[result.status] == "outside_training"]
        if outside:
            warn_of_departure(f"state {outside[0]}: the state or the step is far outside of what the model was "
                              "trained on: it extrapolates", 2)
        return states if batched else states[0]

    def step(self, state: Any, dt: Any, *, start: Any = 0.0, **context: Any) -> np.ndarray:
        """One evaluation, state + dt * psi(state, dt): the cheapest step there is, and nobody checks it."""
        return self._move("cvf_step", state, dt, start, context)

    def advance(self, state: Any, dt: Any, *, start: Any = 0.0, **context: Any) -> np.ndarray:
        """The state dt later, in as many steps as the solver finds right."""
        return self._move("cvf_advance", state, dt, start, context)

    def nre(self, state: Any, dt: Any, *, start: Any = 0.0, **context: Any) -> Union[float, np.ndarray]:
        """The normalised rupture error that a step of dt would have."""
        states, batched = self._states(state)
        steps = self._each(dt, len(states), "dt")
        out = np.empty(len(states))
        conditions = Conditions(self, len(states), start, context)
        check(self._call("cvf_nre", states, pointer(steps, ctypes.c_double), conditions.argument,
                         pointer(out, ctypes.c_double)))
        return out if batched else float(out[0])

    def forecast(self, state: Any, times: Any, *, start: Any = 0.0, **context: Any) -> Forecast:
        """The states at increasing times, [T] for all or [B, T], on the clock on which the states are at `start`.

        A state that does not get there is NaN from then on; `status` and `messages` of the forecast say why.
        """
        states, batched = self._states(state)
        wanted = np.atleast_2d(np.ascontiguousarray(floats_of(times, "times")))
        if wanted.ndim != 2 or len(wanted) not in (1, len(states)) or wanted.shape[1] == 0:
            raise UsageError(f"times: shape (T,) or ({len(states)}, T) is wanted, not {np.shape(times)}")
        begin = self._each(start, len(states), "start")
        every = np.broadcast_to(wanted, (len(states), wanted.shape[1]))
        at_start = bool(np.all(every[:, 0] == begin))  # as in np.linspace(0, 1, 11)
        targets = np.ascontiguousarray(wanted[:, 1:] if at_start else wanted)
        size = (len(states), wanted.shape[1]) + self.state_shape
        out = np.full(size, np.nan, dtype=states.dtype)
        spread = np.full(size, np.nan, dtype=states.dtype) if self.members > 1 else None
        trace = ctypes.c_void_p()
        if targets.shape[1] > 0:
            kind = ctypes.c_float if states.dtype == np.float32 else ctypes.c_double
            reached = [None if all_of is None else np.ascontiguousarray(all_of[:, -targets.shape[1]:])
                       for all_of in (out, spread)]
            conditions = Conditions(self, len(states), begin, context)
            code = self._call("cvf_forecast_spread", states, pointer(targets, ctypes.c_double), len(targets),
                              targets.shape[1], conditions.argument,
                              *[None if some is None else pointer(some, kind) for some in reached],
                              ctypes.byref(trace))
            if code not in (0, _library.NUMERICS) or not trace:
                raise error_of(code, library().cvf_message().decode())
            for all_of, some in zip((out, spread), reached):
                if all_of is not None:
                    all_of[:, -targets.shape[1]:] = some
        if at_start:
            out[:, 0] = states
            if spread is not None:
                spread[:, 0] = 0
        forecast = Forecast(self, out, spread, every - begin[:, None], every, trace, at_start, batched)
        for i, status in enumerate([forecast.status] if not batched else forecast.status):
            if status == "outside_training":
                message = forecast.messages[i] if batched else forecast.messages
                warn_of_departure(f"state {i}: {message}", 1)
                break
        return forecast

    def to_torch(self) -> Any:
        """The same network as a torch.nn.Module, to be differentiated or trained on there."""
        from .torch_field import module_of
        return module_of(self.folder)
