#include "torture/workshop.hpp"

#include <fmt/format.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <mutex>

#include "core/text.hpp"
#include "support/archives.hpp"
#include "support/layouts.hpp"

namespace cvf::torture {
namespace {

namespace fs = std::filesystem;

constexpr const char* run_settings = R"(seed = 3
data.file = "data.h5"
split.train = "0:3"
split.validation = "3:4"
split.test = "4:5"
loader.batch = 8
field.name = "mlp"
field.width = 8
field.depth = 1
optimizer.learning_rate = 0.01
checkpoint.steps = 2
checkpoint.minutes = 0.0
log.steps = 2
log.diagnostics = 3
validation.steps = 3
evaluation.samples = 0
)";

void write(const fs::path& path, const std::string& content) {
  fs::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary) << content;
}

void must(const Place& place, const Words& command, const Trouble& trouble = {}) {
  const Ran ran = place.run(command, trouble);
  if (ran.code != 0)
    throw Broken(fmt::format("cvf {} failed undisturbed, {}", text::join(command, " "), words(ran)));
}

void write_numpy(const fs::path& folder) {
  using namespace testing_support;
  const std::string array = npy("<f4", "(2, 3, 4)", counting<float>(24));
  const std::string times = npy("<f8", "(3,)", counting<double>(3));
  write(folder / "array.npy", array);
  write(folder / "fortran.npy", npy(">f8", "(2, 4, 2)", counting<double>(16, true), true));
  write(folder / "stored.npz", zip({{"u.npy", array}, {"t.npy", times}}, false, false));
  write(folder / "packed.npz", zip({{"u.npy", array}, {"t.npy", times}}, true, true));
}

// A run's folder becomes a study's by a line of results.
void write_study(const Place& place) {
  place.write("study/study.toml", "title = \"small\"\n");
  std::string lines;
  for (const char* method : {"cvf", "sm"}) {
    lines += fmt::format(
        R"({{"data":"p","option":"default","method":"{}","seed":0,"run":"run","evaluations":{{}}}})"
        "\n",
        method);
  }
  place.write("study/results.jsonl", lines);
}

}  // namespace

const std::vector<Job>& jobs() {
  static const std::vector<Job> all{
      {"generate",
       {},
       {"data", "generate", "pendulum", "--samples", "3", "--frames", "6", "--seed", "4", "--out", "out.h5"},
       {"out.h5"},
       {"--overwrite"}},
      {"gzip",
       {},
       {"data", "generate", "pendulum", "--samples", "2", "--frames", "5", "--gzip", "4", "--out", "out.h5"},
       {"out.h5"},
       {"--overwrite"}},
      {"convert",
       {"data.h5"},
       {"data", "convert", "data.h5", "out.h5", "--channels", "velocity", "--samples", "0:2"},
       {"out.h5"},
       {"--overwrite"}},
      {"report", {"study", "run"}, {"report", "run", "--out", "page.html"}, {"page.html"}, {"--overwrite"}},
      {"train",
       {"data.h5", "run.toml"},
       {"train", "run.toml", "--out", "run"},
       {"run/last/weights.safetensors", "run/last/normalizer.safetensors", "run/best/weights.safetensors"},
       {}},
      {"rollout",
       {"data.h5", "model"},
       {"rollout", "model", "--data", "data.h5", "--samples", "0:2", "--out", "out.h5", "--overwrite"},
       {"out.h5"},
       {}},
      {"evaluate",
       {"data.h5", "model"},
       {"evaluate", "model", "--samples", "4", "--protocol", "direct", "--out", "e"},
       {"e.csv"},
       {"--overwrite"}},
  };
  return all;
}

std::string run_file(const std::string& bound) {
  return fmt::format("{}{}\n", run_settings, bound);
}

std::string comparable(const std::string& name, const std::string& content) {
  if (!name.ends_with(".csv")) return content;
  std::string out;
  for (const auto& line : text::split(content, '\n')) {
    if (line.find("seconds") == std::string::npos) out += line + "\n";
  }
  return out;
}

void prepare_workshop(const std::string& folder) {
  const Place place;
  must(place, {"data", "generate", "pendulum", "--samples", "5", "--frames", "9", "--out", "data.h5"});
  place.write("run.toml", run_file("train.steps = 6"));
  must(place, {"train", "run.toml", "--out", "run"});
  fs::copy(place.path("run/last"), place.path("model"), fs::copy_options::recursive);
  write_study(place);
  write_numpy(place.path("npy"));
  testing_support::write_layouts(place.path("hdf5"));
  fs::copy(place.path("data.h5"), place.path("hdf5/ours.h5"));
  fs::create_directories(folder);
  fs::copy(place.path(""), folder, fs::copy_options::recursive | fs::copy_options::copy_symlinks);
}

const Undisturbed& undisturbed(const std::string& workshop, const Job& job) {
  struct Slot {
    std::once_flag once;
    Undisturbed made;
  };
  static std::mutex mutex;
  static std::map<std::string, Slot> slots;
  std::unique_lock lock(mutex);
  Slot& slot = slots[job.name];
  lock.unlock();
  std::call_once(slot.once, [&] {
    const Place place;
    place.bring(workshop, job.inputs);
    const auto begin = std::chrono::steady_clock::now();
    must(place, job.command, {.at = 0, .action = "count"});
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    for (const auto& output : job.outputs) slot.made.outputs[output] = place.read(output);
    slot.made.calls = place.calls();
    slot.made.seconds = took.count();
  });
  return slot.made;
}

}  // namespace cvf::torture
