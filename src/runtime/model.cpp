#include "runtime/model.hpp"

#include <filesystem>
#include <utility>

#include "core/errors.hpp"
#include "kernels/cpu/plan.hpp"
#include "metrics/calibration.hpp"
#include "model/files.hpp"
#include "model/grid.hpp"
#include "run/step_errors.hpp"

namespace cvf::runtime {
namespace {

// A spec that does not fit itself is a fault of the file here, whatever class the parts throw.
template <class Work>
auto with_spec(const std::string& folder, const Work& work) {
  const std::string path = fmt::format("{}/{}", folder, model::model_file);
  try {
    return work();
  } catch (const ConfigError& error) {
    throw ModelError("{}: {}", path, error.what());
  } catch (const std::bad_alloc&) {
    throw ModelError("{}: the field is larger than the memory", path);
  }
}

std::string prefix_of(std::size_t member, std::size_t members) {
  return members > 1 ? fmt::format("members.{}.", member) : "";
}

// Why the kernels cannot compute a model of float; empty: they can.
std::string objection(const Spec& spec) {
  const std::size_t blocks = spec.field.settings->blocks();
  return std::cmp_less_equal(blocks, kernels::cpu::most_blocks)
             ? ""
             : fmt::format("a field of {} blocks: the runtime takes up to {}", blocks,
                           kernels::cpu::most_blocks);
}

template <class T>
std::vector<NetworkPointerOf<T>> networks_of(const Spec& spec, const model::folder::Files& files,
                                             const std::string& folder) {
  const auto shape = spec.shape();
  const auto members = static_cast<std::size_t>(spec.members);
  const auto& settings = *spec.field.settings;
  model::refuse_beyond_memory(spec.field.name, settings.values(shape) * spec.members, spec.precision);
  std::vector<fields::TensorSize> expected;
  for (std::size_t m = 0; m < members; ++m) {
    for (auto tensor : settings.tensors(shape)) {
      tensor.name = prefix_of(m, members) + tensor.name;
      expected.push_back(std::move(tensor));
    }
  }
  const WeightsOf<T> weights(files.at(std::string(model::weights_file)),
                             fmt::format("{}/{}", folder, model::weights_file), expected);
  std::vector<NetworkPointerOf<T>> out;
  for (std::size_t m = 0; m < members; ++m) {
    const auto own = weights.within(prefix_of(m, members));
    if constexpr (std::is_same_v<T, double>) {
      out.push_back(settings.build_double(shape, own));
    } else {
      out.push_back(settings.build(shape, own));
    }
  }
  return out;
}

// A file that is damaged is refused when somebody asks for error bars.
bool calibrated_by_doubling(const std::string& path) {
  const std::string file = metrics::calibration_file(path);
  if (!std::filesystem::exists(file)) return false;
  try {
    return metrics::load_calibration(file).score == metrics::Signal::step_doubling;
  } catch (const Error&) {
    return false;
  }
}

Spec spec_in(const model::folder::Files& files, const std::string& folder) {
  return model::spec_from_toml<Spec>(files.at(std::string(model::model_file)),
                                     fmt::format("{}/{}", folder, model::model_file));
}

}  // namespace

Model Model::load(const std::string& folder, const std::vector<std::string>& settings) {
  const std::string path = run::model_folder(folder);
  const auto files = model::read_files(path);
  return from(path, files, spec_in(files, path), settings);
}

std::optional<Model> Model::load_if_able(const std::string& folder) {
  const std::string path = run::model_folder(folder);
  const auto files = model::read_files(path);
  Spec spec = spec_in(files, path);
  if (spec.precision != "float32" || !objection(spec).empty()) return std::nullopt;
  return from(path, files, std::move(spec), {});
}

Model Model::from(const std::string& path, const model::folder::Files& files, Spec spec,
                  const std::vector<std::string>& settings) {
  auto shared = std::make_shared<Shared>();
  shared->path = path;
  shared->spec = std::move(spec);
  const auto file = [&](std::string_view name) -> const std::string& { return files.at(std::string(name)); };
  Model out;
  with_spec(path, [&] {
    if (shared->spec.precision == "float64") {
      out.networks_ = networks_of<double>(shared->spec, files, path);
      return;
    }
    const std::string why = objection(shared->spec);
    if (!why.empty()) throw ConfigError("{}", why);
    out.networks_ = networks_of<float>(shared->spec, files, path);
  });
  out.state_ = shared->spec.state;
  shared->units = units_of(static_cast<std::int64_t>(shared->spec.state.count(Role::state)),
                           shared->spec.normalizer, shared->spec.normalizer_settings(),
                           file(model::normalizer_file), fmt::format("{}/{}", path, model::normalizer_file));
  shared->checkpoint = run::checkpoint_of(path);
  shared->run_toml = file(model::run_file);
  shared->habits = run::habits_of(shared->spec.provenance, shared->run_toml, path);
  shared->habits.solver = run::solver_for(shared->habits, settings, shared->spec.state.largest_dt);
  shared->step_errors = run::load_step_errors(path, shared->checkpoint);
  shared->solver =
      shared->habits.solver.build(solvers::Context{.delta_min = shared->spec.state.delta_min,
                                                   .largest_step = shared->spec.state.step_bound(),
                                                   .time_unit = shared->spec.time_unit(),
                                                   .step_errors = shared->step_errors});
  shared->doubles = calibrated_by_doubling(path);
  out.shared_ = std::move(shared);
  return out;
}

Model Model::on_grid(std::int64_t ny, std::int64_t nx, double dy, double dx) const {
  const StateSpec wanted = model::on_grid(spec().state, ny, nx, dy, dx);
  const std::string wrong = model::misfit(wanted, spec().state, any_grid(), dy <= 0 && dx <= 0);
  if (!wrong.empty()) throw UsageError("the state {}", wrong);
  Model out = *this;
  std::visit(
      [&](auto& networks) {
        for (auto& network : networks) {
          if (any_grid()) network = network->on_grid(ny, nx);
        }
      },
      out.networks_);
  out.state_ = wanted;
  return out;
}

double Model::flops() const {
  return std::visit([](const auto& networks) { return networks.front()->flops(); }, networks_) *
         static_cast<double>(members());
}

// The rows of each member together.
template <class T>
void Model::forward(const QueryOf<T>& query, T* out, int threads,
                    std::span<const std::int64_t> members) const {
  const auto& networks = std::get<std::vector<NetworkPointerOf<T>>>(networks_);
  if (networks.size() == 1) return networks.front()->forward(query, out, threads);
  const auto shape = spec().shape();
  const auto conditions = static_cast<std::size_t>(shape.conditions()),
             beside = static_cast<std::size_t>(shape.beside()) * cells();
  for (std::size_t m = 0; m < networks.size(); ++m) {
    std::vector<std::size_t> rows;
    for (std::size_t k = 0; k < members.size(); ++k) {
      if (std::cmp_equal(members[k], m)) rows.push_back(k);
    }
    if (rows.empty()) continue;
    const auto gathered = [&](const T* from, std::size_t each) {
      std::vector<T> own;
      for (const auto row : rows) own.insert(own.end(), from + row * each, from + (row + 1) * each);
      return own;
    };
    const auto state = gathered(query.state, values()), numbers = gathered(query.conditions, conditions),
               fields = gathered(query.beside, beside);
    std::vector<double> dt;
    for (const auto row : rows) {
      if (!query.dt.empty()) dt.push_back(query.dt[row]);
    }
    std::vector<T> answer(state.size());
    networks[m]->forward(
        {static_cast<std::int64_t>(rows.size()), state.data(), dt, numbers.data(), fields.data()},
        answer.data(), threads);
    for (std::size_t i = 0; i < rows.size(); ++i)
      std::copy_n(answer.data() + i * values(), values(), out + rows[i] * values());
  }
}

template <class T>
void Model::velocity(const QueryOf<T>& query, T* out, int threads,
                     std::span<const std::int64_t> members) const {
  forward(query, out, threads, members);
  const auto& units = shared_->units;
  const std::size_t count = cells();
  for (std::int64_t r = 0; r < query.rows; ++r) {
    for (std::size_t c = 0; c < channels(); ++c, out += count) {
      const auto factor = static_cast<T>(units.factor[c]), offset = static_cast<T>(units.offset[c]);
      for (std::size_t i = 0; i < count; ++i) out[i] = offset + out[i] * factor;
    }
  }
}

template <class Physical, class T>
void Model::to_model(const Physical* states, std::size_t rows, T* out) const {
  using Wide = std::common_type_t<Physical, T>;
  const std::size_t count = cells();
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t c = 0; c < channels(); ++c, states += count, out += count) {
      const auto mean = static_cast<Wide>(shared_->units.mean[c]),
                 sigma = static_cast<Wide>(shared_->units.sigma[c]);
      for (std::size_t i = 0; i < count; ++i)
        out[i] = static_cast<T>((static_cast<Wide>(states[i]) - mean) / sigma);
    }
  }
}

