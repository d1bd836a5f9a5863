// The results of a study laid out in rows and columns, as Markdown, CSV and LaTeX, with the structural floors
// below them, and read out in a sentence.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "study/study.hpp"

namespace cvf::study {

// Structural floors: the error that a method keeps even with a perfect fit, from the exact flow. A study
// whose fit errors are above the floors' differences cannot tell the methods apart.

/// What the floor of secant matching is worked out for.
struct FloorProblem {
  std::string data_file;
  std::string test;  // samples, e.g. "180:200"
  int factor = 1;    // training sees one frame in this many
  int samples = 8;   // at most so many test samples
};

/// L_tau of the exact secant over the training step, used as a slope over each source step (Euler): what an
/// sm without a fit error comes to off its training grid. Nothing where the system cannot start from any
/// state, or the file does not say which system made it.
std::optional<double> secant_floor(const FloorProblem& problem);

/// One number over the seeds of a cell, as a table shows it.
struct Summary {
  int seeds = 0;       // that have ended
  int lost = 0;        // of them failed or diverged: then there is no mean
  std::string reason;  // "failed" or "diverged"
  bool lower_bound = false;
  std::optional<double> mean, deviation;  // deviation: of a sample, from two seeds on

  std::string text() const;  // "0.0123 ± 0.0004", "diverged 1/3", "-"
};

Summary summarise(const std::vector<Value>& seeds);

/// One block of a table: the axes that are neither rows nor columns are fixed in it.
struct Block {
  std::string heading;  // "evaluation off-grid"; empty when there is only one
  std::vector<std::string> rows, columns;
  std::vector<std::vector<std::vector<Summary>>> cells;  // [row][column][metric]
};

struct Layout {
  std::string name, caption;
  std::vector<std::string> row_axes, metrics;
  std::vector<Block> blocks;
  std::vector<std::string> notes;  // below: floors, definitions, where the numbers come from
};

Layout lay_out(const Study& study, const std::string& name, const Table& table,
               const std::vector<Result>& results);

/// Training time and steps of every method and data set: what equal budgets came to.
Layout costs(const Study& study, const std::vector<Result>& results);

std::string markdown(const Layout& layout);
std::string csv(const Layout& layout);
std::string latex(const Layout& layout);

// A table read out: one method beside the most accurate of the others, in one sentence, whatever the numbers
// are.

/// What the sentence is made of, for one data set.
struct Standing {
  std::optional<double> error, cost;  // no error: `reason` says why
  std::string reason;                 // "diverged", "failed"
};

/// "cvf+ needs a quarter of node's evaluations at 0.9 of its error, and has 0.05 of persistence's error".
struct Rivals {
  std::string ours, other;  // other: empty when no other method has an error
  Standing mine, theirs;
  std::optional<double> persistence;
};
std::string compared(const Rivals& rivals);

/// One sentence over all data sets of the results, at one evaluation; means over seeds.
std::string read_out(const std::vector<Result>& results, const std::string& evaluation,
                     const std::string& ours);

}  // namespace cvf::study
