#include "report/folder.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <sstream>

#include "core/config.hpp"
#include "core/errors.hpp"
#include "core/files.hpp"
#include "core/text.hpp"
#include "run/run_file.hpp"

namespace cvf::report {
namespace {

namespace fs = std::filesystem;

std::string in(const std::string& folder, const std::string& name) {
  return (fs::path(folder) / name).string();
}

Json object_of(const std::string& file) {
  Json found = parse_json(files::read_whole(file));
  if (!found.is_object()) throw DataError("{}: is not a JSON object, or is nested too deeply", file);
  return found;
}

Cell cell_of(const Json& line, const std::string& folder) {
  Cell cell{
      .data = text_in(line, "data"), .option = text_in(line, "option"), .method = text_in(line, "method")};
  if (cell.option.empty()) cell.option = "default";
  cell.seed = static_cast<std::int64_t>(number_in(line, "seed").value_or(0));
  cell.failed = text_in(line, "status") == "failed";
  cell.sentence = text_in(line, "sentence");
  cell.run = in(folder, text_in(line, "run"));
  const std::string forecast = text_in(line, "forecast");
  if (!forecast.empty()) cell.forecast = in(folder, forecast);
  if (const Json& scored = part_of(line, "forecasts"); scored.is_object()) {
    for (const auto& [evaluation, file] : scored.items()) {
      if (file.is_string()) cell.forecasts.emplace_back(evaluation, in(folder, file.get<std::string>()));
    }
  }
  cell.train = part_of(line, "train");
  cell.evaluations = part_of(line, "evaluations");
  return cell;
}

std::vector<Cell> read_results(const std::string& folder) {
  const std::string file = in(folder, "results.jsonl");
  std::istringstream lines(files::read_whole(file));
  std::vector<Cell> cells;
  int number = 0;
  for (std::string text; std::getline(lines, text);) {
    ++number;
    if (text.find_first_not_of(" \t\r") == std::string::npos) continue;
    const Json line = parse_json(text);
    if (!line.is_object())
      throw DataError("{}: line {} is not a JSON object, or is nested too deeply", file, number);
    cells.push_back(cell_of(line, folder));
    if (cells.back().data.empty() || cells.back().method.empty()) {
      throw DataError("{}: line {} has no text under \"data\" or \"method\"", file, number);
    }
  }
  if (cells.empty()) throw DataError("{}: is empty; has the study finished a run yet?", file);
  return cells;
}

std::vector<fs::path> sorted_files(const std::string& folder, const std::string& extension) {
  std::vector<fs::path> out;
  if (!fs::is_directory(folder)) return out;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.is_regular_file() && entry.path().extension() == extension) out.push_back(entry.path());
  }
  std::sort(out.begin(), out.end());
  return out;
}

// Title, question and captions.
void read_words(Folder& folder) {
  const std::string toml = in(folder.path, "study.toml");
  if (!fs::exists(toml)) {
    folder.notes.push_back("study.toml is missing: title and question are not known.");
    return;
  }
  const auto document = config::Document::from_file(toml);
  folder.words = document.all();
  folder.title = document.look_up("title").value_or("");
  folder.question = document.look_up("question").value_or("");
  for (auto& table : folder.tables) {
    table.caption = document.look_up("table." + table.name + ".caption").value_or("");
  }
}

Folder open_study(const std::string& path) {
  Folder folder{.path = path, .is_study = true, .cells = read_results(path)};
  for (const auto& file : sorted_files(in(path, "tables"), ".csv")) {
    folder.tables.push_back({file.stem().string(), "", files::read_whole(file.string())});
  }
  const std::string floors = in(path, "floors.json");
  if (fs::exists(floors)) folder.floors = object_of(floors);
  read_words(folder);
  return folder;
}

// ---- a single run

std::string evaluation_name(const std::string& stem) {
  const std::string prefix = "evaluation-";
  return stem.starts_with(prefix) ? stem.substr(prefix.size()) : stem;
}

// What a study would have noted, from the last row of the journal.
Json train_summary(const std::string& path) {
  const std::string csv = in(path, "metrics.csv");
  if (!fs::exists(csv)) return {};
  const auto numbers = text::read_numbers(files::read_whole(csv));
  Json out = Json::object();
  if (numbers.rows.empty()) return out;
  for (std::size_t i = 0; i < numbers.names.size(); ++i) {
    const std::string key = numbers.names[i] == "step" ? "steps" : numbers.names[i];
    if (key != "steps" && key != "seconds" && key != "samples_per_s" && key != "loss") continue;
    if (!std::isnan(numbers.rows.back()[i])) out[key] = numbers.rows.back()[i];
  }
  return out;
}

Folder open_run(const std::string& path) {
  const auto run = run::RunFile::in(path);
  Cell cell{
      .data = fs::path(run.data_file()).stem().string(), .option = "default", .method = run.objective()};
  if (cell.data.empty()) cell.data = "data";
  if (cell.method.empty()) cell.method = "model";
  cell.seed = std::atoll(run.seed().c_str());
  cell.run = path;
  cell.train = train_summary(path);
  Folder folder{.path = path};
  for (const auto& json : sorted_files(path, ".json")) {
    const std::string stem = json.stem().string();
    if (!stem.starts_with("evaluation")) continue;
    cell.evaluations[evaluation_name(stem)] = object_of(json.string());
    for (const auto* protocol : {".time_informed.h5", ".direct.h5", ".forecast.h5"}) {
      const std::string scored = in(path, stem + protocol);
      if (fs::exists(scored)) cell.forecasts.emplace_back(evaluation_name(stem), scored);
    }
  }
  if (cell.evaluations.is_null()) {
    folder.notes.push_back(
        "No evaluation*.json in the folder: cvf evaluate RUN --out RUN/evaluation --keep 3 adds one.");
  }
  folder.title = cell.method + " on " + cell.data;
  folder.cells.push_back(std::move(cell));
  return folder;
}

}  // namespace

Folder open_folder(const std::string& path) {
  if (!fs::exists(path)) throw DataError("{}: no such folder", path);
  if (!fs::is_directory(path))
    throw DataError("{}: is a file; a report needs the folder of a study or a run", path);
  if (fs::exists(in(path, "results.jsonl"))) return open_study(path);
  if (fs::exists(run::RunFile::path_in(path))) return open_run(path);
  throw DataError(
      "{}: has neither results.jsonl (a study) nor run.toml (a run), so there is nothing to report", path);
}

}  // namespace cvf::report
