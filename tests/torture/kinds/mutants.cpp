// Damaged data files, configurations and results, fed to the verbs that read them. What they say may be
// anything that is documented; they may not crash, hang or give up without a sentence.
#include <fmt/format.h>

#include <filesystem>

#include "torture/kinds/kinds.hpp"
#include "torture/mutate.hpp"

namespace cvf::torture {
namespace {

Words reading(const std::string& file, std::size_t number) {
  switch (number % 4) {
    case 0:
      return {"data", "inspect", file};
    case 1:
      return {"data", "audit", file};
    case 2:
      return {"data", "convert", file, "out.h5"};
    default:
      return {"data", "picture", file, "--out", "out.png"};
  }
}

void read_damaged(const std::string& workshop, const std::string& folder, std::size_t number,
                  RandomStream random) {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(workshop + "/" + folder))
    files.push_back(entry.path().filename().string());
  std::sort(files.begin(), files.end());
  const Place place;
  const std::string& file = files[random.below(files.size())];
  place.write(file,
              mutated_bytes(files::read_whole(fmt::format("{}/{}/{}", workshop, folder, file)), random));
  expect_manners(place.run(reading(file, number)));
}

void configure_damaged(const std::string& workshop, std::size_t number, RandomStream random) {
  const Place place;
  place.bring(workshop, {"data.h5"});
  place.write("run.toml", mutated_text(files::read_whole(workshop + "/run.toml"), "file", random));
  if (number % 4 != 0) return expect_manners(place.run({"train", "run.toml", "--print-config"}));
  constexpr double long_enough = 4;  // seconds; then whatever it has been told to do must end when asked
  const Ran ran = place.run({"train", "run.toml", "--out", "run"}, {.ask_after = long_enough});
  const bool before_main =
      ran.code == -SIGTERM && ran.err.empty() && !std::filesystem::exists(place.path("run"));
  if (!before_main) expect_manners(ran);  // on a busy machine it may be asked before anybody listens
}

void report_damaged(const std::string& workshop, RandomStream random) {
  const Place place;
  place.bring(workshop, {"study", "run"});
  const std::string file = random.below(2) == 0 ? "study/results.jsonl" : "run/log.jsonl";
  place.write(file, mutated_text(place.read(file), "", random));
  expect_manners(place.run({"report", file.starts_with("study") ? "study" : "run", "--out", "page.html"}));
}

}  // namespace

void add_mutants(std::vector<Kind>& kinds, const std::string& workshop) {
  for (const auto& [folder, cases] : {std::pair<std::string, std::size_t>{"hdf5", 1500}, {"npy", 600}}) {
    kinds.push_back({folder + "-mutant", folder + " files with damage, read by the verbs of data", cases,
                     [=, folder = folder](std::size_t number, RandomStream random) {
                       read_damaged(workshop, folder, number, random);
                     }});
  }
  kinds.push_back(
      {"config-mutant", "RUN.toml with damage, given to train", 160,
       [=](std::size_t number, RandomStream random) { configure_damaged(workshop, number, random); }});
  kinds.push_back({"results-mutant", "results.jsonl and log.jsonl with damage, given to report", 400,
                   [=](std::size_t, RandomStream random) { report_damaged(workshop, random); }});
}

}  // namespace cvf::torture
