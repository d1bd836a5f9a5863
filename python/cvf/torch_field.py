"""The fields as PyTorch modules: equal to the runtime to round-off, and differentiable."""
import math
import os
from typing import Any, Dict, List, Optional, Sequence, Tuple, Union

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from .errors import ModelError
from .folder import model_folder, settings_of, tensors_of


def _gelu(x: Tensor) -> Tensor:
    return F.gelu(x, approximate="tanh")


def _modulated_norm(x: Tensor, shift: Tensor, scale: Tensor) -> Tensor:
    return F.layer_norm(x, (x.shape[-1],), eps=1e-6) * (1 + scale) + shift


class StepEmbedding(nn.Module):
    """tau = dt/dt_ref -> 128 cosines and sines -> Linear -> SiLU -> Linear -> SiLU; conditions join before the first SiLU."""

    def __init__(self, width: int, dt_ref: float, conditions: int):
        super().__init__()
        self.dt_ref = dt_ref
        self.register_buffer("frequencies", torch.exp(torch.arange(64) * (-math.log(100.0) / 64)))
        self.first, self.second = nn.Linear(128, width), nn.Linear(width, width)
        if conditions > 0:
            self.context = nn.Linear(conditions, width)

    def forward(self, dt: Tensor, conditions: Optional[Tensor]) -> Tensor:
        angles = (dt.double() / self.dt_ref)[:, None] * self.frequencies.double()
        hidden = self.first(torch.cat([angles.cos(), angles.sin()], 1).to(self.first.weight.dtype))
        if conditions is not None:
            hidden = hidden + self.context(conditions)
        return F.silu(self.second(F.silu(hidden)))


class Mlp(nn.Module):
    def __init__(self, field: Dict[str, Any], inputs: int, outputs: int, grid: Sequence[int], dt_ref: float,
                 conditions: int, boundary: str):
        super().__init__()
        width, inner = field["width"], field["width"] * field["expansion"]
        self.input, self.step = nn.Linear(inputs, width), StepEmbedding(width, dt_ref, conditions)
        self.blocks = nn.ModuleList(
            nn.ModuleDict({"expand": nn.Linear(width, inner), "contract": nn.Linear(inner, width),
                           "modulate": nn.Linear(width, 3 * width)}) for _ in range(field["depth"]))
        self.final_modulate, self.output = nn.Linear(width, 2 * width), nn.Linear(width, outputs)

    def forward(self, state: Tensor, dt: Tensor, conditions: Optional[Tensor]) -> Tensor:
        c, x = self.step(dt, conditions), self.input(state)
        for block in self.blocks:
            shift, scale, gate = block["modulate"](c).chunk(3, 1)
            x = x + gate * block["contract"](_gelu(block["expand"](_modulated_norm(x, shift, scale))))
        shift, scale = self.final_modulate(c).chunk(2, 1)
        return self.output(_modulated_norm(x, shift, scale))


class Sit(nn.Module):
    def __init__(self, field: Dict[str, Any], inputs: int, outputs: int, grid: Sequence[int], dt_ref: float,
                 conditions: int, boundary: str):
        super().__init__()
        width, self.patch_size, self.heads, self.outputs = field["width"], field["patch"], field["heads"], outputs
        values = inputs * self.patch_size**2
        tokens = grid[0] * grid[1] // self.patch_size**2
        self.register_buffer("positions", torch.zeros(tokens, width))
        self.patch, self.step = nn.Linear(values, width), StepEmbedding(width, dt_ref, conditions)
        self.blocks = nn.ModuleList(
            nn.ModuleDict({"qkv": nn.Linear(width, 3 * width), "project": nn.Linear(width, width),
                           "expand": nn.Linear(width, 4 * width), "contract": nn.Linear(4 * width, width),
                           "modulate": nn.Linear(width, 6 * width)}) for _ in range(field["depth"]))
        self.final_modulate, self.output = nn.Linear(width, 2 * width), nn.Linear(width, values)

    def _attention(self, block: nn.ModuleDict, x: Tensor) -> Tensor:
        b, n, width = x.shape
        q, k, v = block["qkv"](x).view(b, n, 3, self.heads, width // self.heads).permute(2, 0, 3, 1, 4)
        weights = torch.softmax(q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1]), -1)
        return block["project"]((weights @ v).transpose(1, 2).reshape(b, n, width))

    def forward(self, state: Tensor, dt: Tensor, conditions: Optional[Tensor]) -> Tensor:
        b, channels, height, length = state.shape
        p = self.patch_size
        rows, columns = height // p, length // p
        tokens = state.view(b, channels, rows, p, columns, p).permute(0, 2, 4, 1, 3, 5)
        x = self.patch(tokens.reshape(b, rows * columns, -1)) + self.positions
        c = self.step(dt, conditions)
        for block in self.blocks:
            m = [part[:, None] for part in block["modulate"](c).chunk(6, 1)]
            x = x + m[2] * self._attention(block, _modulated_norm(x, m[0], m[1]))
            x = x + m[5] * block["contract"](_gelu(block["expand"](_modulated_norm(x, m[3], m[4]))))
        shift, scale = (part[:, None] for part in self.final_modulate(c).chunk(2, 1))
        out = self.output(_modulated_norm(x, shift, scale)).view(b, rows, columns, channels, p, p)
        return out.permute(0, 3, 1, 4, 2, 5).reshape(b, channels, height, length)[:, :self.outputs]


