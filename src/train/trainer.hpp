// The training loop: batch, loss, gradient, step; and everything that must happen around it so that nothing
// is lost. The folder of a run:
//
//   run.toml, versions.txt   what it was asked to do, and by which programs
//   log.jsonl, metrics.csv   what happened
//   checkpoints/, last       where to go on; `last` is a model like any other
//   best                     the model with the lowest mean of both validation errors, by validation.metric
//   evaluation.*             what cvf train says of the test samples when it ends
//   .lock, .cvf-run          who works here, and what of all this is the run's
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/skill.hpp"
#include "train/distributed/process_group.hpp"
#include "train/options.hpp"
#include "train/own_folder.hpp"
#include "train/validation.hpp"

namespace cvf::train {

/// A setting of the run's length that was reached, e.g. train.minutes = 8.
struct Bound {
  std::string key;
  double value = 0;
  double done = 1;  // over the value
};

/// "train.minutes = 8; --set train.minutes=16 continues it"
std::string continuation(const std::vector<Bound>& bounds);

struct Outcome {
  std::int64_t steps = 0;       // of the whole run
  std::int64_t steps_here = 0;  // of this call; 0: it was finished before
  double seconds = 0;           // of the whole run
  double samples_per_s = 0;     // of this call, all ranks together
  double loss = 0;              // last
  std::string metric;           // of validation: what `best` and `last` are
  RolloutErrors best, last;
  std::int64_t best_step = 0;
  std::vector<Bound> bounds;  // that ended the run
  SkillErrors skill;          // of the best model on every frame of the validation samples, normalised
  double change = -1;         // of the states over the longest step of training, in the same unit
};

/// Trains, or goes on from the newest whole checkpoint in `folder`; `claim.anew` removes the run that is
/// there. Ranks that do not mean the same run are a ConfigError. An interrupt saves and throws Interrupted; a
/// loss or gradient that is not finite throws NumericsError and leaves the last good checkpoint and a file
/// that reproduces it.
Outcome train(RunOptions options, const std::string& folder, ProcessGroup& group, const Claim& claim = {});

}  // namespace cvf::train
