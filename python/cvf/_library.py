"""libcvf, the runtime behind a loaded model: its functions and structs as cvf/cvf.h declares them."""
import ctypes
import ctypes.util
import functools
import os
from ctypes import POINTER, c_char_p, c_double, c_float, c_int, c_int32, c_int64, c_size_t, c_void_p
from pathlib import Path

from ._signals import Stop
from .errors import error_of

ABI_VERSION = 1
NUMERICS = 6


class Description(ctypes.Structure):
    _fields_ = [(name, c_char_p) for name in ("folder", "field", "normalizer", "solver", "boundary")] + [
        (name, c_int32) for name in ("channels", "parameters", "statics", "controls", "control_fields", "axes")] + [
        (name, c_int64) for name in ("ny", "nx", "state_values")] + [
        (name, c_double) for name in ("dy", "dx", "frame_interval", "shortest_step", "longest_step")]


class Context(ctypes.Structure):
    _fields_ = [("parameters", POINTER(c_double)), ("statics", POINTER(c_float)), ("times", POINTER(c_double)),
                ("time_count", c_size_t), ("controls", POINTER(c_float)), ("control_fields", POINTER(c_float))]


class Conditions(ctypes.Structure):
    _fields_ = [("contexts", POINTER(Context)), ("context_count", c_size_t), ("start_times", POINTER(c_double))]


class Result(ctypes.Structure):
    _fields_ = [("status", c_int32), ("reached", c_int32), ("time", c_double), ("step", c_double),
                ("evaluations", c_int64), ("accepted", c_int64), ("rejected", c_int64), ("largest_error", c_double)]


class AcceptedStep(ctypes.Structure):
    _fields_ = [("time", c_double), ("length", c_double), ("error", c_double)]


_doubles, _conditions = POINTER(c_double), POINTER(Conditions)


def _declare(library: ctypes.CDLL) -> None:
    def function(name, *arguments, result=c_int):
        getattr(library, name).argtypes, getattr(library, name).restype = list(arguments), result

    function("cvf_abi_version")
    function("cvf_version", result=c_char_p)
    function("cvf_message", result=c_char_p)
    function("cvf_model_load", c_char_p, POINTER(c_char_p), c_size_t, POINTER(c_void_p))
    function("cvf_model_on_grid", c_void_p, c_int64, c_int64, c_double, c_double, POINTER(c_void_p))
    function("cvf_model_free", c_void_p, result=None)
    function("cvf_model_set_threads", c_void_p, c_int)
    function("cvf_model_describe", c_void_p, POINTER(Description))
    function("cvf_model_members", c_void_p)
    function("cvf_model_name", c_void_p, c_int, c_size_t, result=c_char_p)
    for suffix, values in (("", POINTER(c_double)), ("_f32", POINTER(c_float))):
        for name in ("cvf_step", "cvf_advance"):
            function(name + suffix, c_void_p, c_size_t, values, _doubles, _conditions, POINTER(Result))
        function("cvf_nre" + suffix, c_void_p, c_size_t, values, _doubles, _conditions, _doubles)
        function("cvf_forecast_spread" + suffix, c_void_p, c_size_t, values, _doubles, c_size_t, c_size_t, _conditions,
                 values, values, POINTER(c_void_p))
        function("cvf_value_bars" + suffix, c_void_p, c_size_t, values, _doubles, c_double, values)
    function("cvf_set_stop", Stop, c_void_p, result=None)
    function("cvf_trace_free", c_void_p, result=None)
    function("cvf_trace_result", c_void_p, c_size_t, POINTER(Result))
    function("cvf_trace_target", c_void_p, c_size_t, c_size_t, POINTER(Result))
    function("cvf_trace_message", c_void_p, c_size_t, result=c_char_p)
    function("cvf_trace_steps", c_void_p, c_size_t, POINTER(POINTER(AcceptedStep)), POINTER(c_size_t))
    function("cvf_trace_nre", c_void_p, c_size_t, _doubles)
    function("cvf_trace_error_bars", c_void_p, c_size_t, c_double, _doubles)


def _path() -> str:
    given = os.environ.get("CVF_LIBRARY")
    if given:
        return given
    for beside in sorted(Path(__file__).parent.glob("libcvf.so*")):
        return str(beside)
    found = ctypes.util.find_library("cvf")
    if found is None:
        raise ImportError("libcvf.so is neither in the package nor installed; `pip install .` in a clone of cvf "
                          "builds it, or CVF_LIBRARY names one")
    return found


@functools.lru_cache(maxsize=None)
def library() -> ctypes.CDLL:
    """Loaded at its first use. Calls release the interpreter's lock."""
    path = _path()
    loaded = ctypes.CDLL(path)
    if loaded.cvf_abi_version() != ABI_VERSION:
        raise ImportError(f"{path} has interface {loaded.cvf_abi_version()}, and this package is for {ABI_VERSION}")
    try:
        _declare(loaded)
    except AttributeError as error:
        raise ImportError(f"{path} is older than this package: {error}") from None
    return loaded


def check(code: int) -> None:
    """Raises what the library says of a call that failed."""
    if code != 0:
        raise error_of(code, library().cvf_message().decode())
