"""The configurations that are compared: run files, the trained folders of them, and the same networks in PyTorch."""
import os
import subprocess
from pathlib import Path

import torch
from torch.nn import functional as F

import cvf
from cvf import torch_field

SIT = {"name": "sit", "patch": 4, "depth": 4, "heads": 4}
CONV = {"name": "conv", "width": 32, "depth": 1, "patch": 1}
CONFIGURATIONS = {  # side of the grid, batch of training, field; S and A as in cvf bench field
    "sit-S": (32, 64, {**SIT, "width": 96}),
    "conv-32": (32, 16, CONV),
    "sit-A": (64, 32, {**SIT, "width": 128}),
    "conv-64": (64, 16, CONV),
}


def chosen(only):
    wanted = only.split(",") if only else list(CONFIGURATIONS)
    unknown = [name for name in wanted if name not in CONFIGURATIONS]
    if unknown:
        raise SystemExit(f"there is no configuration '{unknown[0]}': {', '.join(CONFIGURATIONS)}")
    return wanted


def settings(name, out, **more):
    """A run on waves, with nothing beside the steps of training."""
    side, batch, field = CONFIGURATIONS[name]
    return {"data.file": str(out / f"wave-{side}.h5"), "generate.name": "wave", "generate.grid": str(side),
            "generate.samples": 10, "generate.frames": 33, "split.train": "0:8", "split.validation": "8:9",
            "split.test": "9:10", "loader.batch": batch, "objective.name": "cvf", "objective.recipe": "plus", "objective.rupture.rows": 1.0,
            "optimizer.name": "adamw", "validation.steps": -1, "log.diagnostics": 0, "evaluation.samples": 0,
            **{f"field.{key}": value for key, value in field.items()}, **more}


def run_file(name, out, folder, **more):
    """`folder`.toml, written where the folder will be."""
    lines = []
    for key, value in settings(name, out, **more).items():
        lines.append(f"{key} = {value}" if isinstance(value, (int, float)) else f'{key} = "{value}"')
    path = Path(f"{folder}.toml")
    path.write_text("\n".join(lines) + "\n")
    return path


def train(name, out, folder, threads, **more):
    """`cvf train` from the beginning; its record, line by line."""
    file = run_file(name, out, folder, **more)
    subprocess.run([os.environ["CVF_PROGRAM"], "train", str(file), "--out", str(folder), "--overwrite", "--quiet",
                    "--threads", str(threads)], check=True, stdout=subprocess.DEVNULL)
    return cvf.results(folder, pandas=False)


def folder_of(name, out):
    """A model that has seen a few steps, which is enough for weights that are not zero."""
    folder = out / name
    if not (folder / "last" / "model.toml").exists():
        train(name, out, folder, 1, **{"train.steps": 3})
    return folder


class FastSit(torch_field.Sit):
    """PyTorch's own attention, which is faster than the three operations that say the same."""

    def _attention(self, block, x):
        b, n, width = x.shape
        q, k, v = block["qkv"](x).view(b, n, 3, self.heads, width // self.heads).permute(2, 0, 3, 1, 4)
        seen = F.scaled_dot_product_attention(q, k, v)
        return block["project"](seen.transpose(1, 2).reshape(b, n, width))


class FastConv(torch_field.Conv):
    """PyTorch's own padding, and the 1x1 convolution as one. Waves have periodic sides."""

    def _padded(self, x, reach):
        if set(sum(self.sides.values(), ())) != {"periodic"}:
            raise SystemExit(f"sides {self.sides}: periodic ones are compared here")
        return F.pad(x, (reach,) * 4, mode="circular")

    def forward(self, state, dt, conditions=None):
        x, c = self.lift(self._padded(state, 1)), self.step(dt, conditions)
        for block, dilation in zip(self.blocks, self.dilations):
            shift, scale, gate = (part[:, :, None, None] for part in block["modulate"](c).chunk(3, 1))
            h = self.activation(block["spatial"](self._padded(x, dilation)) * (1 + scale) + shift)
            mix = block["mix"]
            x = x + (1 + gate) * F.conv2d(h, mix.weight[:, :, None, None], mix.bias)
        return self.output(self._padded(self.activation(x), 1))


def torch_module(folder) -> torch_field.Surrogate:
    """As `to_torch` makes it, with the parts that PyTorch has something faster for."""
    module = torch_field.module_of(folder)
    module.field.__class__ = {torch_field.Sit: FastSit, torch_field.Conv: FastConv}[type(module.field)]
    return module
