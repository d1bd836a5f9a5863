"""cvf: surrogates of physical dynamics, learnt from snapshots and stepped by any time interval.

    import cvf
    run = cvf.train("configs/pendulum.toml")          # through the program; Ctrl-C saves, the same call goes on
    model = cvf.load(run)                             # through libcvf: no LibTorch, no program
    later = model.step(state, 0.05)                   # one evaluation
    forecast = model.forecast(state, times)           # states, steps, nre, status, error bars
"""
from .data import Trajectories, open_file
from .errors import (ConfigError, DataError, DistributedError, Error, Findings, Interrupted, ModelError, NumericsError,
                     UsageError)
from .forecast import Forecast
from .model import Model
from .program import Run, calibrate, evaluate, study, train
from .records import results

load = Model
open = open_file

__all__ = ["ConfigError", "DataError", "DistributedError", "Error", "Findings", "Forecast", "Interrupted", "Model",
           "ModelError", "NumericsError", "Run", "Trajectories", "UsageError", "calibrate", "evaluate", "load", "open",
           "results", "study", "train"]
__version__ = "0.1.0"
