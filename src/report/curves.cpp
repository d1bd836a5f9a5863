#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <sstream>
#include <string_view>

#include "core/files.hpp"
#include "core/text.hpp"
#include "report/json.hpp"
#include "report/sections.hpp"

namespace cvf::report {
namespace {

/// Named columns; what a row lacks is NaN.
struct Table {
  std::vector<std::string> names;
  std::vector<std::vector<double>> columns;
  std::size_t rows = 0;

  std::vector<double>& column(const std::string& name) {
    const auto found = std::find(names.begin(), names.end(), name);
    const auto index = static_cast<std::size_t>(found - names.begin());
    if (found == names.end()) {
      names.push_back(name);
      columns.emplace_back(rows, std::numeric_limits<double>::quiet_NaN());
    }
    return columns[index];
  }
  void add_row() {
    ++rows;
    for (auto& c : columns) c.push_back(std::numeric_limits<double>::quiet_NaN());
  }
  void put(const std::string& name, double value) {
    auto& c = column(name);
    c.back() = value;
  }
};

Json json_of(const Table& table, std::size_t points) {
  Json out = Json::object();
  const auto rows = spread(table.rows, points);
  for (std::size_t i = 0; i < table.names.size(); ++i)
    out[table.names[i]] = brief(picked(table.columns[i], rows));
  return out;
}

// What the page says elsewhere, or nobody asks for along the run.
bool is_of_no_interest(const std::string& name) {
  return name == "epoch" || name == "samples_per_s" || name == "wait_share";
}

Table read_metrics(const std::string& file) {
  const auto numbers = text::read_numbers(files::read_whole(file));
  Table table;
  for (const auto& row : numbers.rows) {
    table.add_row();
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (!is_of_no_interest(numbers.names[i])) table.put(numbers.names[i], row[i]);
    }
  }
  return table;
}

void add_event(Table& table, const Json& event) {
  table.add_row();
  for (const auto& [name, value] : event.items()) {
    if (name != "event" && value.is_number()) table.put(name, value.get<double>());
  }
}

void read_events(const std::string& file, Table& validation, Table& diagnostics) {
  std::istringstream lines(files::read_whole(file));
  for (std::string line; std::getline(lines, line);) {
    if (line.find("\"event\":\"step\"") != std::string::npos) continue;  // metrics.csv has it
    const Json event = parse_json(line);
    const std::string kind = text_in(event, "event");
    if (kind == "validation") add_event(validation, event);
    if (kind == "diagnostics") add_event(diagnostics, event);
  }
}

}  // namespace

Json training_curves(const std::string& run, std::size_t points) {
  namespace fs = std::filesystem;
  const std::string csv = (fs::path(run) / "metrics.csv").string(),
                    log = (fs::path(run) / "log.jsonl").string();
  Json out;
  if (fs::exists(csv)) out["train"] = json_of(read_metrics(csv), points);
  if (!fs::exists(log)) return out;
  Table validation, diagnostics;
  read_events(log, validation, diagnostics);
  if (validation.rows > 0) out["validation"] = json_of(validation, points);
  if (diagnostics.rows > 0) out["diagnostics"] = json_of(diagnostics, points);
  return out;
}

}  // namespace cvf::report
