// libcvf as a host meets it: its size, what it needs, how soon the first step is done, and how long a step
// takes; the path of LibTorch beside it, in turns. cvf_bench_runtime [FOLDER]: of a model of yours instead.
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cmath>
#include <filesystem>
#include <memory>
#include <string>

#include "bench/figures.hpp"
#include "bench/runtime/child.hpp"
#include "core/random.hpp"
#include "model/files.hpp"
#include "model/safetensors.hpp"
#include "runtime/model.hpp"

namespace cvf::bench {
namespace {

using model::safetensors::Contents;
using model::safetensors::Dtype;

// The output of a command, line by line.
std::string output_of(const std::string& command) {
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command.c_str(), "r"), pclose);
  std::string out;
  std::array<char, 512> line;
  while (pipe != nullptr && fgets(line.data(), line.size(), pipe.get()) != nullptr) out += line.data();
  return out;
}

struct Bytes {  // tensors point into these
  std::vector<std::vector<float>> floats;
  std::vector<std::vector<double>> doubles;
};

template <class T>
void add(Contents& contents, std::vector<std::vector<T>>& kept, const std::string& name,
         const std::vector<std::int64_t>& sizes, Dtype dtype, const std::function<T(std::size_t)>& value) {
  std::size_t count = 1;
  for (const auto side : sizes) count *= static_cast<std::size_t>(side);
  auto& values = kept.emplace_back(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = value(i);
  contents.tensors.push_back({name, dtype, sizes, std::as_bytes(std::span(values))});
}

// A model with random weights: what is measured does not depend on them.
void write_model(const std::string& folder, const std::string& state, const std::string& field) {
  const std::string toml =
      "[state]\ndt_ref = 0.1\ndelta_min = 0.1\nlargest_dt = 1.0\n" + state + "[field]\n" + field;
  const auto spec = model::spec_from_toml<runtime::Spec>(toml, "bench");
  const auto channels = static_cast<std::int64_t>(spec.state.count(Role::state));
  Bytes bytes;
  Contents weights, statistics;
  RandomStream random(1, "bench/runtime");
  for (const auto& tensor : spec.field.settings->tensors(spec.shape()))
    add<float>(weights, bytes.floats, tensor.name, tensor.sizes, Dtype::f32,
               [&](std::size_t) { return static_cast<float>(0.05 * random.normal()); });
  for (const auto* name : {"state_mean", "state_variance", "velocity_mean", "velocity_variance"})
    add<double>(statistics, bytes.doubles, name, {channels}, Dtype::f64, [](std::size_t) { return 1.0; });
  model::folder::replace(folder, {{std::string(model::model_file), toml},
                                  {std::string(model::run_file), ""},
                                  {std::string(model::weights_file), serialize(weights)},
                                  {std::string(model::normalizer_file), serialize(statistics)}});
}

struct Times {
  double load, first, step;  // milliseconds
};

Times run(const std::string& program, const std::string& folder, std::size_t values, int batch, int threads) {
  const std::string command =
      fmt::format("OMP_WAIT_POLICY=passive GOMP_SPINCOUNT=2000 '{}' '{}' {} {} {} {:.9f}", program, folder,
                  values, batch, threads, now());
  Times out{NAN, NAN, NAN};
  std::sscanf(output_of(command).c_str(), "%lf %lf %lf", &out.load, &out.first, &out.step);
  return out;
}

Times median_of(const std::vector<Times>& all) {
  const auto of = [&](double Times::*part) {
    std::vector<double> values;
    for (const auto& times : all) values.push_back(times.*part);
    return median(values);
  };
  return {of(&Times::load), of(&Times::first), of(&Times::step)};
}

// Two programs in turns, so that a busy moment of the machine meets both.
void measure_model(const std::string& name, const std::string& folder) {
  const auto loaded = runtime::Model::load(folder);
  for (const int batch : {1, 16}) {
    for (const int threads : {1, 2}) {
      std::vector<Times> ours, theirs;
      for (int i = 0; i < 5; ++i) {
        ours.push_back(run(CVF_BENCH_CHILD, folder, loaded.values(), batch, threads));
        theirs.push_back(run(CVF_BENCH_TORCH_CHILD, folder, loaded.values(), batch, threads));
      }
      const Times a = median_of(ours), b = median_of(theirs);
      fmt::print("{:<22} {:>5} {:>7} | {:>8.2f} {:>8.1f} {:>9.3f} | {:>8.1f} {:>8.1f} {:>9.3f} | {:>5.2f}x\n",
                 name, batch, threads, a.load, a.first, a.step, b.load, b.first, b.step, b.step / a.step);
      std::fflush(stdout);
    }
  }
}

void print_library() {
  const auto bytes = std::filesystem::file_size(CVF_BENCH_LIBRARY);
  fmt::print("{}: {:.2f} MB (bar: 5 MB)\n{}\n", CVF_BENCH_LIBRARY, static_cast<double>(bytes) * 1e-6,
             output_of(std::string("ldd ") + CVF_BENCH_LIBRARY));
  fmt::print(
      "milliseconds; bars: load 20, first step after the start of the process 50\n"
      "{:<22} {:>5} {:>7} | {:>8} {:>8} {:>9} | {:>8} {:>8} {:>9} |\n",
      "", "batch", "threads", "load", "first", "step", "LibTorch", "first", "step");
}

int run_all(int argc, char** argv) {
  print_library();
  if (argc > 1) {
    measure_model(std::filesystem::path(argv[1]).filename().string(), argv[1]);
    return 0;
  }
  std::string scratch = (std::filesystem::temp_directory_path() / "cvf-bench-XXXXXX").string();
  if (mkdtemp(scratch.data()) == nullptr) return 1;
  const auto grid = [](int side) {
    return fmt::format("channels = [\"u\", \"v\"]\nny = {0}\nnx = {0}\nboundary = \"periodic\"\n", side);
  };
  const auto one = [&](const std::string& name, const std::string& state, const std::string& field) {
    write_model(scratch + "/model", state, field);
    measure_model(name, scratch + "/model");
  };
  one("conv 32, 32 x 32", grid(32), "name = \"conv\"\n");
  one("conv 32, 64 x 64", grid(64), "name = \"conv\"\n");
  one("sit 96, 32 x 32", grid(32), "name = \"sit\"\nwidth = 96\ndepth = 4\nheads = 4\n");
  one("sit 128, 64 x 64", grid(64), "name = \"sit\"\nwidth = 128\ndepth = 4\nheads = 4\n");
  one("mlp 128, 3 values", "channels = [\"x\", \"y\", \"z\"]\n", "name = \"mlp\"\n");
  std::filesystem::remove_all(scratch);
  return 0;
}

}  // namespace
}  // namespace cvf::bench

int main(int argc, char** argv) {
  try {
    return cvf::bench::run_all(argc, argv);
  } catch (const cvf::Error& error) {
    fmt::print(stderr, "{}\n", error.what());
    return static_cast<int>(error.code());
  }
}
