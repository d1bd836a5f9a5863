"""Exported models in ONNX Runtime against libcvf (CVF_LIBRARY and CVF_PROGRAM name ours; ctest sets both)."""
import os
import sys
import tempfile
import unittest
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "python"))
import cvf  # noqa: E402
import random_model  # noqa: E402
from cvf.folder import tensors_of  # noqa: E402
from cvf.program import run  # noqa: E402

try:
    import onnxruntime
    QUIET = onnxruntime.SessionOptions()
    QUIET.log_severity_level = 4  # what it refuses comes as an exception, too
except ModuleNotFoundError:
    onnxruntime = None

EVERYTHING = {"parameters": ["a"], "static": ["bottom"], "controls": ["wind", "heat"], "control_fields": ["rain"]}
CONV = {"name": "conv", "width": 12, "dilations": [1, 5, 2]}


def case(field, channels=("u", "v"), **options):
    return dict(field=field, channels=channels, **options)


CASES = {
    "mlp": case({"name": "mlp", "width": 19, "depth": 2, "expansion": 2}, ("angle", "velocity")),
    "mlp with context": case({"name": "mlp", "width": 32}, context={"parameters": ["a", "b"], "controls": ["f"]},
                             normalizer="separated"),
    "mlp without dt": case({"name": "mlp", "width": 16, "conditioned": False}, normalizer="single"),
    "mlp of members": case({"name": "mlp", "width": 16}, members=3),
    "line periodic": case(CONV, ("u",), grid=(24,), boundary="periodic"),
    "line wall": case({**CONV, "activation": "gelu"}, ("u",), grid=(24,), boundary="wall"),
    "line in patches": case({**CONV, "patch": 2}, grid=(24,), boundary="x: wall/outflow",
                            context={"parameters": ["a"], "static": ["s"]}),
    "plane periodic": case(CONV, grid=(9, 14), boundary="periodic", normalizer="separated"),
    "plane wall": case({**CONV, "activation": "gelu", "depth": 2}, grid=(9, 14), boundary="wall"),
    "plane edge": case(CONV, grid=(9, 14), boundary="zero_flux", normalizer="single"),
    "plane of two kinds": case(CONV, grid=(10, 14), boundary="y: wall/outflow, x: periodic"),
    "plane with another boundary": case({**CONV, "boundary": "periodic"}, grid=(9, 14), boundary="wall"),
    "plane in patches": case({**CONV, "patch": 2}, grid=(12, 20), boundary="wall", context=EVERYTHING, nodes=3),
    "plane in patches of 3": case({**CONV, "patch": 3, "conditioned": False}, ("h", "hu", "hv"), grid=(15, 18),
                                  boundary="x: periodic, y: outflow"),
    "plane smaller than a dilation": case({**CONV, "dilations": [1, 9, 25]}, grid=(7, 13),
                                          boundary="y: wall, x: outflow/wall"),
    "plane of members": case(CONV, grid=(9, 14), boundary="periodic", members=2),
    "sit": case({"name": "sit", "width": 24, "depth": 3, "heads": 3, "patch": 4}, grid=(12, 20)),
    "sit with context": case({"name": "sit", "width": 32, "depth": 2, "heads": 4, "patch": 2}, grid=(12, 20),
                             context=EVERYTHING, nodes=3),
    "sit on a line": case({"name": "sit", "width": 16, "depth": 1, "heads": 2, "patch": 1}, ("u",), grid=(24,)),
    "sit with one control node": case({"name": "sit", "width": 16, "depth": 1, "heads": 2, "patch": 3}, grid=(6, 9),
                                      context={"controls": ["f"]}, nodes=1),
}
STEPS = np.array([0.05, 0.3, 0.8])


