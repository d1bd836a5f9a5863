"""The program: training, evaluation and studies as the command line has them, with errors as exceptions."""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
from pathlib import Path
from typing import Any, Callable, Dict, List, Mapping, Optional, Union

from .errors import Error, UsageError, error_of
from .model import Model, PathLike, Settings, assignments, setting_text

Progress = Union[bool, Callable[[str], None]]


def program() -> str:
    """CVF_PROGRAM, else the one beside the package, else the one on the path."""
    given = os.environ.get("CVF_PROGRAM")
    beside = Path(__file__).parent / "cvf"
    found = given or (str(beside) if beside.is_file() else None) or shutil.which("cvf")
    if found is None:
        raise UsageError("the program cvf is not on the path; `make build` in a clone makes build/cvf, the Debian package "
                         "brings it, and CVF_PROGRAM names one")
    return found


def run(arguments: List[str], progress: Progress = False) -> str:
    """Runs `cvf ARGUMENTS` and gives what it prints. `progress`: True shows what it says meanwhile, a function gets each line."""
    last = ""
    with tempfile.TemporaryFile("w+") as printed, subprocess.Popen(
            [program()] + arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            errors="replace") as child:
        reader = threading.Thread(target=lambda: shutil.copyfileobj(child.stdout, printed), daemon=True)
        reader.start()
        try:
            for line in child.stderr:
                line = line.rstrip("\n")
                last = line or last
                if callable(progress):
                    progress(line)
                elif progress:
                    print(line, file=sys.stderr)
            code = child.wait()
        except KeyboardInterrupt:  # the program has it, too: it saves and ends
            child.wait()
            raise
        reader.join()
        if code != 0:
            raise error_of(code, last[5:] if last.startswith("cvf: ") else last or f"cvf ended with code {code}")
        printed.seek(0)
        return printed.read()


def _toml(table: Mapping[str, Any], prefix: str = "") -> List[str]:
    lines = []
    for key, value in table.items():
        name = f"{prefix}{key}"
        if isinstance(value, Mapping):
            lines += _toml(value, name + ".")
        else:
            lines.append(f"{name} = {json.dumps(value) if isinstance(value, str) else setting_text(value)}")
    return lines


class Run:
    """The folder of a run."""

    def __init__(self, folder: PathLike):
        self.folder = os.fspath(folder)

    def __repr__(self) -> str:
        return f"<cvf.Run {self.folder}>"

    def __fspath__(self) -> str:
        return self.folder

    def load(self, **options: Any) -> Model:
        """Its best, else its last model."""
        return Model(self.folder, **options)

    def evaluate(self, **options: Any) -> Dict[str, Any]:
        return evaluate(self.folder, **options)

    def calibrate(self, **options: Any) -> str:
        return calibrate(self.folder, **options)


def train(config: Union[PathLike, Mapping[str, Any]], out: Optional[PathLike] = None, settings: Optional[Settings] = None,
          overwrite: bool = False, progress: Progress = False) -> Run:
    """Trains what a run file, or a dictionary of its tables, says. The same call goes on after a stop."""
    with tempfile.TemporaryDirectory() as scratch:
        if isinstance(config, Mapping):
            if out is None:
                raise UsageError("out: a dictionary has no name, so say which folder the run has")
            file = os.path.join(scratch, "run.toml")
            Path(file).write_text("\n".join(_toml(config)) + "\n")
        else:
            file = os.fspath(config)
        folder = os.fspath(out) if out is not None else os.path.join("runs", Path(file).stem)
        words = [word for setting in assignments(settings) for word in ("--set", setting)]
        run(["train", file, "--out", folder] + words + (["--overwrite"] if overwrite else []), progress)
        return Run(folder)


def _flags(options: Mapping[str, Any]) -> List[str]:
    words = []
    for key, value in options.items():
        flag = "--" + key.replace("_", "-")
        if value is True:
            words.append(flag)
        elif value is not None and value is not False:
            words += [flag, ",".join(map(str, value)) if isinstance(value, (list, tuple)) else str(value)]
    return words


def evaluate(model: PathLike, settings: Optional[Settings] = None, progress: Progress = False,
             **options: Any) -> Dict[str, Any]:
    """A model against the truth of its test samples, as `cvf evaluate --json` gives it. Options are the flags of the verb:
    protocol="direct", every=8, data="other.h5", ..."""
    words = [word for setting in assignments(settings) for word in ("--set", setting)]
    return json.loads(run(["evaluate", os.fspath(model), "--json"] + _flags(options) + words, progress))


def calibrate(model: PathLike, settings: Optional[Settings] = None, progress: Progress = False, **options: Any) -> str:
    """Learns from the run's validation samples how large errors are, for error bars and for solver.tolerance; gives what
    `cvf evaluate --calibrate` prints. Options are flags of the verb: score="spread", ..."""
    words = [word for setting in assignments(settings) for word in ("--set", setting)]
    return run(["evaluate", os.fspath(model), "--calibrate"] + _flags(options) + words, progress)


def study(file: PathLike, out: Optional[PathLike] = None, preset: Optional[str] = None, jobs: Optional[int] = None,
          settings: Optional[Settings] = None, progress: Progress = False) -> List[Dict[str, Any]]:
    """Trains and evaluates the cells of a study, and gives its records. The same call goes on after a stop."""
    from .records import results
    folder = os.fspath(out) if out is not None else os.path.join("out", "studies", Path(file).stem)
    words = [word for setting in assignments(settings) for word in ("--set", setting)]
    run(["study", os.fspath(file), "--out", folder] + _flags({"preset": preset, "jobs": jobs}) + words, progress)
    return results(folder, pandas=False)
