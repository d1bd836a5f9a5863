"""What a forecast gives: the states, and how it got there."""
import ctypes
import warnings
from typing import TYPE_CHECKING, List, Optional, Union

import numpy as np

from . import _library
from ._library import check, library
from ._signals import Heard
from .errors import UsageError

if TYPE_CHECKING:
    from .model import Model

STATUS = ("done", "at_floor", "too_many_probes", "too_many_steps", "step_underflow", "non_finite",
          "outside_training")

step_type = np.dtype([("time", np.float64), ("length", np.float64), ("error", np.float64)])


def warn_of_departure(message: str, level: int) -> None:
    """On the line of the caller that is `level` functions above the one that calls this."""
    warnings.warn(message, RuntimeWarning, stacklevel=2 + level)


class Forecast:
    """The states of a batch at their times. A forecast of one state has no batch axis anywhere."""

    def __init__(self, model: "Model", states: np.ndarray, spread: Optional[np.ndarray], lead_times: np.ndarray,
                 times: np.ndarray, trace: ctypes.c_void_p, at_start: bool, batched: bool):
        self._model = model
        self._spread, self._lead_times = spread, lead_times
        self._trace = trace
        self._batched = batched
        self._first = 1 if at_start else 0  # targets before the first one that was asked of the solver
        self._size = states.shape[:2]
        self._states, self._times = states, times

    def __del__(self) -> None:
        if self._trace:
            library().cvf_trace_free(self._trace)
            self._trace = ctypes.c_void_p()

    def __reduce__(self) -> str:
        raise TypeError("a forecast cannot be copied or pickled, since the library keeps its steps; take its arrays: states, "
                        "times, nre")

    def __repr__(self) -> str:
        status = self.status if self._batched else [self.status]
        return f"<cvf.Forecast of {self._size[0]} states at {self._size[1]} times: {', '.join(sorted(set(status)))}>"

    def _each(self, values: np.ndarray) -> np.ndarray:
        return values if self._batched else values[0]

    @property
    def states(self) -> np.ndarray:
        """[B, T, C, ...], NaN where a state was not reached."""
        return self._each(self._states)

    @property
    def times(self) -> np.ndarray:
        """[B, T]"""
        return self._each(self._times)

    @property
    def spread(self) -> Optional[np.ndarray]:
        """Of several members, whose mean the states are: their standard deviation, shaped as the states; else None."""
        return None if self._spread is None else self._each(self._spread)

    def _results(self) -> List[_library.Result]:
        out = []
        for sample in range(self._size[0]):
            result = _library.Result(reached=1)
            if self._trace:
                check(library().cvf_trace_result(self._trace, sample, ctypes.byref(result)))
            out.append(result)
        return out

    @property
    def status(self) -> Union[str, List[str]]:
        """The worst that happened to each state: done, at_floor, ..., non_finite. "outside_training": it got there, by
        states or steps far outside of what the model was trained on."""
        words = [STATUS[result.status] for result in self._results()]
        return words if self._batched else words[0]

    @property
    def ok(self) -> bool:
        """Every state reached its last time, none of them outside of what the model was trained on."""
        return all(result.reached and STATUS[result.status] != "outside_training" for result in self._results())

    @property
    def messages(self) -> Union[str, List[str]]:
        """A sentence about each state that did not go all well, else an empty one."""
        texts = [library().cvf_trace_message(self._trace, i).decode() if self._trace else ""
                 for i in range(self._size[0])]
        return texts if self._batched else texts[0]

    @property
    def evaluations(self) -> Union[int, np.ndarray]:
        """Of the network, for each state."""
        counts = np.array([result.evaluations for result in self._results()])
        return counts if self._batched else int(counts[0])

    @property
    def nre(self) -> np.ndarray:
        """[B, T]: the largest NRE of a step on the way to each time. gcs measures it as it goes (dopri5, tsit5: their
        own error beside its tolerance). With euler a second pass measures it at the first request, three
        evaluations a step. NaN: rk4, and a field that does not see its step."""
        out = np.full(self._size, np.nan)
        for sample in range(self._size[0] if self._trace else 0):
            errors = np.empty(self._size[1] - self._first)
            with Heard(library()):
                code = library().cvf_trace_nre(self._trace, sample, errors.ctypes.data_as(ctypes.POINTER(ctypes.c_double)))
            check(code)
            out[sample, self._first:] = errors
        return self._each(out)

    @property
    def steps(self) -> Union[np.ndarray, List[np.ndarray]]:
        """The accepted steps of each state (of its first member): time, length and error of each."""
        out = []
        for sample in range(self._size[0]):
            steps, count = ctypes.POINTER(_library.AcceptedStep)(), ctypes.c_size_t()
            if self._trace:
                check(library().cvf_trace_steps(self._trace, sample, ctypes.byref(steps), ctypes.byref(count)))
            taken = np.empty(count.value, dtype=step_type)
            for i in range(count.value):
                taken[i] = (steps[i].time, steps[i].length, steps[i].error)
            out.append(taken)
        return out if self._batched else out[0]

    def error_bars(self, coverage: float = 0.9) -> np.ndarray:
        """[B, T]: RMSE that a forecast stays inside with this probability. Needs `cvf evaluate RUN --calibrate`;
        load the model after that where the bars go by step doubling."""
        out = np.zeros(self._size)
        for sample in range(self._size[0] if self._trace else 0):
            bars = np.empty(self._size[1] - self._first)
            with Heard(library()):
                code = library().cvf_trace_error_bars(self._trace, sample, coverage,
                                                      bars.ctypes.data_as(ctypes.POINTER(ctypes.c_double)))
            check(code)
            out[sample, self._first:] = bars
        return self._each(out)

    def value_bars(self, coverage: float = 0.9) -> np.ndarray:
        """Shaped as the states: what the error of each value stays inside. Needs members and a calibration by their
        spread, which is what `cvf evaluate RUN --calibrate` makes of such a model."""
        if self._spread is None:
            raise UsageError("the model has one member, so there are no bars of single values")
        kind = ctypes.c_float if self._spread.dtype == np.float32 else ctypes.c_double
        given = np.ascontiguousarray(self._spread[:, self._first:])
        lead = np.ascontiguousarray(self._lead_times[:, self._first:])
        reached, out = np.zeros_like(given), np.zeros_like(self._spread)
        function = getattr(library(), "cvf_value_bars" + ("_f32" if kind is ctypes.c_float else ""))
        check(function(self._model._handle, lead.size, given.ctypes.data_as(ctypes.POINTER(kind)),
                       lead.ctypes.data_as(ctypes.POINTER(ctypes.c_double)), coverage,
                       reached.ctypes.data_as(ctypes.POINTER(kind))))
        out[:, self._first:] = reached
        return self._each(out)
