// What a run and its data say about why a model lacks skill, for the end of training and for an evaluation.
#pragma once

#include <string>

#include "core/skill.hpp"
#include "data/source.hpp"
#include "evaluate/evaluate.hpp"

namespace cvf::cli {

/// A trained run: its folder (that of a model alone: its length is not known), its resolved settings, its
/// data.
struct JudgedRun {
  std::string folder, run_toml;
  const data::Source& data;
};

/// `change`: see RunFacts.
RunFacts facts_of(const JudgedRun& run, double change);

/// The first of an evaluation's rollouts that lacks skill, by the normalised error; empty: none does.
std::string lack_of_skill(const evaluate::Evaluation& result, const JudgedRun& run);

}  // namespace cvf::cli
