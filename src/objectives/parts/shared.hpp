// What several objectives share: options, described in one place, and random numbers for the rows of a batch.
#pragma once

#include "core/config.hpp"
#include "objectives/objective.hpp"
#include "objectives/splines.hpp"

namespace cvf::objectives {

/// Which spline; `with_none` for those that can do without.
void describe_spline(config::Section& section, std::string_view name, Spline& spline, bool with_none);

/// Whether the field sees dt. Methods that learn a tangent leave it blind, as if dt were 0.
void describe_conditioned(config::Section& section, bool& conditioned);

/// The step that the field is shown: dt, or 0 for a field that must not see it.
torch::Tensor shown(bool conditioned, const torch::Tensor& dt);

// Random numbers for the rows of a batch, each kind from its own named stream: switching one option on does
// not change what the others draw.

/// How a whole is cut into parts: Dirichlet(1) or Dirichlet(2) (for two parts: uniform and Beta(2,2)), or
/// equal parts.
enum class Cut { uniform, beta, even };

torch::Tensor draw_shares(const DrawRange& range, int parts, Cut cut);  // [parts, B]
torch::Tensor draw_points(const DrawRange& range);                      // [B], U(0,1)

/// The long side of a rupture: dt for every row, or another one for a share of the rows, so that other steps
/// are consistent too.
enum class Span { whole, scaled, log, free };

/// [B]: with this probability U(0,1), or log-uniform in (shortest, 1) where `shortest` > 0; else 1.
torch::Tensor draw_spans(const DrawRange& range, double probability, double shortest = 0);

/// [B] 1 or 0: this share of all rows of the run, evenly spread by their numbers, so that it is the same
/// share of every batch; undefined where it is all of them.
torch::Tensor draw_closed(const DrawRange& range, double share);

/// The share of a batch's rows that have a rupture; a rupture costs several evaluations, a secant one.
void describe_closed(config::Section& section, double& share);

/// These rows of a batch, and what is said about all from them.
struct ClosedRows {
  ClosedRows(const Batch& whole, const Draws& drawn, double share);

  torch::Tensor numbers;  // undefined: all of them
  Batch batch;
  Draws draws;
  double weight = 1;

  bool none() const { return batch.rows() == 0; }
  torch::Tensor of(const torch::Tensor& all) const {
    return numbers.defined() ? all.index_select(0, numbers) : all;
  }
  /// In place of the mean over all rows: micro-batches, in which there may be few or many, add up to that of
  /// their batch.
  torch::Tensor mean_square(const torch::Tensor& difference) const {
    const torch::Tensor mean = difference.square().mean();
    return numbers.defined() ? mean * weight : mean;
  }
};

/// Two legs that know nothing of each other, each U(0,1): with this probability a row's span is their sum and
/// its shares theirs; else its span is 1 and its shares are those given. [B], [2,B].
std::pair<torch::Tensor, torch::Tensor> draw_free(const DrawRange& range, double probability,
                                                  const torch::Tensor& shares);

}  // namespace cvf::objectives
