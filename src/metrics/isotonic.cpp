#include "metrics/isotonic.hpp"

#include <algorithm>
#include <cmath>

#include "core/errors.hpp"

namespace cvf::metrics {
namespace {

constexpr int most_rounds = 2000;
constexpr double of_nothing = 1e-9;  // the weight of a cell that nobody saw, as a share of the largest

class Table {
 public:
  Table(std::span<const double> weights, std::size_t rows, std::size_t columns)
      : rows_(rows), columns_(columns), weights_(weights.begin(), weights.end()) {
    const double largest = *std::max_element(weights_.begin(), weights_.end());
    for (auto& weight : weights_) weight = std::max(weight, of_nothing * largest);
  }

  void make_rows_rise(std::vector<double>& values) const {
    for (std::size_t r = 0; r < rows_; ++r) make_rise(values, r * columns_, 1, columns_);
  }
  void make_columns_rise(std::vector<double>& values) const {
    for (std::size_t c = 0; c < columns_; ++c) make_rise(values, c, columns_, rows_);
  }

 private:
  void make_rise(std::vector<double>& values, std::size_t first, std::size_t stride,
                 std::size_t count) const {
    std::vector<double> line(count), weight(count);
    for (std::size_t i = 0; i < count; ++i)
      line[i] = values[first + i * stride], weight[i] = weights_[first + i * stride];
    line = isotonic(line, weight);
    for (std::size_t i = 0; i < count; ++i) values[first + i * stride] = line[i];
  }

  std::size_t rows_, columns_;
  std::vector<double> weights_;
};

// What is left of a crossing of the last digits.
void make_exact(std::vector<double>& table, std::size_t rows, std::size_t columns) {
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t c = 0; c < columns; ++c) {
      double& here = table[r * columns + c];
      if (r > 0) here = std::max(here, table[(r - 1) * columns + c]);
      if (c > 0) here = std::max(here, table[r * columns + c - 1]);
    }
  }
}

}  // namespace

std::vector<double> isotonic(std::span<const double> values, std::span<const double> weights) {
  struct Block {
    double mean, weight;
    std::size_t count;
  };
  std::vector<Block> blocks;
  for (std::size_t i = 0; i < values.size(); ++i) {
    blocks.push_back({values[i], weights[i], 1});
    while (blocks.size() > 1 && blocks[blocks.size() - 2].mean > blocks.back().mean) {
      const Block last = blocks.back();
      blocks.pop_back();
      Block& into = blocks.back();
      const double sum = into.weight + last.weight;
      into = {(into.mean * into.weight + last.mean * last.weight) / sum, sum, into.count + last.count};
    }
  }
  std::vector<double> out;
  for (const auto& block : blocks) out.insert(out.end(), block.count, block.mean);
  return out;
}

std::vector<double> isotonic_table(std::span<const double> values, std::span<const double> weights,
                                   std::size_t rows, std::size_t columns) {
  if (values.size() != rows * columns || weights.size() != values.size() || values.empty())
    throw DataError("{} values and {} weights for a table of {} x {}", values.size(), weights.size(), rows,
                    columns);
  double sum = 0, mass = 0;
  for (std::size_t i = 0; i < values.size(); ++i)
    sum += weights[i] > 0 ? weights[i] * values[i] : 0, mass += weights[i];
  if (!(mass > 0)) throw DataError("a table without any weight has no fit");
  std::vector<double> table(values.begin(), values.end());
  for (std::size_t i = 0; i < table.size(); ++i) {
    if (!(weights[i] > 0)) table[i] = sum / mass;
  }
  const Table cones(weights, rows, columns);
  std::vector<double> by_rows(table.size(), 0),
      by_columns(table.size(), 0);  // what each projection took away
  for (int round = 0; round < most_rounds; ++round) {
    const std::vector<double> before = table;
    const auto project = [&](std::vector<double>& taken, auto onto) {
      std::vector<double> moved = table;
      for (std::size_t i = 0; i < moved.size(); ++i) moved[i] += taken[i];
      const std::vector<double> start = moved;
      onto(moved);
      for (std::size_t i = 0; i < moved.size(); ++i) taken[i] = start[i] - moved[i];
      table = std::move(moved);
    };
    project(by_rows, [&](auto& t) { cones.make_rows_rise(t); });
    project(by_columns, [&](auto& t) { cones.make_columns_rise(t); });
    double change = 0, size = 0;
    for (std::size_t i = 0; i < table.size(); ++i)
      change = std::max(change, std::abs(table[i] - before[i])), size = std::max(size, std::abs(table[i]));
    if (change <= 1e-12 * size) break;
  }
  make_exact(table, rows, columns);
  return table;
}

}  // namespace cvf::metrics
