#include "runtime/model.hpp"

#include "core/errors.hpp"
#include "model/files.hpp"
#include "model/grid.hpp"
#include "run/solver_of.hpp"
#include "run/step_errors.hpp"

namespace cvf::runtime {
namespace {

// A spec that does not fit itself is a fault of the file here, whatever class the parts throw.
NetworkPointer network_of(const Spec& spec, const model::folder::Files& files, const std::string& folder) {
  const std::string path = fmt::format("{}/{}", folder, model::model_file);
  try {
    const auto shape = spec.shape();
    model::refuse_beyond_memory(spec.field.name, spec.field.settings->values(shape), spec.precision);
    if (spec.members > 1) {
      throw ConfigError("has {} members, and the runtime steps models of one; cvf rollout takes it",
                        spec.members);
    }
    if (spec.precision != "float32") {
      throw ConfigError("precision = '{}': the runtime computes in float32, and the program in both",
                        spec.precision);
    }
    const Weights weights(files.at(std::string(model::weights_file)),
                          fmt::format("{}/{}", folder, model::weights_file),
                          spec.field.settings->tensors(shape));
    return spec.field.settings->build(shape, weights);
  } catch (const ConfigError& error) {
    throw ModelError("{}: {}", path, error.what());
  } catch (const std::bad_alloc&) {
    throw ModelError("{}: the field is larger than the memory", path);
  }
}

}  // namespace

Model Model::load(const std::string& folder, const std::vector<std::string>& settings) {
  auto shared = std::make_shared<Shared>();
  shared->path = run::model_folder(folder);
  const auto files = model::read_files(shared->path);
  const auto file = [&](std::string_view name) -> const std::string& { return files.at(std::string(name)); };
  const auto path = [&](std::string_view name) { return fmt::format("{}/{}", shared->path, name); };
  shared->spec = model::spec_from_toml<Spec>(file(model::model_file), path(model::model_file));
  Model out;
  out.network_ = network_of(shared->spec, files, shared->path);
  out.state_ = shared->spec.state;
  shared->units =
      units_of(static_cast<std::int64_t>(shared->spec.state.count(Role::state)), shared->spec.normalizer,
               file(model::normalizer_file), path(model::normalizer_file));
  shared->checkpoint = run::checkpoint_of(shared->path);
  const auto habits = run::habits_of(shared->spec.provenance, file(model::run_file), shared->path);
  shared->choice = run::solver_for(habits.solver, settings);
  shared->solver = shared->choice.build(
      solvers::Context{.delta_min = shared->spec.state.delta_min,
                       .largest_step = shared->spec.state.largest_dt,
                       .step_errors = run::load_step_errors(shared->path, shared->checkpoint)});
  out.shared_ = std::move(shared);
  return out;
}

Model Model::on_grid(std::int64_t ny, std::int64_t nx, double dy, double dx) const {
  const StateSpec wanted = model::on_grid(spec().state, ny, nx, dy, dx);
  const std::string wrong = model::misfit(wanted, spec().state, network_->any_grid(), dy <= 0 && dx <= 0);
  if (!wrong.empty()) throw UsageError("the state {}", wrong);
  Model out = *this;
  if (network_->any_grid()) out.network_ = network_->on_grid(ny, nx);
  out.state_ = wanted;
  return out;
}

void Model::velocity(const Query& query, float* out, int threads) const {
  network_->forward(query, out, threads);
  const auto& units = shared_->units;
  const std::size_t count = cells();
  for (std::int64_t r = 0; r < query.rows; ++r) {
    for (std::size_t c = 0; c < channels(); ++c, out += count) {
      const auto factor = static_cast<float>(units.factor[c]), offset = static_cast<float>(units.offset[c]);
      for (std::size_t i = 0; i < count; ++i) out[i] = offset + out[i] * factor;
    }
  }
}

template <class T>
void Model::to_model(const T* states, std::size_t rows, float* out) const {
  const std::size_t count = cells();
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t c = 0; c < channels(); ++c, states += count, out += count) {
      const auto mean = static_cast<T>(shared_->units.mean[c]),
                 sigma = static_cast<T>(shared_->units.sigma[c]);
      for (std::size_t i = 0; i < count; ++i) out[i] = static_cast<float>((states[i] - mean) / sigma);
    }
  }
}

template <class T>
void Model::to_physical(const float* states, std::size_t rows, T* out) const {
  const std::size_t count = cells();
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t c = 0; c < channels(); ++c, states += count, out += count) {
      const auto mean = static_cast<T>(shared_->units.mean[c]),
                 sigma = static_cast<T>(shared_->units.sigma[c]);
      for (std::size_t i = 0; i < count; ++i) out[i] = static_cast<T>(states[i]) * sigma + mean;
    }
  }
}

template void Model::to_model<float>(const float*, std::size_t, float*) const;
template void Model::to_model<double>(const double*, std::size_t, float*) const;
template void Model::to_physical<float>(const float*, std::size_t, float*) const;
template void Model::to_physical<double>(const float*, std::size_t, double*) const;

}  // namespace cvf::runtime
