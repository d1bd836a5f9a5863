// An evaluation as text: the table for people, JSON and CSV for programs, each with what it was made from.
#pragma once

#include <map>
#include <string>

#include "evaluate/evaluate.hpp"

namespace cvf::evaluate {

/// Where the numbers come from: model, checkpoint hash, config hash, data hash, seed, solver, samples,
/// commit.
using Origin = std::map<std::string, std::string>;

std::string table(const Evaluation& evaluation);
std::string json(const Evaluation& evaluation, const Origin& origin);
/// protocol,metric,value,unit,status: one line for each number; "rollout_rmse.angle" is that of a channel,
/// "persistence.rollout_rmse" of a baseline, "trust.doubt.within_frames" of a signal.
std::string csv(const Evaluation& evaluation);

}  // namespace cvf::evaluate
