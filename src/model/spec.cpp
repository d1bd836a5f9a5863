#include "model/spec.hpp"

#include "core/registry.hpp"

namespace cvf::model {

std::string to_toml(ModelSpec spec) {
  return config::write([&spec](config::Section& s) { spec.describe(s); });
}

ModelSpec from_toml(std::string_view text, const std::string& name) {
  return spec_from_toml<ModelSpec>(text, name);
}

}  // namespace cvf::model
