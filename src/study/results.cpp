#include <cmath>
#include <filesystem>
#include <sstream>

#include "core/errors.hpp"
#include "core/files.hpp"
#include "core/json.hpp"
#include "core/text.hpp"
#include "study/study.hpp"

namespace cvf::study {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

Json parse(const std::string& file) {
  Json out = parse_json(files::read_whole(file));
  if (!out.is_object())
    throw DataError("{}: is not JSON; remove it, and the same command makes it again", file);
  return out;
}

std::string note_file(const std::string& root, const Cell& cell) {
  return root + "/" + place_of(cell) + "/cell.json";
}

std::map<std::string, double> training(const std::string& run) {
  const std::string file = run + "/metrics.csv";
  std::map<std::string, double> out;
  if (!std::filesystem::exists(file)) return out;
  const auto numbers = text::read_numbers(files::read_whole(file));
  const std::pair<const char*, const char*> wanted[] = {
      {"step", "steps"}, {"seconds", "seconds"}, {"samples_per_s", "samples_per_s"}, {"loss", "loss"}};
  for (std::size_t i = 0; i < numbers.names.size() && !numbers.rows.empty(); ++i) {
    for (const auto& [column, name] : wanted) {
      if (numbers.names[i] == column && !std::isnan(numbers.rows.back()[i]))
        out[name] = numbers.rows.back()[i];
    }
  }
  return out;
}

void take(std::map<std::string, Value>& out, const Json& part, const std::string& prefix = "") {
  for (const auto& [name, entry] : part.items()) {
    if (!entry.is_object() || !entry.contains("status")) continue;
    Value value{std::nullopt, entry.at("status").get<std::string>()};
    if (entry.at("value").is_number()) value.value = entry.at("value").get<double>();
    out[prefix + name] = value;
  }
  if (!part.contains("baselines")) return;
  for (const auto& [name, baseline] : part.at("baselines").items()) take(out, baseline, name + ".");
}

// One step is measured beside every protocol; its cost is not the protocol's.
std::map<std::string, Value> measured(const Json& evaluation, const std::string& protocol) {
  std::map<std::string, Value> out;
  if (evaluation.contains("one_step")) take(out, evaluation.at("one_step"));
  out.erase("nfe");
  if (evaluation.contains(protocol)) {
    take(out, evaluation.at(protocol));
    // Evaluations of older versions know the rank correlation over all frames together only, which is another
    // number. Of a model of several members it is that of their spread.
    const std::string signal =
        evaluation.at(protocol).value(Json::json_pointer("/trust/reliability_of"), std::string("doubt"));
    const Json::json_pointer place("/trust/rank_correlation/" + signal + "/within_frames/0");
    if (evaluation.at(protocol).contains(place))
      out["trust"] = {evaluation.at(protocol).at(place).get<double>(), "ok"};
  }
  return out;
}

Result result_of(const Study& study, const Json& line) {
  Result out{{line.at("data"), line.at("option"), line.at("method"), line.at("seed")},
             line.at("status") == "ok",
             line.at("sentence"),
             line.at("train"),
             {},
             line.dump(-1, ' ', false, Json::error_handler_t::replace),
             line.value("fingerprint", ""),
             ""};
  if (!line.contains("evaluations")) return out;
  for (const auto& [name, evaluation] : line.at("evaluations").items()) {
    const auto* check = find(study.evaluations, name);
    if (check != nullptr) out.measured[name] = measured(evaluation, check->protocol);
    out.program = evaluation.value(Json::json_pointer("/origin/cvf"), "");
  }
  return out;
}

}  // namespace

Value Result::value(const std::string& evaluation, const std::string& metric) const {
  if (metric == "seconds" || metric == "steps" || metric == "samples_per_s") {
    const auto found = train.find(metric);
    return found == train.end() ? Value{{}, "nothing to measure"} : Value{found->second, "ok"};
  }
  if (!good) return {std::nullopt, "failed"};
  const auto part = measured.find(evaluation);
  if (part == measured.end()) return {std::nullopt, "nothing to measure"};
  const auto found = part->second.find(metric);
  return found == part->second.end() ? Value{std::nullopt, "nothing to measure"} : found->second;
}

void write_note(const std::string& root, const Cell& cell, const Note& note) {
  const Json out{{"commands", note.commands},
                 {"good", note.good},
                 {"sentence", note.sentence},
                 {"fingerprint", note.fingerprint}};
  const std::string file = note_file(root, cell);
  files::write_atomically(file, out.dump(1, ' ', false, Json::error_handler_t::replace) + "\n");
}

std::optional<Note> read_note(const std::string& root, const Cell& cell) {
  const std::string file = note_file(root, cell);
  if (!fs::exists(file)) return std::nullopt;
  const Json note = parse(file);
  return Note{note.at("commands").get<std::vector<Command>>(), note.at("good").get<bool>(),
              note.at("sentence").get<std::string>(), note.value("fingerprint", "")};
}

std::optional<Result> read_result(const Study& study, const Cell& cell, const std::string& root) {
  const std::string run = root + "/" + run_of(study, cell), place = root + "/" + place_of(cell);
  const auto note = read_note(root, cell);
  if (!note) return std::nullopt;
  Json line{{"data", cell.data},
            {"option", cell.option},
            {"method", cell.method},
            {"seed", cell.seed},
            {"status", note->good ? "ok" : "failed"},
            {"sentence", note->sentence},
            {"run", run_of(study, cell)},
            {"fingerprint", note->fingerprint},
            {"train", training(run)}};
  for (const auto& [name, check] : study.evaluations) {
    const std::string file = place + "/evaluation-" + name + ".json";
    if (!fs::exists(file)) continue;
    line["evaluations"][name] = parse(file);
    const std::string forecast = fmt::format("/evaluation-{}.{}.h5", name, check.protocol);
    if (fs::exists(place + forecast)) line["forecasts"][name] = place_of(cell) + forecast;
  }
  return result_of(study, line);
}

std::vector<Result> read_results(const Study& study, const std::string& root) {
  const std::string file = root + "/results.jsonl";
  std::vector<Result> out;
  if (!fs::exists(file)) return out;
  std::istringstream lines(files::read_whole(file));
  for (std::string text; std::getline(lines, text);) {
    try {
      out.push_back(result_of(study, parse_json(text)));
    } catch (const Json::exception&) {
      throw DataError("{}: line {} is not the result of a cell; move the file away to begin anew", file,
                      out.size() + 1);
    }
  }
  return out;
}

}  // namespace cvf::study