def _sides(boundary: str) -> Dict[str, Tuple[str, str]]:
    """ "y: wall/outflow, x: periodic" -> the boundary of each side of each axis; "*" stands for axes that are not named."""
    out = {}
    for part in boundary.split(","):
        axis, colon, kinds = part.strip().partition(":")
        low, _, high = (kinds if colon else axis).strip().partition("/")
        out[axis.strip() if colon else "*"] = (low, high or low)
    return out


def _source_cell(i: int, n: int, sides: Tuple[str, str]) -> int:
    """Which of n cells stands at place i: periodic axes wrap, walls mirror, others repeat the cell at the edge."""
    while i < 0 or i >= n:
        side, edge = (sides[0], 0) if i < 0 else (sides[1], n - 1)
        if side == "periodic":
            return i % n
        if side != "wall":
            return edge
        i = 2 * edge - i + (-1 if i < 0 else 1)
    return i


class Conv(nn.Module):
    def __init__(self, field: Dict[str, Any], inputs: int, outputs: int, grid: Sequence[int], dt_ref: float,
                 conditions: int, boundary: str):
        super().__init__()
        width, self.lines = field["width"], grid[0] > 1
        self.patch = (field["patch"] if self.lines else 1, field["patch"])
        self.outputs, self.dilations = outputs, field["dilations"] * field["depth"]
        self.activation = F.silu if field.get("activation", "gelu") == "silu" else _gelu
        named = field.get("boundary", "auto")
        self.sides = _sides(boundary if named == "auto" else named)
        values, kernel, embedding = inputs * self.patch[0] * self.patch[1], (3 if self.lines else 1, 3), max(64, width)
        self.lift, self.output = nn.Conv2d(values, width, kernel), nn.Conv2d(width, values, kernel)
        self.step = StepEmbedding(embedding, dt_ref, conditions)
        self.blocks = nn.ModuleList(
            nn.ModuleDict({"spatial": nn.Conv2d(width, width, kernel, dilation=d), "mix": nn.Linear(width, width),
                           "modulate": nn.Linear(embedding, 3 * width)}) for d in self.dilations)

    def _padded(self, x: Tensor, reach: int) -> Tensor:
        for axis, dim in (("x", 3),) + ((("y", 2),) if self.lines else ()):
            n = x.shape[dim]
            sides = self.sides.get(axis) or self.sides.get("*") or ("unknown", "unknown")
            places = [_source_cell(i, n, sides) for i in range(-reach, n + reach)]
            x = x.index_select(dim, torch.tensor(places, device=x.device))
        return x

    def forward(self, state: Tensor, dt: Tensor, conditions: Optional[Tensor]) -> Tensor:
        b, channels, height, length = state.shape
        py, px = self.patch
        rows, columns = height // py, length // px
        cells = state.reshape(b, channels, rows, py, columns, px).permute(0, 1, 3, 5, 2, 4)
        x, c = self.lift(self._padded(cells.reshape(b, -1, rows, columns), 1)), self.step(dt, conditions)
        for block, dilation in zip(self.blocks, self.dilations):
            shift, scale, gate = (part[:, :, None, None] for part in block["modulate"](c).chunk(3, 1))
            h = self.activation(block["spatial"](self._padded(x, dilation)) * (1 + scale) + shift)
            x = x + (1 + gate) * block["mix"](h.movedim(1, 3)).movedim(3, 1)
        out = self.output(self._padded(self.activation(x), 1)).view(b, channels, py, px, rows, columns)
        return out.permute(0, 1, 4, 2, 5, 3).reshape(b, channels, height, length)[:, :self.outputs]


class Members(nn.Module):
    """Several fields of one kind, each by itself in `members`; their mean."""

    def __init__(self, fields: List[nn.Module]):
        super().__init__()
        self.members = nn.ModuleList(fields)

    def forward(self, *given: Any) -> Tensor:
        return torch.stack([member(*given) for member in self.members]).mean(0)


