#include "solvers/wanted.hpp"

#include "core/text.hpp"
#include "solvers/solver.hpp"

namespace cvf::solvers {
namespace {

config::Document keys_of(std::string_view solver) {
  return config::Document::from_text(Choice(solver).to_toml(), "solver");
}

}  // namespace

bool want_search(const config::Document& settings, std::string_view usual, std::string_view searching,
                 double longest_step) {
  constexpr std::string_view table = "solver.";
  if (usual == searching || settings.look_up("solver.name")) return false;
  const auto known = keys_of(usual), known_beyond = keys_of(searching);
  for (const auto& [key, value] : settings.all()) {
    if (!key.starts_with(table)) continue;
    const std::string own = key.substr(table.size());
    if (!known.look_up(own) && known_beyond.look_up(own)) return true;
    if (own != "max_step") continue;
    const double bound = text::to_real(value, key);
    if (bound == 0 || bound > longest_step) return true;  // 0: no bound
  }
  return false;
}

}  // namespace cvf::solvers
