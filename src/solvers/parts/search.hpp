// The step search of gcs, every row in its own: rows that probe and rows that step without a probe share the
// batched calls, so nobody waits for a long search.
#pragma once

#include "solvers/gcs.hpp"
#include "solvers/parts/algebra.hpp"

namespace cvf::solvers {

class Search : public Stepper {
 public:
  explicit Search(const GcsOptions& options) : options_(options) {}

  void begin(Rows& rows, Evaluator&) override { memory_.assign(rows.size(), {}); }
  void propose(Rows& rows) override;
  void attempt(Rows& rows, Evaluator& velocity) override;
  void judge(Rows& rows) override;
  void resize(Rows& rows) override;
  void pack(std::span<const std::int64_t> kept) override;

 private:
  struct Memory {
    double next = 0;       // the step to try; 0: a new search begins
    double last = 0;       // the last accepted step
    int probes = 0;        // of this search
    bool floor = false;    // a cut led to delta_min
    bool probing = false;  // this trial
  };
  double beginning(const Row& row, const Memory& memory) const;
  bool is_short(double step) const;
  void compare(Rows& rows, Evaluator& velocity, const torch::Tensor& both,
               std::span<const std::size_t> probing, std::span<const double> steps);
  void judge_probe(Row& row, Memory& memory) const;

  GcsOptions options_;
  std::vector<Memory> memory_;
};

}  // namespace cvf::solvers
