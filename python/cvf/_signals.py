"""Signals while the library computes: a Python handler, that of Ctrl-C say, runs then and not when the call is over."""
import sys
import threading
from ctypes import CFUNCTYPE, c_int, c_void_p
from types import TracebackType
from typing import Any, List, Optional, Type

Stop = CFUNCTYPE(c_int, c_void_p)

# Handlers run on the main thread only, so there is one of each. A handler may call the library itself.
_raised: List[BaseException] = []
_depth = 0
_hook_before: Any = None


def _check(_user: Any) -> int:
    """The library calls this now and then. Entering it is what lets Python run its handlers."""
    return 1 if _raised else 0


_stop = Stop(_check)


def _hook(event: Any) -> None:
    """A handler that raises does so before the first line of `_check`, where nothing can catch it: ctypes reports the
    exception here."""
    where = event.exc_traceback
    if where is not None and where.tb_frame.f_code is _check.__code__:
        _raised.append(event.exc_value if event.exc_value is not None else event.exc_type())
    else:
        _hook_before(event)


class Heard:
    """with Heard(library): a call of the library. What a handler raised meanwhile has ended the call, and is raised here."""

    def __init__(self, library: Any):
        self._library = library
        self._is_main = threading.current_thread() is threading.main_thread()

    def __enter__(self) -> None:
        global _depth, _hook_before
        if not self._is_main:
            return
        _depth += 1
        if sys.unraisablehook is not _hook:
            _hook_before, sys.unraisablehook = sys.unraisablehook, _hook
        self._library.cvf_set_stop(_stop, None)

    def __exit__(self, kind: Optional[Type[BaseException]], error: Optional[BaseException],
                 trace: Optional[TracebackType]) -> None:
        global _depth
        if not self._is_main:
            return
        _depth -= 1
        if _depth == 0:
            self._library.cvf_set_stop(Stop(), None)
            sys.unraisablehook = _hook_before
        if _raised:
            first = _raised[0]
            _raised.clear()
            raise first.with_traceback(None) from None
