#include "bench/train/run.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "bench/field/problem.hpp"
#include "core/threads.hpp"
#include "kernels/cpu_choice.hpp"
#include "train/learner.hpp"

namespace cvf::bench {
namespace {

namespace fs = std::filesystem;
using torch::Tensor;
using Clock = std::chrono::steady_clock;

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

// Of measurements as long as each other that were taken in turn: a slow spell of the machine is in both.
double median_ratio(const std::vector<double>& a, const std::vector<double>& b) {
  std::vector<double> ratios;
  for (std::size_t i = 0; i < a.size(); ++i) ratios.push_back(a[i] / b[i]);
  return median(ratios);
}

template <class Act>
double seconds_of(Act&& act) {
  const auto begin = Clock::now();
  act();
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

// Waves on the configuration's grid: enough rows for a few batches.
train::RunOptions options_of(const Configuration& c, int batch, int micro_batch, const std::string& objective,
                             const std::string& file) {
  auto out = train::RunOptions::read(config::Document::from_text(
      fmt::format("data.file = \"{}\"\nloader.batch = {}\ntrain.micro_batch = {}\nobjective.name = \"{}\"\n"
                  "generate = {{name = \"wave\", grid = \"{}\", samples = 10, frames = 33}}\n"
                  "field = {{name = \"sit\", patch = {}, width = {}, depth = {}, heads = {}}}\n",
                  file, batch, micro_batch, objective, c.side, c.patch, c.width, c.depth, c.heads),
      "cvf bench train"));
  train::provide_data(out);
  return out;
}

// One question to the field: how many rows, and which gradients will be wanted.
struct Call {
  std::int64_t rows;
  bool to_weights, to_state;
};

struct Recorder : fields::VelocityField {
  fields::VelocityField& inner;
  std::vector<Call> calls;

  explicit Recorder(fields::VelocityField& field) : VelocityField(field.shape()), inner(field) {}
  using VelocityField::forward;
  Tensor forward(const fields::Query& query) override {
    calls.push_back({query.state.size(0), torch::GradMode::is_enabled(), query.state.requires_grad()});
    return inner.forward(query);
  }
  double flops() const override { return inner.flops(); }
};

struct Entrant {
  std::string name;
  std::unique_ptr<train::Learner> learner;
  std::vector<std::vector<Call>> micro_batches;  // of one step
  std::vector<double> step, psi;

  Entrant(const Configuration& c, int batch, int micro_batch, const std::string& objective,
          const std::string& file, train::ProcessGroup& group)
      : name(objective) {
    auto options = options_of(c, batch, micro_batch, objective, file);
    const auto run_data = train::prepare(options);
    learner = std::make_unique<train::Learner>(options, run_data, group);
    train::fit_statistics(*learner->model.normalizer, learner->feed, group);
    learner->model.field->train();
    learner->step(0);  // warm, and there is a batch to look at
    for (const auto& [begin, end] : learner->micro_batches(learner->batch.rows())) {
      Recorder recorder(*learner->model.field);
      learner->objective->loss({recorder, *learner->model.normalizer}, learner->batch.rows(begin, end),
                               learner->draws.front().rows(begin, end));
      micro_batches.push_back(recorder.calls);
    }
  }

  // The same questions with nothing around them: forward, and backward where the objective has one.
  void only_psi() {
    for (const auto& calls : micro_batches) only_psi(calls);
    learner->optimizer.clear_gradients();
  }

  void only_psi(const std::vector<Call>& calls) {
    auto& field = *learner->model.field;
    Tensor total = torch::zeros({});
    for (const auto& call : calls) {
      const auto many = (call.rows + learner->batch.rows() - 1) / learner->batch.rows();
      Tensor state = learner->batch.state(0).repeat({many, 1, 1, 1}).narrow(0, 0, call.rows).clone();
      const Tensor dt = torch::full({call.rows}, field.shape().dt_ref, torch::kDouble);
      const torch::AutoGradMode mode(call.to_weights);
      const Tensor answer = field.forward(state.requires_grad_(call.to_state), dt);
      if (call.to_weights) total = total + answer.sum();
    }
    total.backward();
  }

  void measure() {
    step.push_back(seconds_of([&] { learner->step(0); }));
    psi.push_back(seconds_of([&] { only_psi(); }));
  }
};

}  // namespace

void run_train(const TrainSettings& settings) {
  const std::string folder = (fs::temp_directory_path() / fmt::format("cvf-bench-{}", getpid())).string();
  fs::create_directories(folder);
  train::ProcessGroup alone;
  nlohmann::ordered_json json{{"kernels", kernels::cpu_kernels().name}};
  if (!settings.json) fmt::print("kernels: {}\n", kernels::cpu_kernels().name);
  for (const auto& c : configurations()) {
    if (c.field != "sit") continue;
    const bool chosen =
        settings.only.empty() ? c.name == "S" || c.name == "A" : settings.only.contains(c.name);
    if (!chosen) continue;
    const int batch = settings.batch > 0 ? settings.batch : c.batch;
    const std::string file = fmt::format("{}/{}.h5", folder, c.side);
    std::vector<Entrant> entrants;
    for (const auto& row : objectives::registry())
      entrants.emplace_back(c, batch, settings.micro_batch, std::string(row.name), file, alone);
    for (int i = 0; i < settings.repeats; ++i) {
      for (auto& entrant : entrants) entrant.measure();
    }
    const auto sm =
        std::find_if(entrants.begin(), entrants.end(), [](const auto& e) { return e.name == "sm"; });
    if (!settings.json) {
      fmt::print("{} (batch {}, {} threads)\n  {:<12} {:>10} {:>8} {:>12}\n", c.name, batch, threads::count(),
                 "objective", "samples/s", "x sm", "outside psi");
    }
    for (const auto& e : entrants) {
      const double step = median(e.step), cost = step / median(sm->step);
      const double outside = 1 - median_ratio(e.psi, e.step);
      json[c.name][e.name] = {{"samples_per_s", batch / step}, {"cost", cost}, {"outside_psi", outside}};
      if (!settings.json) {
        fmt::print("  {:<12} {:>10.1f} {:>8.2f} {:>11.1f} %\n", e.name, batch / step, cost, 100 * outside);
      }
    }
  }
  if (settings.json) fmt::print("{}\n", json.dump());
  fs::remove_all(folder);
}

}  // namespace cvf::bench
