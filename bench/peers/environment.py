"""The virtual environment of the other programs: standard library only, nothing outside its folder."""
import subprocess
import sys
import venv
from pathlib import Path

PACKAGES = ["numpy", "torch", "torchdiffeq", "torchode", "jax[cpu]", "diffrax", "neuraloperator", "onnxruntime"]
MODULES = "import numpy, torch, torchdiffeq, torchode, jax, diffrax, neuralop, onnxruntime"


def is_complete(python: Path) -> bool:
    return python.exists() and subprocess.run([str(python), "-c", MODULES], capture_output=True).returncode == 0


def set_up(folder: Path, torch_index=None) -> Path:
    """Makes it, or completes what is there; its interpreter."""
    python = folder / "bin" / "python"
    if is_complete(python):
        return python
    if sys.version_info < (3, 10):
        raise SystemExit("the other programs need Python 3.10 or newer: run this with one")
    print(f"-- {folder}: {', '.join(PACKAGES)}", file=sys.stderr, flush=True)
    if not python.exists():
        venv.create(folder, with_pip=True)
    install = [str(python), "-m", "pip", "install", "--quiet"]
    if torch_index:
        subprocess.run(install + ["--index-url", torch_index, "torch"], check=True)
    subprocess.run(install + PACKAGES, check=True)
    if not is_complete(python):
        raise SystemExit(f"{folder}: was installed, and yet this fails there: {MODULES}")
    return python
