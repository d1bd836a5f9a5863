"""Arrays of real numbers, from whatever a caller gives."""
from typing import Any, Type

import numpy as np


def array_of(values: Any) -> np.ndarray:
    """Anything that NumPy, __array__ or __dlpack__ can turn into an array."""
    if isinstance(values, np.ndarray) or hasattr(values, "__array__") or not hasattr(values, "__dlpack__"):
        return np.asarray(values)
    return np.from_dlpack(values)


def numbers_of(values: Any, what: str) -> np.ndarray:
    """The same where it loses nothing: a TypeError for values that are no real numbers (complex, datetime64, text), a
    ValueError for masked ones. `what` names the argument."""
    parts = values if isinstance(values, (list, tuple)) else [values]
    masked = sum(int(np.ma.count_masked(part)) for part in parts if isinstance(part, np.ma.MaskedArray))
    if masked > 0:
        raise ValueError(f"{what}: {masked} values are masked; fill them, or leave these states out")
    out = array_of(values)
    if out.dtype.kind not in "biufO":
        raise TypeError(f"{what}: real numbers are wanted, not {out.dtype}")
    return out


def floats_of(values: Any, what: str, kind: Type[Any] = np.float64) -> np.ndarray:
    """As an array of float64, or of float32."""
    try:
        return numbers_of(values, what).astype(kind, copy=False)
    except (TypeError, ValueError) as error:
        if str(error).startswith(what):
            raise
        raise TypeError(f"{what}: real numbers are wanted ({error})") from None
