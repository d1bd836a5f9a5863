// A study's folder made by hand: two data sets (a field and a state of two numbers), two methods, two seeds.
#pragma once

#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "data/groups_writer.hpp"
#include "support/scratch.hpp"

namespace cvf::testing_support {

struct SmallGrid {
  std::size_t ny = 6, nx = 8;
  std::vector<std::string> channels{"u", "v"};
  std::size_t frames = 9;
};

inline float wave(std::size_t frame, std::size_t index, double shift) {
  return static_cast<float>(
      std::sin(0.3 * static_cast<double>(index) + 0.2 * static_cast<double>(frame) + shift));
}

/// One sample of waves as a file of our layout; with steps when it is a forecast.
inline void write_waves(const std::string& path, const SmallGrid& grid, double shift, bool forecast) {
  data::GroupsPlan plan{grid.channels, grid.ny, grid.nx, {}, {}, "periodic", {}, {}, {}};
  plan.times.emplace_back();
  for (std::size_t k = 0; k < grid.frames; ++k) plan.times[0].push_back(0.5 * static_cast<double>(k));
  if (forecast) plan.scalar_names = {"source_sample"};
  data::GroupsWriter writer(path, plan);
  for (std::size_t k = 0; k < grid.frames; ++k) {
    std::vector<float> frame(plan.frame_size());
    for (std::size_t i = 0; i < frame.size(); ++i) frame[i] = wave(k, i, shift * static_cast<double>(k));
    writer.write_frame(0, k, frame);
  }
  if (forecast) writer.write_scalars(0, std::vector<double>{0});
  writer.finish_sample(0);
  if (forecast) {
    const std::vector<data::SmallArray> steps{{0, "steps", "time", {0, 0.5, 1}},
                                              {0, "steps", "step", {0.5, 0.5, 3}},
                                              {0, "steps", "nre", {0.01, NAN, 0.03}}};
    writer.add(steps);
  }
  writer.finish();
}

inline void write_text(const std::string& path, const std::string& text) {
  std::filesystem::create_directories(std::filesystem::path(path).parent_path());
  std::ofstream(path) << text;
}

/// What `cvf evaluate` writes, in small.
inline nlohmann::ordered_json small_evaluation(double error, double cost) {
  nlohmann::ordered_json out;
  out["origin"] = {{"solver", "name = \"gcs\"\nslack = 0.9\n"}, {"every_frame", "1"}};
  out["one_step"]["step_rmse"] = {{"value", error / 10}, {"status", "ok"}};
  auto& part = out["time_informed"];
  part["rollout_rmse"] = {{"value", error}, {"status", "ok"}, {"per_frame", {{1, error / 2}, {2, error}}}};
  part["nfe"] = {{"value", cost}, {"status", "ok"}};
  part["trust"] = {{"rank_correlation", 0.8},
                   {"pairs", 4},
                   {"reliability",
                    {{{"count", 2}, {"mean_score", 0.1}, {"mean_error", 0.2}, {"largest_error", 0.3}},
                     {{"count", 2}, {"mean_score", 0.2}, {"mean_error", 0.3}, {"largest_error", 0.5}}}}};
  return out;
}

/// run.toml, metrics.csv, log.jsonl and a forecast.
inline void write_run(const std::string& folder, const std::string& data_file, const SmallGrid& grid,
                      double shift) {
  write_text(folder + "/run.toml",
             "seed = 3\n[data]\nfile = \"" + data_file + "\"\n[objective]\nname = \"cvf\"\n");
  std::string csv = "step,epoch,seconds,loss,rate,samples_per_s\n", log;
  for (int step = 1; step <= 1000; ++step) {
    csv += fmt::format("{},0,{},{},0.001,5000\n", step, 0.1 * step, 1.0 / step);
    log += fmt::format("{{\"event\":\"step\",\"step\":{},\"loss\":1}}\n", step);
  }
  log += "{\"event\":\"validation\",\"step\":500,\"rollout_error\":0.5,\"diverged\":0.0}\n{\"event\":\"valid";
  write_text(folder + "/metrics.csv", csv);
  write_text(folder + "/log.jsonl", log);
  write_waves(folder + "/forecast.h5", grid, shift, true);
}

class SmallStudy {
 public:
  explicit SmallStudy(const Scratch& scratch, const std::string& title = "A small study")
      : folder_(scratch.path("study")) {
    write_text(folder_ + "/study.toml", "title = \"" + title + "\"\nquestion = \"Which one?\"\n");
    add_data("waves", {}, scratch.path("waves.h5"));
    add_data("spring", {1, 1, {"x", "v"}, 40}, scratch.path("spring.h5"));
    write_text(folder_ + "/results.jsonl", lines_);
    write_text(folder_ + "/tables/main.csv", "method,error\nsm,0.5\n\"cvf, ours\",0.25\n");
    write_text(folder_ + "/floors.json", R"({"waves":{"default":{"sm":0.01}}})");
  }
  const std::string& folder() const { return folder_; }
  std::string in(const std::string& name) const { return folder_ + "/" + name; }
  const std::string& lines() const { return lines_; }

 private:
  void add_data(const std::string& name, const SmallGrid& grid, const std::string& truth) {
    write_waves(truth, grid, 0, false);
    for (int seed = 0; seed < 2; ++seed) {
      for (const std::string method : {"sm", "cvf"}) {
        const std::string run = fmt::format("runs/{}/default/{}/seed-{}", name, method, seed);
        const double error = (method == "sm" ? 0.4 : 0.1) + 0.01 * seed;
        write_run(in(run), truth, grid, error / 4);
        if (seed > 0) std::filesystem::remove(in(run + "/forecast.h5"));
        lines_ += nlohmann::ordered_json{{"data", name},
                                         {"option", "default"},
                                         {"method", method},
                                         {"seed", seed},
                                         {"status", "ok"},
                                         {"run", run},
                                         {"train", {{"steps", 1000}, {"seconds", 100.0}}},
                                         {"evaluations",
                                          {{"off", small_evaluation(error, method == "sm" ? 1 : 3)}}}}
                      .dump() +
                  "\n";
      }
    }
  }

  std::string folder_, lines_;
};

}  // namespace cvf::testing_support
