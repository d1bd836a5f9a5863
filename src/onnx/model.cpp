#include "onnx/model.hpp"

#include <fmt/ranges.h>

#include "core/errors.hpp"
#include "core/machine.hpp"
#include "model/files.hpp"
#include "onnx/networks.hpp"
#include "run/solver_of.hpp"

namespace cvf::onnx {
namespace {

using Metadata = std::vector<std::pair<std::string, std::string>>;

// Anything worth knowing in front of the file alone.
Metadata metadata_of(const Spec& spec, const std::string& checkpoint) {
  const auto& state = spec.state;
  const auto number = [](double value) { return fmt::format("{}", value); };
  Metadata out{{"cvf.version", version},
               {"cvf.checkpoint", checkpoint},
               {"field", spec.field.name},
               {"members", number(spec.members)},
               {"channels", fmt::format("{}", fmt::join(state.names(), ", "))},
               {"grid", state.is_vector() ? "none" : state.grid_text()},
               {"boundary", state.boundary()},
               {"dt.frame_interval", number(state.dt_ref)},
               {"dt.shortest", number(state.delta_min)},
               {"dt.longest", number(state.largest_dt)},
               {"data", state.data_hash}};
  const auto names = spec.context.names();
  for (const auto& [key, some] : std::initializer_list<std::pair<const char*, std::vector<std::string>>>{
           {"parameters", names.parameters},
           {"static", names.statics},
           {"controls", names.controls},
           {"control_fields", names.control_fields}}) {
    if (!some.empty()) out.emplace_back(key, fmt::format("{}", fmt::join(some, ", ")));
  }
  return out;
}

std::vector<fields::TensorSize> tensors_of(const Spec& spec, const fields::StateShape& shape) {
  std::vector<fields::TensorSize> out;
  for (int i = 0; i < spec.members; ++i) {
    for (auto tensor : spec.field.settings->tensors(shape)) {
      tensor.name = member_prefix(spec, i) + tensor.name;
      out.push_back(std::move(tensor));
    }
  }
  return out;
}

}  // namespace

std::string model_of(const std::string& folder) {
  const std::string path = run::model_folder(folder);
  const auto files = model::read_files(path);
  const auto file = [&](std::string_view name) -> const std::string& { return files.at(std::string(name)); };
  const auto inside = [&](std::string_view name) { return fmt::format("{}/{}", path, name); };
  const auto spec = model::spec_from_toml<Spec>(file(model::model_file), inside(model::model_file));
  try {
    const auto shape = spec.shape();
    model::refuse_beyond_memory(spec.field.name, spec.field.settings->values(shape) * spec.members,
                                spec.precision);
    if (spec.precision != "float32")
      throw ConfigError("precision = '{}': an exported model computes in float32", spec.precision);
    const runtime::Weights weights(file(model::weights_file), inside(model::weights_file),
                                   tensors_of(spec, shape));
    const auto units = runtime::units_of(shape.channels, spec.normalizer, spec.normalizer_settings(),
                                         file(model::normalizer_file), inside(model::normalizer_file));
    const auto network = spec.field.settings->build(shape);
    return draw(spec, *network, units, weights).model(version, metadata_of(spec, run::checkpoint_of(path)));
  } catch (const ConfigError& error) {  // the fault is the file's, whatever class the parts throw
    throw ModelError("{}: {}", inside(model::model_file), error.what());
  } catch (const std::bad_alloc&) {
    throw ModelError("{}: the field is larger than the memory", inside(model::model_file));
  }
}

}  // namespace cvf::onnx
