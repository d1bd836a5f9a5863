#include <cmath>
#include <cstdlib>

#include "core/config.hpp"
#include "core/errors.hpp"
#include "evaluate/evaluate.hpp"

namespace cvf::evaluate {
namespace {

using Parameters = metrics::Setting::Parameters;

void add(Parameters& out, const std::string& name, const std::string& text) {
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  if (!text.empty() && *end == 0 && std::isfinite(value)) out[name] = value;
}

// The table [system] of the options that a file was generated with; other programs' texts are no TOML.
void add_generated(Parameters& out, const std::string& config) {
  constexpr std::string_view table = "system.";
  try {
    for (const auto& [key, value] : config::Document::from_text(config, "config").all()) {
      if (key.starts_with(table)) add(out, key.substr(table.size()), value);
    }
  } catch (const ConfigError&) {
    return;
  }
}

}  // namespace

metrics::Setting setting_of(const data::Source& source, std::span<const std::size_t> samples) {
  const auto& d = source.description();
  metrics::Setting out;
  const auto system = d.attributes.find("system");
  if (system == d.attributes.end()) return {.state = d.state};
  out.system = system->second;
  out.state = d.state;
  if (const auto config = d.attributes.find("config"); config != d.attributes.end())
    add_generated(out.parameters, config->second);
  for (const auto& [name, text] : d.attributes) add(out.parameters, name, text);
  const auto names = d.state.names(Role::parameter);
  for (const std::size_t sample : samples) {
    if (names.empty()) break;
    const auto scalars = source.scalars(sample);
    auto& own = out.of_sample[static_cast<std::int64_t>(sample)];
    for (const auto& name : names) {
      const auto found = scalars.find(name);
      if (found != scalars.end() && std::isfinite(found->second)) own[name] = found->second;
    }
  }
  return out;
}

}  // namespace cvf::evaluate
