// A study's folder made by hand: two data sets (a field and a state of two numbers), two methods, two seeds.
#pragma once

#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
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

/// Samples of waves as a file of our layout; with steps when it is a forecast, of an evaluation's protocol if
/// there is one.
inline void write_waves(const std::string& path, const SmallGrid& grid, double shift, bool forecast,
                        std::size_t samples = 1, const std::string& protocol = "",
                        const std::string& parameter = "") {
  data::GroupsPlan plan{state_of(grid.channels, {{"y", grid.ny}, {"x", grid.nx}})};
  plan.state.set_boundary("periodic");
  std::vector<double> times;
  for (std::size_t k = 0; k < grid.frames; ++k) times.push_back(0.5 * static_cast<double>(k));
  plan.times.assign(samples, times);
  if (forecast) plan.scalar_names = {"source_sample"};
  if (!parameter.empty()) {  // a half in the first sample
    plan.scalar_names.push_back(parameter);
    plan.state.set_names(Role::parameter, {parameter});
  }
  if (!protocol.empty()) plan.attributes.emplace_back("protocol", protocol);
  data::GroupsWriter writer(path, plan);
  std::vector<data::SmallArray> steps;
  for (std::size_t s = 0; s < samples; ++s) {
    for (std::size_t k = 0; k < grid.frames; ++k) {
      std::vector<float> frame(plan.frame_size());
      for (std::size_t i = 0; i < frame.size(); ++i)
        frame[i] = wave(k, i + 3 * s, shift * static_cast<double>(k));
      writer.write_frame(s, k, frame);
    }
    std::vector<double> scalars;
    if (forecast) scalars.push_back(static_cast<double>(s));
    if (!parameter.empty()) scalars.push_back(0.5 + static_cast<double>(s));
    if (!scalars.empty()) writer.write_scalars(s, scalars);
    writer.finish_sample(s);
    steps.push_back({s, "steps", "time", {0, 0.5, 1}});
    steps.push_back({s, "steps", "step", {0.5, 0.5, 3}});
    steps.push_back({s, "steps", "nre", {0.01, NAN, 0.03}});
  }
  if (forecast) writer.add(steps);
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

/// What `cvf evaluate` adds to it now: baselines, channels, times, where it came about, trust at equal times.
inline nlohmann::ordered_json full_evaluation(double error, double cost, const std::string& protocol,
                                              const std::vector<std::string>& channels) {
  auto out = small_evaluation(error, cost);
  if (protocol != "time_informed") {
    out[protocol] = out["time_informed"];
    out.erase("time_informed");
  }
  out["origin"]["objective"] = "cvf";
  out["origin"]["date"] = "2026-01-02";
  out["origin"]["machine"] = "A small computer";
  auto& part = out[protocol];
  part["trust"]["rank_correlation"] = {{"doubt", {{"pooled", 0.8}, {"within_frames", {0.3, 0.1, 0.5}}}},
                                       {"time", {{"pooled", 0.9}, {"within_frames", {0, 0, 0}}}}};
  const auto parts = part["trust"]["reliability"];
  part["trust"]["reliability"] = nlohmann::ordered_json::array();
  part["trust"]["reliability"].push_back({{"from", 0.5}, {"to", 1.0}, {"parts", parts}});
  for (std::size_t c = 0; c < channels.size(); ++c)
    part["rollout_rmse"]["parts"][channels[c]] = error * static_cast<double>(c + 1);
  for (const std::string name : {"persistence", "mean_state"}) {
    const double worse = name == "persistence" ? 2 : 3;
    part["baselines"][name] = {{"about", "no model"}, {"rollout_rmse", part["rollout_rmse"]}};
    part["baselines"][name]["rollout_rmse"]["value"] = worse;
    part["baselines"][name]["rollout_rmse"]["per_frame"] = {{1, worse / 2}, {2, worse}};
  }
  out["frames"] = {{"time", {0, 0.5, 1.0}}, {"training", {0, 2}}};
  return out;
}

/// run.toml, metrics.csv, log.jsonl and a forecast.
inline void write_run(const std::string& folder, const std::string& data_file, const SmallGrid& grid,
                      double shift) {
  write_text(folder + "/run.toml",
             "seed = 3\n[data]\nfile = \"" + data_file + "\"\n[objective]\nname = \"cvf\"\n");
  std::string csv = "step,epoch,seconds,loss,learning_rate,samples_per_s\n", log;
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
  /// As a study writes it now: two evaluations of two protocols, each with the forecasts of two samples.
  void bring_up_to_date() const {
    std::string lines;
    std::istringstream old(lines_);
    for (std::string text; std::getline(old, text);) {
      auto line = nlohmann::ordered_json::parse(text);
      const bool is_field = line["data"] == "waves";
      const SmallGrid grid = is_field ? SmallGrid{} : SmallGrid{1, 1, {"x", "v"}, 40};
      const double error = line["evaluations"]["off"]["time_informed"]["rollout_rmse"]["value"];
      line["evaluations"].clear();
      for (const auto& [name, protocol] : {std::pair("off", "time_informed"), std::pair("far", "direct")}) {
        line["evaluations"][name] = full_evaluation(error, 3, protocol, grid.channels);
        if (line["seed"] != 0) continue;
        const std::string file = fmt::format("{}/{}.h5", line["run"].get<std::string>(), name);
        const double shift = error / (std::string(name) == "off" ? 4 : 8);
        write_waves(in(file), grid, shift, true, 2, protocol);
        line["forecasts"][name] = file;
      }
      lines += line.dump() + "\n";
    }
    write_text(in("results.jsonl"), lines);
    write_waves(in("../waves.h5"), {}, 0, false, 2);
    write_waves(in("../spring.h5"), {1, 1, {"x", "v"}, 40}, 0, false, 2);
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