class Exported(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory()
        cls.path = Path(cls.scratch.name)

    @classmethod
    def tearDownClass(cls):
        cls.scratch.cleanup()

    def written(self, name, **options):
        folder = self.path / name.replace(" ", "-")
        if not folder.exists():
            random_model.write(folder, **options)
        return folder

    def session(self, name, **options):
        file = str(self.written(name, **options)) + ".onnx"
        if not os.path.exists(file):
            run(["export", file[:-5], file])
        return onnxruntime.InferenceSession(file, QUIET, providers=["CPUExecutionProvider"])

    @staticmethod
    def inputs_for(model, nodes, seed=1):
        """What ONNX Runtime is given, and the same for libcvf: controls as series whose times are the nodes."""
        draw, batch, grid = np.random.default_rng(seed), len(STEPS), model.grid
        values = lambda *shape: draw.standard_normal((batch,) + shape).astype(np.float32)  # noqa: E731
        theirs = {"state": 2 * values(*model.state_shape) + 1, "dt": STEPS.astype(np.float32)}
        ours = {}
        if model.controls or model.control_fields:
            shares = np.linspace(0, 1, nodes) if nodes > 1 else np.array([0.0, 1.0])
            ours["control_times"] = STEPS.astype(np.float32).astype(np.float64)[:, None] * shares
        for part, word, names, shape in (("parameters", "parameters", model.parameters, ()),
                                         ("static", "statics", model.statics, grid)):
            if names:
                theirs[part] = values(len(names), *shape)
                ours[word] = {name: theirs[part][:, i] for i, name in enumerate(names)}
        for part, names, shape in (("controls", model.controls, ()), ("control_fields", model.control_fields, grid)):
            if names:
                theirs[part] = values(nodes, len(names), *shape)
                series = theirs[part] if nodes > 1 else np.repeat(theirs[part], 2, 1)
                ours[part] = {name: series[:, :, i] for i, name in enumerate(names)}
        return theirs, ours

    def members_of(self, name, options):
        """Loaded by libcvf, each member as a model of its own: a file gives the mean of their velocities."""
        folder = self.written(name, **options)
        if options.get("members", 1) == 1:
            return [cvf.load(folder)]
        tensors = tensors_of(folder / "weights.safetensors")
        members = []
        for i in range(options["members"]):
            of_one = self.path / f"{folder.name}-{i}"
            if not of_one.exists():
                random_model.write(of_one, **{**options, "members": 1})
                random_model.replace_weights(of_one, {key.split(".", 2)[2]: values for key, values in tensors.items()
                                                      if key.startswith(f"members.{i}.")},
                                             normalizer_of=folder)
            members.append(cvf.load(of_one))
        return members

    def compare(self, session, models, nodes):
        theirs, ours = self.inputs_for(models[0], nodes)
        self.assertEqual({entry.name for entry in session.get_inputs()}, set(theirs))
        velocity, following = session.run(["velocity", "next"], theirs)
        state, dt = theirs["state"].astype(np.float64), theirs["dt"].astype(np.float64)
        expected = np.mean([model.step(state, dt, **ours) for model in models], 0)
        mean_velocity = (expected - state) / dt.reshape([-1] + [1] * (state.ndim - 1))
        for found, wanted in ((velocity, mean_velocity), (following, expected)):
            self.assertEqual(found.dtype, np.float32)
            self.assertEqual(found.shape, wanted.shape)
            self.assertLess(np.abs(found - wanted).max() / np.abs(wanted).max(), 1e-5)
        self.assertGreater(np.abs(mean_velocity - mean_velocity.mean()).max(), 0.05)  # it does depend on the state


@unittest.skipIf(onnxruntime is None, "onnxruntime is not installed")
class InOnnxRuntime(Exported):
    def test_it_is_equal_to_libcvf(self):
        for name, options in CASES.items():
            with self.subTest(name):
                self.compare(self.session(name, **options), self.members_of(name, options), options.get("nodes", 2))

    def test_conv_takes_other_grids(self):
        for name in ("line periodic", "line in patches", "plane wall", "plane edge", "plane of two kinds",
                     "plane in patches"):
            options = CASES[name]
            grid = (30,) if len(options["grid"]) == 1 else (16, 10)
            with self.subTest(name):
                model = cvf.load(self.written(name, **options)).on_grid(*grid)
                self.compare(self.session(name, **options), [model], options.get("nodes", 2))

    def test_a_grid_that_does_not_fit_is_refused(self):
        one = {"dt": STEPS[:1].astype(np.float32)}
        for name, shape in (("sit", (1, 2, 16, 20)), ("line wall", (1, 1, 3)), ("line periodic", (1, 1, 4)),
                            ("plane smaller than a dilation", (1, 2, 8, 13))):
            with self.subTest(name), self.assertRaises(Exception):
                self.session(name, **CASES[name]).run(None, {"state": np.zeros(shape, np.float32), **one})

    def test_a_batch_is_its_rows(self):
        name = "plane wall"
        session = self.session(name, **CASES[name])
        theirs, _ = self.inputs_for(cvf.load(self.written(name, **CASES[name])), 2)
        together = session.run(["next"], theirs)[0]
        for i in range(len(STEPS)):
            alone = session.run(["next"], {key: values[i:i + 1] for key, values in theirs.items()})[0]
            np.testing.assert_allclose(alone[0], together[i], rtol=1e-5, atol=1e-5)

    def test_the_file_says_what_it_is(self):
        session = self.session("plane in patches", **CASES["plane in patches"])
        shapes = {entry.name: entry.shape for entry in session.get_inputs() + session.get_outputs()}
        self.assertEqual(shapes, {"state": ["batch", 2, "ny", "nx"], "dt": ["batch"], "parameters": ["batch", 1],
                                  "static": ["batch", 1, "ny", "nx"], "controls": ["batch", 3, 2],
                                  "control_fields": ["batch", 3, 1, "ny", "nx"], "velocity": ["batch", 2, "ny", "nx"],
                                  "next": ["batch", 2, "ny", "nx"]})
        about = session.get_modelmeta()
        self.assertEqual(about.producer_name, "cvf")
        facts = about.custom_metadata_map
        self.assertEqual(facts["channels"], "u, v")
        self.assertEqual(facts["controls"], "wind, heat")
        self.assertEqual((facts["dt.frame_interval"], facts["dt.shortest"], facts["dt.longest"]), ("0.8", "0.1", "0.8"))
        self.assertEqual(len(facts["cvf.checkpoint"]), 64)
        fixed = self.session("sit", **CASES["sit"]).get_inputs()[0].shape
        self.assertEqual(fixed, ["batch", 2, 12, 20])


if __name__ == "__main__":
    unittest.main()
