// `make bench`: runs every group of figures (or those named on the command line), prints a table on stdout,
// and the same as JSON into the file given by --json (--overwrite: that may exist).
#include <fmt/format.h>

#include <cstdio>
#include <nlohmann/json.hpp>
#include <string_view>

#include "core/errors.hpp"
#include "core/files.hpp"
#include "core/output_file.hpp"
#include "core/threads.hpp"
#include "figures.hpp"
#include "systems/cpu.hpp"

namespace cvf::bench {

// One function a group, each in its own file.
Figures diffusion_reaction();
Figures shallow_water();
Figures compressible_flow();
Figures generation();
Figures loader();

struct Group {
  std::string_view name;
  Figures (*run)();
};
const std::vector<Group> groups{
    {"diffusion_reaction", diffusion_reaction},
    {"shallow_water", shallow_water},
    {"compressible_flow", compressible_flow},
    {"generation", generation},
    {"loader", loader},
};

}  // namespace cvf::bench

int main(int argc, char** argv) {
  using namespace cvf;
  threads::prepare_process(argv);
  std::vector<std::string_view> wanted;
  std::string json_path;
  bool overwrite = false;
  for (int i = 1; i < argc; ++i) {
    if (std::string_view(argv[i]) == "--json" && i + 1 < argc) {
      json_path = argv[++i];
    } else if (std::string_view(argv[i]) == "--overwrite") {
      overwrite = true;
    } else {
      wanted.emplace_back(argv[i]);
    }
  }
  try {
    if (!json_path.empty()) files::check_output({.path = json_path, .overwrite = overwrite});
  } catch (const Error& error) {
    fmt::print(stderr, "cvf_bench: {}\n", error.what());
    return static_cast<int>(error.code());
  }
  nlohmann::json out = nlohmann::json::array();
  fmt::print("simulators: {}\n", systems::cpu_has_avx2() ? "avx2" : "portable");
  for (const auto& group : bench::groups) {
    if (!wanted.empty() && std::find(wanted.begin(), wanted.end(), group.name) == wanted.end()) continue;
    fmt::print("{}\n", group.name);
    for (const auto& f : group.run()) {
      const bool met = f.bar == 0 || (f.higher_is_better ? f.value >= f.bar : f.value <= f.bar);
      const std::string bar =
          f.bar == 0 ? "" : fmt::format("{} {:.4g}", f.higher_is_better ? ">=" : "<=", f.bar);
      fmt::print("  {:<62} {:>10.4g} {:<13} {:<9} {}  {}\n", f.name, f.value, f.unit, bar,
                 f.bar == 0 ? "    " : (met ? "met " : "MISS"), f.note);
      std::fflush(stdout);
      out.push_back({{"group", group.name},
                     {"name", f.name},
                     {"value", f.value},
                     {"unit", f.unit},
                     {"bar", f.bar},
                     {"higher_is_better", f.higher_is_better},
                     {"met", met},
                     {"note", f.note}});
    }
  }
  if (json_path.empty()) {
    fmt::print("{}\n", out.dump());
  } else {
    files::write_atomically(json_path, out.dump(1) + "\n");
  }
}