class Surrogate(nn.Module):
    """The mean velocity over a step in physical units, v(state, dt), of a trained model.

    `field` is the network in normalised units. Contexts are physical, too: parameters [B, P], statics [B, S, ...],
    controls [B, K, U] and control_fields [B, K, F, ...] at the K nodes of the step.
    """

    def __init__(self, folder: Union[str, "os.PathLike[str]"]):
        super().__init__()
        path = model_folder(folder)
        about = settings_of(path)
        state, context, field = about["state"], about.get("context", {}), about["field"]
        kinds = {"mlp": Mlp, "sit": Sit, "conv": Conv}
        if field["name"] not in kinds:
            raise ModelError(f"{path}: the field '{field['name']}' has no PyTorch module")
        grid = (state.get("ny", 1), state.get("nx", 1))
        self.line = grid[0] == 1 and grid[1] > 1
        self.vector = grid == (1, 1)
        scaled = {name: context.get(name, {}) for name in ("parameters", "static", "controls", "control_fields")}
        count = {name: len(table.get("names", [])) for name, table in scaled.items()}
        nodes = context.get("nodes", 1)
        channels = len(state["channels"])
        beside = count["static"] + nodes * count["control_fields"]
        conditions = count["parameters"] + nodes * count["controls"]
        self.conditioned: bool = field["conditioned"]
        fields = [kinds[field["name"]](field, channels + beside, channels, grid, state["dt_ref"], conditions,
                                       state.get("boundary", ""))
                  for _ in range(about.get("members", 1))]
        self.field = fields[0] if len(fields) == 1 else Members(fields)
        weights = {name: torch.from_numpy(values) for name, values in tensors_of(path / "weights.safetensors").items()}
        for name, buffer in self.field.named_buffers():  # constants, kept where they depend on rounding
            weights.setdefault(name, buffer)
            weights[name] = weights[name].view_as(buffer)
        dtype = torch.float64 if about["precision"] == "float64" else torch.float32
        self.field.to(dtype).load_state_dict(weights)
        self._add_normalizer(path, about["normalizer"], state["dt_ref"], dtype)
        for name, table in scaled.items():
            for part in ("mean", "deviation"):
                self.register_buffer(f"{name}_{part}", torch.tensor(table.get(part, []), dtype=dtype))

    def _add_normalizer(self, path: Any, about: Dict[str, Any], dt_ref: float, dtype: torch.dtype) -> None:
        t = {name: torch.from_numpy(v).double() for name, v in tensors_of(path / "normalizer.safetensors").items()}
        kind, epsilon = about["name"], about.get("relative_epsilon", 0.0)
        if epsilon == 0:  # models from before this key
            of_state, of_velocity = 1e-8, 1e-12
        else:
            of_state = epsilon * t["state_mean"].square()
        sigma_s = (t["state_variance"] + of_state).sqrt()
        if epsilon > 0:
            sigma_s = torch.where(sigma_s > 0, sigma_s, torch.ones_like(sigma_s))
            of_velocity = epsilon * ((sigma_s if kind == "separated" else 1.0) / dt_ref) ** 2
        sigma_v, mean_v = (t["velocity_variance"] + of_velocity).sqrt(), t["velocity_mean"]
        factor, offset = {"cascaded": (sigma_v * sigma_s, mean_v * sigma_s), "separated": (sigma_v, mean_v),
                          "single": (sigma_s, torch.zeros_like(sigma_s))}[kind]
        for name, values in (("state_mean", t["state_mean"]), ("state_deviation", sigma_s),
                             ("velocity_factor", factor), ("velocity_offset", offset)):
            self.register_buffer(name, values.to(dtype))

    def _scaled(self, name: str, values: Optional[Tensor], axis: int) -> Optional[Tensor]:
        mean, deviation = getattr(self, name + "_mean"), getattr(self, name + "_deviation")
        if len(mean) == 0:
            return None
        if values is None:
            raise ModelError(f"the model takes {name}, and none were given")
        shape = [1] * values.dim()
        shape[axis] = -1
        return (values.to(mean.dtype) - mean.view(shape)) / deviation.view(shape)

    def forward(self, state: Tensor, dt: Union[float, Tensor], parameters: Optional[Tensor] = None,
                statics: Optional[Tensor] = None, controls: Optional[Tensor] = None,
                control_fields: Optional[Tensor] = None) -> Tensor:
        per_channel = [1, -1] + [1] * (state.dim() - 2)
        x = (state.to(self.state_mean.dtype) - self.state_mean.view(per_channel)) / self.state_deviation.view(per_channel)
        conditions: List[Tensor] = []
        for name, values in (("parameters", parameters), ("controls", controls)):
            scaled = self._scaled(name, values, values.dim() - 1 if values is not None else 0)
            if scaled is not None:
                conditions.append(scaled.flatten(1))
        beside = [x]
        for name, values, axis in (("static", statics, 1), ("control_fields", control_fields, 2)):
            scaled = self._scaled(name, values, axis)
            if scaled is not None:
                beside.append(scaled.flatten(1, 2) if name == "control_fields" else scaled)
        inputs = torch.cat(beside, 1) if len(beside) > 1 else x
        step = torch.as_tensor(dt, dtype=torch.float64, device=state.device).expand(len(state))
        if not self.conditioned:
            step = torch.zeros_like(step)
        psi = self.field(inputs[:, :, None] if self.line else inputs, step,
                         torch.cat(conditions, 1) if conditions else None)
        if self.line:
            psi = psi[:, :, 0]
        return psi * self.velocity_factor.view(per_channel) + self.velocity_offset.view(per_channel)

    def step(self, state: Tensor, dt: Union[float, Tensor], **context: Any) -> Tensor:
        """state + dt * v(state, dt)"""
        steps = torch.as_tensor(dt, dtype=state.dtype, device=state.device)
        return state + steps.view([-1] + [1] * (state.dim() - 1)) * self(state, dt, **context)


def module_of(folder: Union[str, "os.PathLike[str]"]) -> Surrogate:
    return Surrogate(folder)
