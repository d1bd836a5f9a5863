"""What can go wrong, by the classes and codes of the program and of the library."""


class Error(RuntimeError):
    """One sentence that names the culprit and what would be right."""

    code = 1


class UsageError(Error):
    code = 2


class ConfigError(Error):
    code = 3


class DataError(Error):
    code = 4


class ModelError(Error):
    code = 5


class NumericsError(Error):
    code = 6


class Findings(Error):
    """`cvf data audit` found faults."""

    code = 7


class Interrupted(Error):
    code = 8


class DistributedError(Error):
    code = 9


_classes = {c.code: c for c in (UsageError, ConfigError, DataError, ModelError, NumericsError, Findings,
                                Interrupted, DistributedError)}


def error_of(code: int, sentence: str) -> Error:
    """The exception for a code, ready to be raised."""
    return _classes.get(code, Error)(sentence)
