"""Models with random weights through the package: in double precision, and of several members."""
import sys
import tempfile
import unittest
import warnings
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "python"))
import cvf  # noqa: E402
import random_model  # noqa: E402

try:
    import torch
except ModuleNotFoundError:
    torch = None

KINDS = {
    "mlp": {"field": {"name": "mlp", "width": 16, "depth": 2, "expansion": 2, "conditioned": True}, "channels": ["angle", "velocity"]},
    "conv": {"field": {"name": "conv", "width": 12, "patch": 2, "dilations": [1, 3], "depth": 1, "activation": "silu",
                       "boundary": "auto", "conditioned": True},
             "channels": ["u", "v"], "grid": (8, 12), "boundary": "periodic"},
    "sit": {"field": {"name": "sit", "width": 16, "depth": 2, "heads": 2, "patch": 4, "conditioned": True},
            "channels": ["u"], "grid": (8, 12)},
}


class Models(unittest.TestCase):
    def setUp(self):
        self.scratch = tempfile.TemporaryDirectory()
        self.draw = np.random.default_rng(3)

    def tearDown(self):
        self.scratch.cleanup()

    def model(self, kind, **options):
        folder = Path(self.scratch.name) / f"{kind}-{len(list(Path(self.scratch.name).iterdir()))}"
        return cvf.load(random_model.write(folder, **KINDS[kind], **options))

    def test_double_precision_is_kept(self):
        for kind in KINDS:
            model = self.model(kind, precision="float64")
            states = self.draw.standard_normal((3,) + model.state_shape)
            later = model.step(states, [0.1, 0.3, 0.8])
            nudged = model.step(states + 1e-10, [0.1, 0.3, 0.8])  # float would not see this
            self.assertLess(np.abs(nudged - later).max(), 1e-8)
            self.assertGreater(np.abs(nudged - later).max(), 1e-11)

    @unittest.skipIf(torch is None, "torch is not installed")
    def test_double_precision_is_that_of_torch(self):
        for kind in KINDS:
            for members in (1, 3):
                model = self.model(kind, precision="float64", members=members)
                states = self.draw.standard_normal((3,) + model.state_shape)
                ours = model.step(states, 0.3)
                theirs = model.to_torch().step(torch.from_numpy(states), 0.3).detach().numpy()
                self.assertLess(np.abs(ours - theirs).max(), 1e-12 * np.abs(theirs).max(), kind)

    def test_a_state_far_outside_of_training_is_said(self):
        model = self.model("mlp", ranges=([-3.0, -2.0], [3.0, 2.0]))
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            forecast = model.forecast([0.5, 1.0], [0.1])
            model.step([0.5, 1.0], 0.1)
        self.assertNotEqual(forecast.status, "outside_training")
        with self.assertWarnsRegex(RuntimeWarning, "angle = 1e\\+06, where training had -3 to 3"):
            forecast = model.forecast([1e6, 1e6], [0.1, 0.2])
        self.assertEqual(forecast.status, "outside_training")
        self.assertFalse(forecast.ok)
        self.assertTrue(np.isfinite(forecast.states).all())
        with self.assertWarnsRegex(RuntimeWarning, "state 1: .* outside"):
            model.step([[0.5, 1.0], [0.5, 1.0]], [0.1, 6e6])
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            self.assertTrue(self.model("mlp").forecast([1e6, 1e6], [0.1]).ok)

    def test_a_forecast_of_members_has_their_mean_and_spread(self):
        for kind in KINDS:
            model = self.model(kind, members=3)
            states = self.draw.standard_normal((2,) + model.state_shape)
            forecast = model.forecast(states, [0.4, 1.0])
            self.assertEqual(forecast.spread.shape, (2, 2) + model.state_shape)
            self.assertTrue((forecast.spread > 0).all())
            np.testing.assert_array_equal(model.forecast(states, [0.4]).states[:, 0], model.advance(states, 0.4))


if __name__ == "__main__":
    unittest.main()
