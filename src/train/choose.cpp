#include <algorithm>
#include <cmath>
#include <filesystem>

#include "core/registry.hpp"
#include "core/text.hpp"
#include "core/threads.hpp"
#include "kernels/cpu_choice.hpp"
#include "train/run_data.hpp"

namespace cvf::train {
namespace {

namespace fs = std::filesystem;

constexpr double most_steps = 4000, enough_steps = 2000, steps_of_a_patch = 1000, fewest_steps = 500;
constexpr double most_unresolved = 0.01;

// Operations a second of a training step on one thread, measured with conv of width 32 on 16 x 16 to 64 x 64
// cells and rounded down.
double training_speed() {
  const std::string_view name = kernels::cpu_kernels().name;
  return (name == "portable" ? 4e9 : 4e10) * threads::count();
}

class Choice {
 public:
  Choice(RunOptions& options, const model::StateFacts& state, const Sizing& sizing)
      : options_(options), sizing_(sizing) {
    spec_.state = state;
  }

  bool open(const std::string& key) const {
    return std::find(options_.left_out.begin(), options_.left_out.end(), key) != options_.left_out.end();
  }

  /// Unless the run file has the key.
  void set(const std::string& key, const std::string& value) {
    if (!open(key)) return;
    config::Document document;
    document.set(key + "=" + value);
    document.read([this](config::Section& s) { options_.describe(s); });
  }
  void set(const std::string& key, double value) { set(key, fmt::format("{}", value)); }

  void for_vector() {
    const auto channels = static_cast<double>(spec_.state.count(Role::state));
    set("field.width", std::clamp(32 * std::ceil(channels / 8), 64.0, 512.0));
    set("field.depth", 3);
    set_batch(128);
    choose_optimizer("2e-3", "2e-3");
    set("train.steps", 3000);
  }

  void for_grid() {
    const auto channels = static_cast<double>(spec_.state.count(Role::state));
    set("field.width", std::clamp(16 * std::ceil(channels / 2), 32.0, 96.0));
    set("field.depth", 1);
    choose_optimizer("1e-3", "4e-3");
    set_batch(4);
    for (const int patch : resolving_patches()) {
      set("field.patch", patch);
      if (affordable_steps() >= steps_of_a_patch) break;
    }
    double affordable = 0;
    for (const std::size_t batch : {16, 8, 4}) {
      set_batch(batch);
      affordable = affordable_steps();
      if (affordable >= enough_steps) break;
    }
    set("train.steps", 100 * std::floor(std::clamp(affordable, fewest_steps, most_steps) / 100));
  }

  /// With the sizes as they are, computed from their operations.
  double counted_seconds() const {
    model::ModelSpec spec = spec_;
    spec.field = options_.field;
    const double evaluations = options_.objective.build()->needs().evaluations;
    const double work = spec.field.settings->build(spec.shape(), 0)->flops();
    const double rows = options_.loader.batch * options_.length.accumulate * options_.length.members;
    return 3 * evaluations * rows * work / training_speed();  // backward costs twice as much as forward
  }

 private:
  // A multiple of eight where there are so many rows: ranks share a batch evenly.
  void set_batch(std::size_t wanted) {
    const std::size_t rows = sizing_.rows, most = rows < 8 ? std::max<std::size_t>(1, rows) : rows - rows % 8;
    set("loader.batch", static_cast<double>(std::min(wanted, most)));
  }

  void choose_optimizer(const std::string& rate, const std::string& of_matrices) {
    set("optimizer.name", "muon");
    set("optimizer.learning_rate", rate);
    set("optimizer.muon.learning_rate", of_matrices);
  }

  double affordable_steps() const {
    return sizing_.seconds / (sizing_.step_seconds ? sizing_.step_seconds(options_) : counted_seconds());
  }

  // That divide the grid and resolve the states, the finest first; 1 always does.
  std::vector<int> resolving_patches() const {
    std::vector<int> out;
    for (int p = 1; p <= 8; ++p) {
      const auto divides = [p](const Axis& axis) { return axis.size % static_cast<std::size_t>(p) == 0; };
      if (!std::ranges::all_of(spec_.state.axes, divides)) continue;
      if (p > 1 && sizing_.unresolved && sizing_.unresolved(p) > most_unresolved) break;
      out.push_back(p);
    }
    return out;
  }

  RunOptions& options_;
  const Sizing& sizing_;
  model::ModelSpec spec_;
};

bool take_over(Choice& choice, const RunOptions& options, const std::string& folder) {
  const std::string file = folder + "/run.toml";
  if (folder.empty() || !fs::exists(file)) return false;
  const auto before = config::Document::from_file(file);
  for (const auto& key : options.left_out) {
    if (const auto value = before.look_up(key)) choice.set(key, *value);
  }
  return true;
}

std::string words(const RunOptions& o, const model::StateFacts& s, double seconds) {
  const auto settings = config::Document::from_text(
      config::write([&](config::Section& t) { o.field.settings->describe(t); }), "field");
  std::string out = fmt::format("chosen for states of {} channels{}: {}", s.count(Role::state),
                                s.is_vector() ? "" : " on " + s.grid_text(), o.field.name);
  for (const char* key : {"width", "depth", "patch"}) {
    if (const auto value = settings.look_up(key)) out += fmt::format(", {} {}", key, *value);
  }
  const std::string length = o.length.minutes > 0 ? fmt::format("{:g} minutes at most", o.length.minutes)
                             : o.length.steps > 0 ? fmt::format("{} steps", o.length.steps)
                                                  : fmt::format("{} epochs", o.length.epochs);
  out += fmt::format(", batch {}, {}, learning rate {:g}, {}", o.loader.batch, o.optimizer.name,
                     o.optimizer.learning_rate, length);
  if (o.length.steps > 0 && o.length.minutes == 0) {
    out += fmt::format(", about {}",
                       text::duration(std::ceil(seconds * static_cast<double>(o.length.steps) / 60) * 60));
  }
  return out + "; what the run file says stays as it is";
}

}  // namespace

std::string field_for(const RunOptions& o) {
  bool vector = false;
  if (!o.data.file.empty() && fs::exists(o.data.file)) {
    const auto source = open_data(o.data);
    vector = source->description().state.is_vector();
  } else if (o.generate_system != "none") {
    const auto& row = find(systems::registry(), o.generate_system, "system");
    vector = row.grid.nx * row.grid.ny == 1;
  } else {
    return "auto";
  }
  return vector ? "mlp" : "conv";
}

std::string choose_sizes(RunOptions& options, const model::StateFacts& state, const std::string& folder,
                         const Sizing& sizing) {
  if (options.left_out.empty()) return "";
  Choice choice(options, state, sizing);
  if (take_over(choice, options, folder)) return "";
  if (options.field.name == "mlp")
    choice.for_vector();
  else
    choice.for_grid();
  return words(options, state, choice.counted_seconds());
}

}  // namespace cvf::train
