// Controls that jump: a step that ends at a jump sees what came before it, the next one what comes after.
#include <gtest/gtest.h>

#include "support/flows.hpp"

namespace cvf::solvers {
namespace {

using torch::Tensor;

constexpr double before = 1, after_jump = -2;

/// ds/dt = 1 until 0.37 after the start and -2 from there on, for rows whose start times round differently.
struct Driven {
  std::vector<double> begin, jump;

  Driven() {
    for (int i = 0; i < 60; ++i) {
      begin.push_back(0.1 * i / 7.0);
      jump.push_back(begin.back() + 0.37);
    }
  }

  Problem problem(const std::vector<double>& targets) const {
    Problem out{torch::zeros({60, 1}, torch::kDouble), begin, {}};
    for (std::size_t i = 0; i < begin.size(); ++i) {
      auto& own = out.targets.emplace_back();
      for (const double target : targets) own.push_back(target == 0.37 ? jump[i] : begin[i] + target);
      out.breaks.push_back({jump[i]});
    }
    return out;
  }

  Velocity tangent() const {
    return [this](const Query& query) {
      Tensor out = torch::empty_like(query.state);
      for (std::int64_t k = 0; k < out.size(0); ++k) {
        const auto place = static_cast<std::size_t>(k);
        out[k][0] =
            query.time(place) >= jump[static_cast<std::size_t>(query.sample(place))] ? after_jump : before;
      }
      return out;
    };
  }
};

// Both values are integrated exactly by any of these methods, whatever the steps.
TEST(Jumps, AreExactForEveryMethodAndRow) {
  const Driven driven;
  const std::vector<double> targets{0.2, 0.37, 0.5, 1.0};
  const std::pair<const char*, const char*> methods[]{{"dopri5", ""},   {"dopri5", "dense=false"},
                                                      {"tsit5", ""},    {"tsit5", "dense=false"},
                                                      {"rk4", "h=0.1"}, {"rk4", "steps=1"}};
  for (const auto& [name, toml] : methods) {
    const auto solution =
        integrate(*test::solver(name, toml), driven.tangent(), driven.problem(targets), {.steps = true});
    for (std::int64_t row = 0; row < 60; ++row) {
      for (std::size_t k = 0; k < targets.size(); ++k) {
        const double exact =
            before * std::min(targets[k], 0.37) + after_jump * std::max(targets[k] - 0.37, 0.0);
        EXPECT_NEAR(solution.states[row][static_cast<std::int64_t>(k)].item<double>(), exact, 1e-13)
            << name << " " << toml << ", row " << row << ", target " << targets[k];
      }
      const auto& counts = solution.counts[static_cast<std::size_t>(row)];
      EXPECT_EQ(counts.rejected, 0) << name << " " << toml << ", row " << row;
      EXPECT_EQ(counts.evaluations, solution.counts[0].evaluations) << name << " " << toml << ", row " << row;
    }
  }
}

}  // namespace
}  // namespace cvf::solvers
