// What `cvf demo` trains: written into its folder, so that a user can read, change and run them again.
#pragma once

namespace cvf::cli {

inline constexpr const char* demo_pendulum = R"toml(# A pendulum of which one frame in eight is seen.
[data]
file = "pendulum.h5"

[generate]
name = "pendulum"
samples = 120

[generate.system]  # no pendulum goes over the top
angle_range = [-2.0, 2.0]
velocity_range = [-0.8, 0.8]

[split]
train = "0:96"
validation = "96:108"
test = "108:120"

[downsampling]
factor = 8

[loader]
batch = 128

[field]
name = "mlp"
width = 64
depth = 3

[optimizer]
name = "muon"
learning_rate = 2e-3

[train]
steps = 1500

[validation]
steps = -1

[log]
steps = 25
diagnostics = 0
)toml";

inline constexpr const char* demo_reaction =
    R"toml(# Diffusion-reaction on a small grid of which one frame in eight is seen.
[data]
file = "diffusion-reaction.h5"

[generate]
name = "diffusion_reaction"
samples = 120
grid = "16"
frames = 65

[generate.system]
initial = "smooth"
correlation_length = 0.4

[split]
train = "0:96"
validation = "96:108"
test = "108:120"

[downsampling]
factor = 8

[loader]
batch = 16

[field]
name = "conv"
width = 32

[optimizer]
name = "muon"
learning_rate = 1e-3
muon.learning_rate = 4e-3

[train]
steps = 1500

[validation]
steps = -1

[log]
steps = 25
diagnostics = 0
)toml";

inline constexpr const char* demo_study =
    R"toml(# Four ways to learn from sparse frames, judged on the frames in between.
title = "Learning motion between the frames"
question = "Every method saw one frame in eight. Who knows what happens in between, and what does a frame cost?"
seeds = [0]
forecasts = 3

[preset.demo]
about = "three minutes on two cores; 30 CPU seconds for each training"
set = ["train.minutes=0.5", "train.clock=cpu", "train.steps=1000000"]

[preset.quick]
about = "half a minute: does everything work here?"
set = ["train.steps=150"]

[data.pendulum]
config = "pendulum.toml"

[data.diffusion-reaction]
config = "diffusion-reaction.toml"

[method.sm]
set = ["objective.name=sm"]
solver = "euler"

[method.node]
set = ["objective.name=node"]
solver = "rk4"

[method.cvf]
set = ["objective.name=cvf", "objective.recipe=paper", "solver.name=gcs"]
solver = "gcs"

[method."cvf+"]
set = ["objective.name=cvf", "objective.recipe=plus"]
solver = "euler"

[evaluation.between-frames]
protocol = "forecast"

[evaluation.on-training-grid]
protocol = "time_informed"
every = 0

[evaluation.straight-ahead]
protocol = "direct"

[table.demo]
caption = "Rollout error on test samples and evaluations of the network for each frame"
columns = ["data", "evaluation"]
baselines = ["persistence"]
)toml";

}  // namespace cvf::cli