template <class T, class Physical>
void Model::to_physical(const T* states, std::size_t rows, Physical* out) const {
  using Wide = std::common_type_t<Physical, T>;
  const std::size_t count = cells();
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t c = 0; c < channels(); ++c, states += count, out += count) {
      const auto mean = static_cast<Wide>(shared_->units.mean[c]),
                 sigma = static_cast<Wide>(shared_->units.sigma[c]);
      for (std::size_t i = 0; i < count; ++i)
        out[i] = static_cast<Physical>(static_cast<Wide>(states[i]) * sigma + mean);
    }
  }
}

#define CVF_RUNTIME_MODEL(T)                                                                         \
  template void Model::velocity<T>(const QueryOf<T>&, T*, int, std::span<const std::int64_t>) const; \
  template void Model::to_model<float, T>(const float*, std::size_t, T*) const;                      \
  template void Model::to_model<double, T>(const double*, std::size_t, T*) const;                    \
  template void Model::to_physical<T, float>(const T*, std::size_t, float*) const;                   \
  template void Model::to_physical<T, double>(const T*, std::size_t, double*) const;
CVF_RUNTIME_MODEL(float)
CVF_RUNTIME_MODEL(double)
#undef CVF_RUNTIME_MODEL

}  // namespace cvf::runtime
