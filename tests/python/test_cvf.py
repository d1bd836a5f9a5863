"""The Python package against the library and the program that CVF_LIBRARY and CVF_PROGRAM name (ctest sets both)."""
import copy
import os
import pickle
import subprocess
import sys
import tempfile
import threading
import unittest
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "python"))
import cvf  # noqa: E402
from cvf.program import _toml  # noqa: E402

try:
    import torch
except ModuleNotFoundError:
    torch = None

PENDULUM = {
    "generate": {"name": "damped_pendulum", "samples": 12, "frames": 33, "system": {"gravity_range": [0.5, 2.0]}},
    "split": {"train": "0:8", "validation": "8:10", "test": "10:12"},
    "downsampling": {"factor": 4}, "loader": {"batch": 8},
    "field": {"name": "mlp", "width": 16, "depth": 2}, "objective": {"name": "cvf"},
    "train": {"steps": 30}, "validation": {"steps": 15}, "log": {"diagnostics": 0}, "evaluation": {"samples": 0},
}


def grid_run(file, **field):
    return {
        "data": {"file": file},
        "generate": {"name": "diffusion_reaction", "samples": 6, "grid": "12x8", "frames": 9,
                     "system": {"initial": "smooth", "correlation_length": 0.3}},
        "split": {"train": "0:4", "validation": "4:5", "test": "5:6"},
        "downsampling": {"factor": 2}, "loader": {"batch": 4}, "field": field, "objective": {"name": "cvf"},
        "train": {"steps": 6}, "validation": {"steps": -1}, "log": {"diagnostics": 0}, "evaluation": {"samples": 0},
    }


