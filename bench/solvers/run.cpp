#include "run.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "../field/problem.hpp"
#include "../figures.hpp"
#include "core/registry.hpp"
#include "kernels/cpu_choice.hpp"
#include "plain.hpp"
#include "rollout/tensors/model.hpp"

namespace cvf::bench {
namespace {

using torch::Tensor;

std::unique_ptr<solvers::Solver> solver_of(std::string_view name, const std::string& toml) {
  auto settings = find(solvers::registry(), name, "solver").settings();
  config::Document::from_text(toml, "bench").read([&](config::Section& s) { settings->describe(s); });
  return settings->build({});
}

// ---- a network: how much of the time is not psi

// Passes questions on and adds up how long the answers take.
struct Timed : fields::VelocityField {
  fields::VelocityField& inner;
  double spent = 0;

  explicit Timed(fields::VelocityField& field) : VelocityField(field.shape()), inner(field) {
    register_parameter("like", field.parameters().front(), false);
  }
  using VelocityField::forward;
  Tensor forward(const fields::Query& query) override {
    Tensor out;
    spent += seconds([&] { out = inner.forward(query); });
    return out;
  }
  double flops() const override { return inner.flops(); }
};

nlohmann::json measure_overhead(const SolverSettings& s, std::string_view name, const std::string& toml,
                                int batch) {
  Configuration configuration = configurations()[0];
  configuration.batch = batch;
  Problem problem(configuration, true);
  auto timed = std::make_shared<Timed>(problem.field());
  model::TrainedModel model{.spec = {}, .field = timed, .normalizer = {}, .run_toml = {}};
  model.normalizer = normalizers::registry()[0].make(2, {});
  const auto solver = solver_of(name, toml);
  const model::Contexts none;
  const auto velocity = rollout::velocity_of(model, none);
  const auto start =
      solvers::common_times(torch::randn({batch, 2, configuration.side, configuration.side}), 0, {1, 2});
  std::vector<double> shares, totals;
  std::int64_t evaluations = 0;
  for (int i = 0; i < s.repeats + 1; ++i) {
    timed->spent = 0;
    const double total =
        seconds([&] { evaluations = integrate(*solver, velocity, start).counts[0].evaluations; });
    if (i == 0) continue;  // warms up
    shares.push_back((total - timed->spent) / total);
    totals.push_back(total);
  }
  return {{"outside_psi", median(shares)}, {"seconds", median(totals)}, {"evaluations", evaluations}};
}

// ---- Lorenz: the field costs nothing

const solvers::Velocity lorenz = [](const Tensor& state, const Tensor&) {
  Tensor out = torch::empty_like(state);
  const double* s = state.data_ptr<double>();
  double* v = out.data_ptr<double>();
  for (std::int64_t r = 0; r < state.size(0); ++r, s += 3, v += 3) {
    const double x = s[0], y = s[1], z = s[2];  // read before anything is written: out could be anywhere
    v[0] = 10 * (y - x);
    v[1] = x * (28 - z) - y;
    v[2] = x * y - 8.0 / 3 * z;
  }
  return out;
};

nlohmann::json measure_lorenz(const SolverSettings& s) {
  torch::manual_seed(1);
  const Tensor start =
      5 * torch::randn({256, 3}, torch::kDouble) + torch::tensor({0.0, 0.0, 25.0}, torch::kDouble);
  const double until = 10, first = 1e-3, tolerance = 1e-6;
  const auto row = solver_of("dopri5", fmt::format("atol={0}\nrtol={0}\nfirst_step={1}", tolerance, first));
  const auto batch = solver_of(
      "dopri5", fmt::format("atol={0}\nrtol={0}\nfirst_step={1}\nnorm=\"batch\"", tolerance, first));
  const auto ours = [&](const solvers::Solver& solver) {
    std::int64_t rounds = 0;
    const double total = seconds([&] {
      for (const auto& c : integrate(solver, lorenz, solvers::common_times(start, 0, {until})).counts)
        rounds = std::max(rounds, c.accepted + c.rejected);
    });
    return total / static_cast<double>(rounds);
  };
  const auto plain = [&] {
    int rounds = 0;
    const double total =
        seconds([&] { rounds = plain_dopri5(lorenz, start, until, first, tolerance, tolerance).rounds; });
    return total / rounds;
  };
  std::vector<double> a, b, c;
  for (int i = 0; i < s.repeats + 1; ++i) {
    const double row_step = ours(*row), plain_step = plain(), batch_step = ours(*batch);
    if (i == 0) continue;
    a.push_back(row_step), b.push_back(plain_step), c.push_back(batch_step);
  }
  return {{"row_us", 1e6 * median(a)},
          {"batch_us", 1e6 * median(c)},
          {"plain_us", 1e6 * median(b)},
          {"speedup", median(b) / median(a)},
          {"speedup_batch", median(b) / median(c)}};
}

}  // namespace

void run_solvers(const SolverSettings& s) {
  nlohmann::json out{{"kernels", kernels::cpu_kernels().name}};
  if (!s.json) fmt::print("kernels: {}\n", kernels::cpu_kernels().name);
  for (const int batch : {16, 1}) {
    for (const auto& [name, toml] :
         {std::pair<const char*, const char*>{"gcs", "delta_min=0.05\nmax_step=0"}, {"dopri5", ""}}) {
      const auto figures = measure_overhead(s, name, toml, batch);
      out[name][fmt::format("S_{}", batch)] = figures;
      if (s.json) continue;
      fmt::print("{:<7} S, batch {:<3} {:5.2f} % outside psi (at most {}), {} evaluations in {:.1f} ms\n",
                 name, batch, 100 * figures["outside_psi"].get<double>(), batch == 1 ? 10 : 3,
                 figures["evaluations"].get<int>(), 1e3 * figures["seconds"].get<double>());
      std::fflush(stdout);
    }
  }
  out["lorenz_256"] = measure_lorenz(s);
  const auto& l = out["lorenz_256"];
  if (s.json) return fmt::print("{}\n", out.dump());
  fmt::print(
      "dopri5  Lorenz, batch 256: {:.1f} us a step (batch norm {:.1f}), tensor operations {:.1f} us: {:.1f}x "
      "(batch norm {:.1f}x; at least 5)\n",
      l["row_us"].get<double>(), l["batch_us"].get<double>(), l["plain_us"].get<double>(),
      l["speedup"].get<double>(), l["speedup_batch"].get<double>());
}

}  // namespace cvf::bench
