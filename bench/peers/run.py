"""cvf beside other programs, on the same shapes and data and in turns: one command, one table.

    python3 bench/peers/run.py                      # everything; about half an hour of two cores
    python3 bench/peers/run.py --parts latency,lorenz --without-compile

Sets up a virtual environment (out/peers/venv, some gigabytes) with PyTorch, torchdiffeq, torchode, diffrax, neuraloperator and
ONNX Runtime, and nothing of theirs anywhere else. Each part runs in a process of its own and leaves its figures as JSON
beside the table, so a part can be measured again alone:

  latency   one step, batch 1 and 16, 1 and 2 threads: libcvf, ONNX Runtime on the exported model, PyTorch eager and compiled
  training  samples a second with the cvf loss, 1 and 2 threads: cvf train against PyTorch eager and compiled
  lorenz    dopri5 on 256 Lorenz systems: cvf bench solvers against torchdiffeq, torchode and diffrax
  fno       error after equal CPU seconds on one thread: cvf (conv) against neuraloperator's FNO, on and off the training grid
"""
import argparse
import os
import subprocess
import sys
from pathlib import Path

import environment
import table

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--parts", default="latency,training,lorenz,fno", help="which parts, comma separated")
    parser.add_argument("--out", default="out/peers", type=Path, help="folder for figures, models and the table")
    parser.add_argument("--venv", type=Path, help="folder of the virtual environment (OUT/venv)")
    parser.add_argument("--build", default=ROOT / "build", type=Path, help="where cvf and libcvf.so were built")
    parser.add_argument("--torch-index", help="index to take torch from: one of CPU wheels is much smaller than PyPI's")
    parser.add_argument("--repeats", type=int, default=7, help="turns of each measurement")
    parser.add_argument("--threads", default="1,2", help="numbers of threads of latency and training")
    parser.add_argument("--seconds", type=float, default=60, help="CPU seconds of each training of fno")
    parser.add_argument("--only", default="", help="configurations of latency and training, comma separated: all, or some of "
                                                   "sit-S, sit-A, conv-32, conv-64")
    parser.add_argument("--passive", action="store_true", help="threads of the others sleep while they wait instead of spinning, "
                                                                "which suits a machine that other programs use")
    parser.add_argument("--without-compile", action="store_true", help="leave torch.compile out, which takes minutes")
    return parser.parse_args()


def main():
    given = arguments()
    out = given.out.resolve()
    out.mkdir(parents=True, exist_ok=True)
    python = environment.set_up((given.venv or out / "venv").resolve(), given.torch_index)
    program, library = given.build.resolve() / "cvf", given.build.resolve() / "libcvf.so"
    for file in (program, library):
        if not file.exists():
            raise SystemExit(f"{file} is not there: build it first (make build), or name another place with --build")

    def measure(script, name, threads, *words):
        result = out / f"{name}.json"
        command = [str(python), str(HERE / script), "--out", str(out), "--result", str(result), "--repeats",
                   str(given.repeats), "--threads", str(threads), *words]
        surroundings = dict(os.environ, PYTHONPATH=f"{ROOT / 'python'}:{HERE}", CVF_PROGRAM=str(program),
                            CVF_LIBRARY=str(library), OMP_NUM_THREADS=str(threads), OPENBLAS_NUM_THREADS=str(threads),
                            TORCHINDUCTOR_CACHE_DIR=str(out / "compiled"))
        if given.passive:
            surroundings["OMP_WAIT_POLICY"] = "PASSIVE"
        print(f"-- {name}", file=sys.stderr, flush=True)
        if subprocess.run(command, cwd=ROOT, env=surroundings).returncode != 0:
            raise SystemExit(f"{name}: {script} failed; what was measured before is in {out}")

    networks = (["--only", given.only] if given.only else []) + (["--without-compile"] if given.without_compile else [])
    for part in given.parts.split(","):
        if part in ("latency", "training"):
            for threads in given.threads.split(","):
                measure(f"{part}.py", f"{part}-{threads}", threads, *networks)
        elif part == "lorenz":
            measure("lorenz.py", "lorenz", 1)
        elif part == "fno":
            measure("fno.py", "fno", 1, "--seconds", str(given.seconds))
        else:
            raise SystemExit(f"there is no part '{part}': latency, training, lorenz, fno")
    text = table.markdown(out)
    (out / "table.md").write_text(text)
    print(text)


if __name__ == "__main__":
    main()
