#include "runtime/model.hpp"

#include <utility>

#include "core/errors.hpp"
#include "kernels/cpu/plan.hpp"
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

std::vector<NetworkPointer> networks_of(const Spec& spec, const model::folder::Files& files,
                                        const std::string& folder) {
  const auto shape = spec.shape();
  const auto members = static_cast<std::size_t>(spec.members);
  model::refuse_beyond_memory(spec.field.name, spec.field.settings->values(shape) * spec.members,
                              spec.precision);
  const std::string why = objection(spec);
  if (!why.empty()) throw ConfigError("{}", why);
  std::vector<fields::TensorSize> expected;
  for (std::size_t m = 0; m < members; ++m) {
    for (auto tensor : spec.field.settings->tensors(shape)) {
      tensor.name = prefix_of(m, members) + tensor.name;
      expected.push_back(std::move(tensor));
    }
  }
  const Weights weights(files.at(std::string(model::weights_file)),
                        fmt::format("{}/{}", folder, model::weights_file), expected);
  std::vector<NetworkPointer> out;
  for (std::size_t m = 0; m < members; ++m)
    out.push_back(spec.field.settings->build(shape, weights.within(prefix_of(m, members))));
  return out;
}

Spec spec_in(const model::folder::Files& files, const std::string& folder) {
  return model::spec_from_toml<Spec>(files.at(std::string(model::model_file)),
                                     fmt::format("{}/{}", folder, model::model_file));
}

}  // namespace

std::string objection(const Spec& spec) {
  if (spec.precision != "float32") {
    return fmt::format("precision = '{}': the runtime computes in float32, and the program in both",
                       spec.precision);
  }
  const std::size_t blocks = spec.field.settings->blocks();
  return std::cmp_less_equal(blocks, kernels::cpu::most_blocks)
             ? ""
             : fmt::format("a field of {} blocks: the runtime takes up to {}", blocks,
                           kernels::cpu::most_blocks);
}

Model Model::load(const std::string& folder, const std::vector<std::string>& settings) {
  const std::string path = run::model_folder(folder);
  const auto files = model::read_files(path);
  return from(path, files, spec_in(files, path), settings);
}

std::optional<Model> Model::load_if_able(const std::string& folder) {
  const std::string path = run::model_folder(folder);
  const auto files = model::read_files(path);
  Spec spec = spec_in(files, path);
  if (!objection(spec).empty()) return std::nullopt;
  return from(path, files, std::move(spec), {});
}

Model Model::from(const std::string& path, const model::folder::Files& files, Spec spec,
                  const std::vector<std::string>& settings) {
  auto shared = std::make_shared<Shared>();
  shared->path = path;
  shared->spec = std::move(spec);
  const auto file = [&](std::string_view name) -> const std::string& { return files.at(std::string(name)); };
  Model out;
  out.networks_ = with_spec(path, [&] { return networks_of(shared->spec, files, path); });
  out.state_ = shared->spec.state;
  shared->units =
      units_of(static_cast<std::int64_t>(shared->spec.state.count(Role::state)), shared->spec.normalizer,
               file(model::normalizer_file), fmt::format("{}/{}", path, model::normalizer_file));
  shared->checkpoint = run::checkpoint_of(path);
  shared->run_toml = file(model::run_file);
  shared->habits = run::habits_of(shared->spec.provenance, shared->run_toml, path);
  shared->habits.solver = run::solver_for(shared->habits.solver, settings);
  shared->step_errors = run::load_step_errors(path, shared->checkpoint);
  shared->solver = shared->habits.solver.build(solvers::Context{.delta_min = shared->spec.state.delta_min,
                                                                .largest_step = shared->spec.state.largest_dt,
                                                                .step_errors = shared->step_errors});
  out.shared_ = std::move(shared);
  return out;
}

Model Model::on_grid(std::int64_t ny, std::int64_t nx, double dy, double dx) const {
  const StateSpec wanted = model::on_grid(spec().state, ny, nx, dy, dx);
  const std::string wrong = model::misfit(wanted, spec().state, any_grid(), dy <= 0 && dx <= 0);
  if (!wrong.empty()) throw UsageError("the state {}", wrong);
  Model out = *this;
  for (auto& network : out.networks_) {
    if (any_grid()) network = network->on_grid(ny, nx);
  }
  out.state_ = wanted;
  return out;
}

double Model::flops() const {
  return networks_.front()->flops() * static_cast<double>(members());
}

// The rows of each member together.
void Model::forward(const Query& query, float* out, int threads,
                    std::span<const std::int64_t> members) const {
  if (networks_.size() == 1) return networks_.front()->forward(query, out, threads);
  const auto shape = spec().shape();
  const auto conditions = static_cast<std::size_t>(shape.conditions()),
             beside = static_cast<std::size_t>(shape.beside()) * cells();
  for (std::size_t m = 0; m < networks_.size(); ++m) {
    std::vector<std::size_t> rows;
    for (std::size_t k = 0; k < members.size(); ++k) {
      if (std::cmp_equal(members[k], m)) rows.push_back(k);
    }
    if (rows.empty()) continue;
    const auto gathered = [&](const float* from, std::size_t each) {
      std::vector<float> own;
      for (const auto row : rows) own.insert(own.end(), from + row * each, from + (row + 1) * each);
      return own;
    };
    const auto state = gathered(query.state, values()), numbers = gathered(query.conditions, conditions),
               fields = gathered(query.beside, beside);
    std::vector<double> dt;
    for (const auto row : rows) {
      if (!query.dt.empty()) dt.push_back(query.dt[row]);
    }
    std::vector<float> answer(state.size());
    networks_[m]->forward(
        {static_cast<std::int64_t>(rows.size()), state.data(), dt, numbers.data(), fields.data()},
        answer.data(), threads);
    for (std::size_t i = 0; i < rows.size(); ++i)
      std::copy_n(answer.data() + i * values(), values(), out + rows[i] * values());
  }
}

void Model::velocity(const Query& query, float* out, int threads,
                     std::span<const std::int64_t> members) const {
  forward(query, out, threads, members);
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
