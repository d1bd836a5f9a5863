#include "train/journal.hpp"

#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>

#include "core/errors.hpp"
#include "core/files.hpp"

namespace cvf::train {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

// A line that a kill cut short has no step and goes too.
bool is_kept_event(const std::string& line, std::int64_t step) {
  const Json event = Json::parse(line, nullptr, false);
  return !event.is_discarded() && event.contains("step") && event["step"].is_number_integer() &&
         event["step"].get<std::int64_t>() <= step;
}

bool is_kept_row(const std::string& line, std::int64_t step) {
  if (line.starts_with("step,")) return true;
  try {
    return std::stoll(line) <= step;
  } catch (const std::exception&) {
    return false;
  }
}

template <class Keep>
void truncate(const std::string& path, Keep&& keep) {
  if (!fs::exists(path)) return;
  std::istringstream old(files::read_whole(path));
  std::string kept;
  for (std::string line; std::getline(old, line);) {
    if (!old.eof() && keep(line)) kept += line + '\n';  // at the end: no line break, a torn line
  }
  files::write_atomically(path, kept);
}

std::ofstream opened(const std::string& path) {
  std::ofstream out(path, std::ios::app);
  if (!out) throw DataError("{}: cannot be opened for writing", path);
  return out;
}

std::string cell(double value) {
  return std::isfinite(value) ? fmt::format("{}", value) : "";
}

}  // namespace

Journal::Journal(std::string folder, std::int64_t step, bool tensorboard) : folder_(std::move(folder)) {
  if (folder_.empty()) return;
  const std::string log = folder_ + "/log.jsonl", csv = folder_ + "/metrics.csv";
  truncate(log, [step](const std::string& line) { return is_kept_event(line, step); });
  truncate(csv, [step](const std::string& line) { return is_kept_row(line, step); });
  has_header_ = fs::exists(csv) && fs::file_size(csv) > 0;
  log_ = opened(log);
  csv_ = opened(csv);
  if (tensorboard) events_ = std::make_unique<EventFile>(folder_ + "/tensorboard", step + 1);
}

void Journal::event(const std::string& kind, std::int64_t step, const Numbers& numbers,
                    const std::vector<std::pair<std::string, std::string>>& texts) {
  if (folder_.empty()) return;
  Json line{{"event", kind}, {"step", step}};
  for (const auto& [name, value] : numbers) line[name] = std::isfinite(value) ? Json(value) : Json();
  for (const auto& [name, text] : texts) line[name] = text;
  log_ << line.dump(-1, ' ', false, Json::error_handler_t::replace) << std::endl;
  if (events_) tell_tensorboard(kind, step, numbers);
  if (!log_) throw DataError("{}/log.jsonl: writing failed; is the disk full?", folder_);
}

bool Journal::has(const std::string& folder, const std::string& kind, std::int64_t step) {
  const std::string log = folder + "/log.jsonl";
  std::istringstream in(fs::exists(log) ? files::read_whole(log) : "");
  for (std::string line; std::getline(in, line);) {
    const Json event = Json::parse(line, nullptr, false);
    if (event.is_object() && event.value("event", Json()) == kind && event.value("step", Json()) == step)
      return true;
  }
  return false;
}

// One chart for each number, in a group for each kind of event.
void Journal::tell_tensorboard(const std::string& kind, std::int64_t step, const Numbers& numbers) {
  Numbers finite;
  for (const auto& [name, value] : numbers) {
    if (std::isfinite(value)) finite.emplace_back(kind + "/" + name, value);
  }
  events_->add(step, finite);
}

void Journal::row(std::int64_t step, const Numbers& numbers) {
  event("step", step, numbers);
  if (folder_.empty()) return;
  if (!has_header_) {
    csv_ << "step";
    for (const auto& [name, value] : numbers) csv_ << ',' << name;
    csv_ << '\n';
    has_header_ = true;
  }
  csv_ << step;
  for (const auto& [name, value] : numbers) csv_ << ',' << cell(value);
  csv_ << std::endl;
  if (!csv_) throw DataError("{}/metrics.csv: writing failed; is the disk full?", folder_);
}

}  // namespace cvf::train