class TrainedOnce(unittest.TestCase):
    """Models of every field, trained for a few steps, which is enough for weights that are not zero."""

    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory()
        cls.before = os.getcwd()
        os.chdir(cls.scratch.name)
        cls.runs = {"mlp": cvf.train({"data": {"file": "p.h5"}, **PENDULUM}, out="mlp"),
                    "context": cvf.train({"data": {"file": "p.h5", "parameters": ["gravity"]}, **PENDULUM}, out="context")}
        cls.runs["members"] = cvf.train({"data": {"file": "p.h5"}, **PENDULUM, "split": {
            "train": "0:6", "validation": "6:11", "test": "11:12"}, "train": {"steps": 30, "members": 3}}, out="members")
        for name, field in (("conv", {"name": "conv", "width": 8, "patch": 2}),
                            ("sit", {"name": "sit", "width": 16, "depth": 1, "heads": 2, "patch": 4})):
            cls.runs[name] = cvf.train(grid_run("g.h5", **field), out=name)

    @classmethod
    def tearDownClass(cls):
        os.chdir(cls.before)
        cls.scratch.cleanup()

    def first(self, name, count=3):
        data = cvf.open("p.h5" if name in ("mlp", "context", "members") else "g.h5", samples=f"0:{count}")
        return data.first().astype(np.float64)

    def test_a_model_says_what_it_is(self):
        model = cvf.load(self.runs["conv"])
        self.assertEqual(model.channels, ("u", "v"))
        self.assertEqual(model.state_shape, (2, 8, 12))
        self.assertEqual(model.field, "conv")
        self.assertGreater(model.longest_step, 0)
        self.assertIn("conv", repr(model))
        self.assertEqual(cvf.load(self.runs["context"]).parameters, ("gravity",))

    def test_states_keep_their_shape_and_type(self):
        for name in ("mlp", "conv", "sit"):
            model, states = cvf.load(self.runs[name]), self.first(name)
            batch = model.step(states, 0.1)
            self.assertEqual(batch.dtype, np.float64)
            single = model.step(states[1], 0.1)
            self.assertEqual(single.shape, model.state_shape)
            np.testing.assert_array_equal(single, batch[1])
            short = model.step(states.astype(np.float32), 0.1)
            self.assertEqual(short.dtype, np.float32)
            np.testing.assert_allclose(short, batch, rtol=1e-4, atol=1e-5)
            self.assertGreater(np.abs(batch - states).max(), 1e-6)

    def test_anything_that_is_like_an_array_will_do(self):
        class Like:
            def __init__(self, values):
                self.values = values

            def __array__(self, dtype=None, copy=None):
                return np.asarray(self.values, dtype=dtype)

        class Capsule:
            def __init__(self, values):
                self.values = values

            def __dlpack__(self, **words):
                return self.values.__dlpack__(**words)

            def __dlpack_device__(self):
                return self.values.__dlpack_device__()

        model, states = cvf.load(self.runs["mlp"]), self.first("mlp")
        expected = model.step(states, 0.1)
        np.testing.assert_array_equal(model.step(states.tolist(), 0.1), expected)
        np.testing.assert_array_equal(model.step(Like(states), 0.1), expected)
        np.testing.assert_array_equal(model.step(Capsule(states), 0.1), expected)
        np.testing.assert_array_equal(model.step(np.asfortranarray(states), 0.1), expected)

    def test_each_state_has_its_own_step(self):
        model, states = cvf.load(self.runs["conv"]), self.first("conv")
        batch = model.step(states, [0.05, 0.1, 0.2])
        np.testing.assert_array_equal(batch[2], model.step(states[2], 0.2))

    def test_a_forecast_is_the_chain_of_its_steps(self):
        model, states = cvf.load(self.runs["conv"], solver="euler"), self.first("conv")
        step = model.frame_interval
        forecast = model.forecast(states, [step, 2 * step])
        self.assertTrue(forecast.ok)
        self.assertEqual(forecast.status, ["done"] * 3)
        self.assertEqual(forecast.states.shape, (3, 2, 2, 8, 12))
        by_hand = model.step(model.step(states, step), step)
        np.testing.assert_allclose(forecast.states[:, 1], by_hand, rtol=1e-5, atol=1e-6)
        np.testing.assert_array_equal(forecast.evaluations, [2, 2, 2])
        self.assertEqual([len(steps) for steps in forecast.steps], [2, 2, 2])
        np.testing.assert_allclose(forecast.steps[0]["length"], step)
        self.assertTrue(np.isnan(forecast.steps[0]["error"]).all())  # euler judges nothing

    def test_a_forecast_may_begin_with_the_state_itself(self):
        model, states = cvf.load(self.runs["mlp"]), self.first("mlp")
        times = np.linspace(0, 1, 5)
        forecast = model.forecast(states[0], times)
        np.testing.assert_array_equal(forecast.states[0], states[0])
        np.testing.assert_array_equal(forecast.states[1:], model.forecast(states[0], times[1:]).states)
        self.assertEqual(forecast.times.shape, (5,))
        self.assertTrue(np.isnan(forecast.nre[0]))
        only = model.forecast(states[0], [0.0])
        self.assertTrue(only.ok)
        self.assertEqual(only.evaluations, 0)

    def test_the_rupture_is_measured(self):
        model, states = cvf.load(self.runs["mlp"]), self.first("mlp")
        self.assertTrue((model.nre(states, 0.2) > 0).all())
        self.assertIsInstance(model.nre(states[0], 0.2), float)
        forecast, judging = model.forecast(states, [0.2, 0.4]), cvf.load(self.runs["mlp"], solver="gcs")
        spent = forecast.evaluations
        self.assertTrue(np.isfinite(forecast.nre).all())  # the way once more, when it is asked for
        np.testing.assert_array_equal(forecast.evaluations, spent)
        judged = judging.forecast(states, [0.2, 0.4])  # gcs measures it as it goes
        np.testing.assert_allclose(forecast.nre, judged.nre, rtol=1e-5)
        np.testing.assert_array_equal(forecast.states, judged.states)
        steps = [len(own) for own in forecast.steps]  # each target inside of one costs the same in both
        np.testing.assert_array_equal(judged.evaluations - forecast.evaluations, np.multiply(2, steps))
        self.assertTrue(np.isnan(cvf.load(self.runs["mlp"], solver="rk4").forecast(states, [0.2]).nre).all())

    def test_threads_share_a_model(self):
        model, states = cvf.load(self.runs["conv"]), self.first("conv")
        expected = model.forecast(states, [0.3, 0.6]).states
        found = [None] * 8

        def work(i):
            found[i] = model.forecast(states, [0.3, 0.6]).states

        threads = [threading.Thread(target=work, args=(i,)) for i in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for states in found:
            np.testing.assert_array_equal(states, expected)

    def test_members_give_their_mean_and_spread(self):
        model, states = cvf.load(self.runs["members"]), self.first("members")
        self.assertEqual(model.members, 3)
        self.assertIn("3 members of mlp", repr(model))
        times = np.array([0.0, 0.4, 1.0])
        forecast = model.forecast(states, times)
        self.assertEqual(forecast.spread.shape, forecast.states.shape)
        self.assertTrue((forecast.spread[:, 1:] > 0).all() and (forecast.spread[:, 0] == 0).all())
        np.testing.assert_allclose(model.advance(states, 0.4), model.forecast(states, [0.4]).states[:, 0], rtol=1e-6, atol=1e-6)
        single = model.forecast(states[0].astype(np.float32), times)
        np.testing.assert_allclose(single.spread, forecast.spread[0], rtol=1e-2, atol=1e-5)
        with self.assertRaisesRegex(cvf.ModelError, "cvf evaluate"):
            forecast.error_bars(0.8)
        cvf.calibrate(self.runs["members"])
        self.assertEqual(forecast.error_bars(0.8).shape, (3, 3))
        bars = forecast.value_bars(0.8)
        self.assertTrue((bars[:, 1:] > 0).all() and (bars[:, 0] == 0).all())
        subprocess.run([os.environ["CVF_PROGRAM"], "rollout", os.fspath(self.runs["members"]), "--data", "p.h5", "--samples", "0:3",
                        "--times", "0.4,1.0", "--out", "forecast.h5"], check=True, capture_output=True)
        np.testing.assert_allclose(cvf.open("forecast.h5").states, forecast.states, rtol=1e-6, atol=1e-6)
        self.assertIsNone(cvf.load(self.runs["mlp"]).forecast(states, times).spread)

    def test_one_member_has_bars_by_step_doubling(self):
        before, states = cvf.load(self.runs["mlp"]).forecast(self.first("mlp"), [0.4, 1.0]), self.first("mlp")
        cvf.calibrate(self.runs["mlp"], score="step_doubling")
        with self.assertRaisesRegex(cvf.UsageError, "forecast again"):
            before.error_bars(0.5)
        bars = cvf.load(self.runs["mlp"]).forecast(states, [0.4, 1.0]).error_bars(0.5)
        self.assertEqual(bars.shape, (3, 2))
        self.assertTrue((bars > 0).all() and np.isfinite(bars).all())

    def test_a_context_is_given_by_name(self):
        model, states = cvf.load(self.runs["context"]), self.first("context")
        light = model.step(states, 0.2, parameters={"gravity": 0.5})
        heavy = model.step(states, 0.2, parameters={"gravity": [0.5, 0.5, 2.0]})
        np.testing.assert_array_equal(light[:2], heavy[:2])
        self.assertGreater(np.abs(light[2] - heavy[2]).max(), 0)
        with self.assertRaisesRegex(cvf.UsageError, "gravity is missing"):
            model.step(states, 0.2)
        with self.assertRaisesRegex(cvf.UsageError, "takes gravity, not mass"):
            model.step(states, 0.2, parameters={"gravity": 1, "mass": 1})
        with self.assertRaisesRegex(cvf.UsageError, "unknown argument parameter;"):
            model.step(states, 0.2, parameter={"gravity": 1})

    def test_conv_takes_other_grids(self):
        model = cvf.load(self.runs["conv"]).on_grid(16, 20)
        self.assertEqual(model.state_shape, (2, 16, 20))
        self.assertEqual(model.step(np.zeros((2, 16, 20)), 0.1).shape, (2, 16, 20))
        with self.assertRaises(cvf.Error):
            cvf.load(self.runs["sit"]).on_grid(16, 24)

    def test_copies_are_loaded_from_the_folder(self):
        plain = cvf.load(self.runs["mlp"], solver="rk4", settings={"solver.steps": 2}, threads=2)
        for model in (plain, cvf.load(self.runs["conv"]).on_grid(16, 24)):
            state = np.random.default_rng(0).standard_normal(model.state_shape)
            expected = model.advance(state, 0.3)
            for other in (copy.copy(model), copy.deepcopy(model), pickle.loads(pickle.dumps(model))):
                self.assertEqual((other.solver, other.threads, other.grid), (model.solver, model.threads, model.grid))
                np.testing.assert_array_equal(other.advance(state, 0.3), expected)
                del other
            np.testing.assert_array_equal(model.advance(state, 0.3), expected)

    def test_a_copy_is_never_another_model(self):
        cvf.train({"data": {"file": "p.h5"}, **PENDULUM}, out="changing")
        kept = pickle.dumps(cvf.load("changing"))
        cvf.train({"data": {"file": "p.h5"}, **PENDULUM}, out="changing", settings={"seed": 7}, overwrite=True)
        with self.assertRaisesRegex(cvf.ModelError, "changing.*holds another model than the one that was copied"):
            pickle.loads(kept)

    def test_a_forecast_is_not_copied(self):
        forecast = cvf.load(self.runs["mlp"]).forecast(self.first("mlp"), [0.1])
        for way in (copy.copy, copy.deepcopy, pickle.dumps):
            with self.assertRaisesRegex(TypeError, "take its arrays"):
                way(forecast)

    def test_what_is_no_real_number_is_refused(self):
        model, states = cvf.load(self.runs["context"]), self.first("context")
        under = {"parameters": {"gravity": 1.0}}
        hidden = np.ma.masked_array(states, mask=states == states[0, 0])
        cases = [(TypeError, "states: real numbers are wanted, not complex128", states + 0j, 0.1, under),
                 (TypeError, "states: real numbers are wanted, not datetime64", states.astype("M8[s]"), 0.1, under),
                 (TypeError, "states: real numbers are wanted, not <U", states.astype(str), 0.1, under),
                 (TypeError, "states: real numbers are wanted", states.astype(object) + 1j, 0.1, under),
                 (ValueError, "states: 1 values are masked", hidden, 0.1, under),
                 (ValueError, "states: 1 values are masked", list(hidden), 0.1, under),
                 (TypeError, "dt: real numbers are wanted, not complex128", states, 0.1j, under),
                 (ValueError, "dt: 3 values are masked", states, np.ma.masked_all(3), under),
                 (TypeError, "parameters: 'gravity': real numbers are wanted", states, 0.1, {"parameters": {"gravity": 1j}})]
        for kind, words, given, dt, context in cases:
            with self.assertRaisesRegex(kind, words):
                model.step(given, dt, **context)
        with self.assertRaisesRegex(TypeError, "times: real numbers are wanted, not timedelta64"):
            model.forecast(states, np.array([1, 2], "m8[s]"), **under)
        shown = np.ma.masked_array(states)  # what netCDF4 gives where nothing is missing
        np.testing.assert_array_equal(model.step(shown, 0.1, **under), model.step(states, 0.1, **under))

    def test_an_empty_batch_and_numbers_that_do_not_fit_are_refused(self):
        model = cvf.load(self.runs["mlp"])
        for call in (lambda s: model.step(s, 0.1), lambda s: model.forecast(s, [0.1, 0.2])):
            with self.assertRaisesRegex(cvf.UsageError, r"states: the batch is empty, of shape \(0, 2\)"):
                call(np.empty((0, 2)))
        for count in (0, -1, 2**32 + 2):
            with self.assertRaisesRegex(cvf.UsageError, f"threads: {count} is not from 1 to"):
                model.threads = count
        with self.assertRaisesRegex(cvf.UsageError, "threads"):
            cvf.load(self.runs["mlp"], threads=2**32 + 2)
        self.assertEqual(model.threads, 1)
        with self.assertRaisesRegex(cvf.UsageError, "grid"):
            cvf.load(self.runs["conv"]).on_grid(2**64 + 16, 24)

    def test_a_signal_ends_a_long_call(self):
        """Left alone, the forecast would take hours."""
        program = """
import os, signal, sys, threading
import numpy as np
import cvf
model = cvf.load(sys.argv[1], solver="euler", settings={"solver.h": 1e-3})
state, times = np.zeros((4, 2)), np.arange(1, 200_000) * 1.0
def late(number, frame):
    raise TimeoutError("late")
signal.signal(signal.SIGALRM, late)
for number, kind in ((signal.SIGINT, KeyboardInterrupt), (signal.SIGALRM, TimeoutError)):
    threading.Timer(0.3, os.kill, (os.getpid(), number)).start()
    try:
        model.forecast(state, times)
    except kind:
        print("ended by", kind.__name__)
hook = sys.unraisablehook
model.step(state, 0.1)
print("unchanged" if sys.unraisablehook is hook is sys.__unraisablehook__ else "changed")
"""
        ran = subprocess.run([sys.executable, "-B", "-c", program, os.fspath(self.runs["mlp"])], capture_output=True, text=True,
                             timeout=300, env={**os.environ, "PYTHONPATH": str(Path(cvf.__file__).parents[1])})
        self.assertEqual(ran.stdout.split("\n"), ["ended by KeyboardInterrupt", "ended by TimeoutError", "unchanged", ""], ran.stderr)
        self.assertEqual(ran.stderr, "")

    def test_misuse_is_a_sentence(self):
        model, states = cvf.load(self.runs["mlp"]), self.first("mlp")
        with self.assertRaisesRegex(cvf.UsageError, r"\(2\) or \(batch, 2\) are wanted, not \(3, 5\)"):
            model.step(np.zeros((3, 5)), 0.1)
        with self.assertRaisesRegex(cvf.UsageError, "one for each of 3 states"):
            model.step(states, [0.1, 0.2])
        with self.assertRaises(cvf.Error):
            model.step(states, -0.1)
        with self.assertRaises(cvf.Error):
            model.forecast(states, [0.2, 0.1])
        with self.assertRaises(cvf.ModelError):
            cvf.load("nowhere")
        with self.assertRaises(cvf.Error):
            cvf.load(self.runs["mlp"], solver="leapfrog")
        with self.assertRaises(cvf.DataError):
            cvf.open("nowhere.h5")
        with self.assertRaisesRegex(cvf.ConfigError, "field.widht"):
            cvf.train({"data": {"file": "p.h5"}, "field": {"widht": 3}}, out="typo")

    def test_evaluation_and_metrics_are_records(self):
        scores = cvf.evaluate(self.runs["mlp"], protocol="direct")
        self.assertGreater(scores["direct"]["rollout_rmse"]["value"], 0)
        lines = []
        cvf.evaluate(self.runs["mlp"], every=4, progress=lines.append)
        records = cvf.results(self.runs["mlp"], pandas=False)
        self.assertEqual(records[-1]["step"], 30)

    def test_a_file_is_read_with_all_that_it_says(self):
        data = cvf.open("p.h5", samples="2:5", channels=["velocity"])
        self.assertEqual(data.states.shape, (3, 33, 1))
        self.assertEqual(data.axes, ("n", "t", "c"))
        self.assertEqual(data.channels, ("velocity",))
        self.assertEqual(data.parameters["gravity"].shape, (3,))
        self.assertEqual(data.attributes["system"], "damped_pendulum")
        np.testing.assert_array_equal(data.states[..., 0], cvf.open("p.h5").states[2:5, ..., 1])
        grid = cvf.open("g.h5", average=2)
        self.assertEqual(grid.states.shape, (6, 9, 4, 6, 2))
        self.assertEqual(len(grid.coordinates["x"]), 6)

    @unittest.skipIf(torch is None, "torch is not installed")
    def test_the_torch_module_is_equal(self):
        for name in ("mlp", "conv", "sit", "context", "members"):
            model, states = cvf.load(self.runs[name]), self.first(name)
            context = {"parameters": {"gravity": [0.6, 1.0, 1.9]}} if name == "context" else {}
            given = {"parameters": torch.tensor([[0.6], [1.0], [1.9]])} if name == "context" else {}
            module = model.to_torch()
            for dt in (0.05, 0.3):
                ours = model.step(states.astype(np.float32), dt, **context)
                theirs = module.step(torch.from_numpy(states).float(), dt, **given)
                np.testing.assert_allclose(ours, theirs.detach().numpy(), rtol=2e-5, atol=2e-6, err_msg=name)
            theirs.square().sum().backward()
            self.assertTrue(all(p.grad is not None for p in module.field.parameters()))


class Text(unittest.TestCase):
    def test_dictionaries_become_toml(self):
        lines = _toml({"seed": 1, "data": {"file": 'a"b.h5', "channels": ["u", "v"]}, "x": {"y": {"z": True, "w": 1e-3}}})
        self.assertEqual(lines, ["seed = 1", 'data.file = "a\\"b.h5"', 'data.channels = ["u", "v"]', "x.y.z = true",
                                 "x.y.w = 0.001"])


class Tutorial(unittest.TestCase):
    """The script that docs/python.md names, with a short training."""

    def test_runs_from_arrays_to_error_bars(self):
        root = Path(__file__).resolve().parents[2]
        with tempfile.TemporaryDirectory() as scratch:
            done = subprocess.run(
                [sys.executable, "-B", str(root / "examples/python/tutorial.py"), "--out", scratch, "--steps", "200"],
                env={**os.environ, "PYTHONPATH": str(root / "python")}, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("springs.npz: position, velocity, 200 x 33 x 2 (n,t,c)", done.stdout)
        lines = [line.split() for line in done.stdout.splitlines() if line.startswith("t = ")]
        self.assertEqual([float(line[2]) for line in lines], [0.0, 0.3, 0.7, 2.0, 5.0])
        errors = [float(line[5]) for line in lines]
        self.assertEqual(errors[0], 0)
        self.assertLess(errors[1], 0.2)  # exact motion is 1 large, so even 200 steps must be nearer than that
        self.assertTrue(all(0 < float(line[8]) < 10 for line in lines[1:]), done.stdout)


if __name__ == "__main__":
    unittest.main()
