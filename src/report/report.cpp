#include "report/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "core/errors.hpp"
#include "core/files.hpp"
#include "core/machine.hpp"
#include "core/output_file.hpp"
#include "report/image.hpp"
#include "report/movie.hpp"
#include "report/sections.hpp"
#include "run/run_file.hpp"

namespace cvf::report {
namespace {

constexpr std::size_t most_bytes = 9'500'000;  // of the page: it should open anywhere and go by mail
constexpr std::size_t least_for_fields = 500'000;
constexpr std::size_t most_curve_points = 400, all_curve_points = 40'000;

// Many runs share what a page can hold of curves.
std::size_t points_of_a_run(std::size_t runs) {
  return std::clamp<std::size_t>(all_curve_points / std::max<std::size_t>(1, runs), 40, most_curve_points);
}

void add_curves(Json& document, const Folder& folder) {
  std::set<std::string> seen;
  for (const auto& cell : folder.cells) seen.insert(cell.run);
  const std::size_t points = points_of_a_run(seen.size());
  document["curves"] = Json::array();
  for (const auto& cell : folder.cells) {
    Json curves = training_curves(cell.run, points);
    if (curves.is_null()) continue;
    Json entry{{"data", cell.data}, {"option", cell.option}, {"method", cell.method}, {"seed", cell.seed}};
    entry.update(curves);
    document["curves"].push_back(std::move(entry));
  }
}

std::string colours_of(Palette palette) {
  std::string bytes;
  for (int i = 0; i < 256; ++i) {
    const Colour colour = colour_of(palette, i / 255.0);
    for (const auto part : {colour.r, colour.g, colour.b}) bytes += static_cast<char>(part);
  }
  return base64(bytes);
}

// When and where the numbers came about, as their records say; older ones do not.
Json evaluated_on(const Folder& folder) {
  std::set<std::string> dates, machines;
  for (const auto& cell : folder.cells) {
    if (!cell.evaluations.is_object()) continue;
    for (const auto& evaluation : cell.evaluations) {
      const Json& origin = part_of(evaluation, "origin");
      if (const auto date = text_in(origin, "date"); !date.empty()) dates.insert(date);
      if (const auto where = text_in(origin, "machine"); !where.empty()) machines.insert(where);
    }
  }
  return {{"dates", dates}, {"machines", machines}};
}

// Of a run whose model is worse than the baselines, as an evaluation of it says.
std::string warning_of(const Folder& folder) {
  for (const auto& cell : folder.cells) {
    if (folder.is_study || !cell.evaluations.is_object()) continue;
    for (const auto& evaluation : cell.evaluations) {
      if (const auto warning = text_in(evaluation, "warning"); !warning.empty()) return warning;
    }
  }
  return "";
}

Json head_of(const Folder& folder) {
  Json out{
      {"kind", folder.is_study ? "study" : "run"},
      {"title", folder.title.empty() ? "Report" : folder.title},
      {"warning", warning_of(folder)},
      {"question", folder.question},
      {"made_by", fmt::format("cvf {} ({})", version, commit)},
      {"made_on", {{"date", today()}, {"machine", machine()}}},
      {"evaluated_on", evaluated_on(folder)},
      {"floors", folder.floors},
      {"tables", Json::array()},
      {"palettes",
       {{"sequential", colours_of(Palette::sequential)}, {"diverging", colours_of(Palette::diverging)}}}};
  for (const auto& table : folder.tables) {
    out["tables"].push_back({{"name", table.name}, {"caption", table.caption}, {"csv", table.csv}});
  }
  return out;
}

Json document_of(Folder& folder) {
  Json document = head_of(folder);
  document["cells"] = Json::array();
  for (const auto& cell : folder.cells) document["cells"].push_back(json_of(cell));
  document["methods"] = methods_of(folder);
  document["differences"] = differences_of(folder, folder.notes);
  add_curves(document, folder);
  const std::size_t taken = page_of(document).size();  // fields get what is left
  const std::size_t left = most_bytes > taken ? most_bytes - taken : 0;
  document["scenes"] = scenes_of(folder, std::max(left, least_for_fields));
  document["notes"] = folder.notes;
  return document;
}

// The data that a run was trained on, which its report shows where there is a forecast; empty: not known.
std::string data_of(const std::string& run) {
  try {
    return run::RunFile::in(run).data_file();
  } catch (const Error&) {
    return "";
  }
}

// Pages in the folder are no inputs: an earlier one may be replaced.
std::vector<std::string> inputs_of(const Folder& folder) {
  std::set<std::string> roots{folder.path};
  for (const auto& cell : folder.cells) roots.insert(cell.run);
  std::vector<std::string> out = folder.outside;
  for (const auto& cell : folder.cells) out.push_back(data_of(cell.run));
  for (const auto& root : roots) {
    for (auto& file : files::files_below(root)) {
      if (!file.ends_with(".html")) out.push_back(std::move(file));
    }
  }
  return out;
}

}  // namespace

Json document_of(const std::string& path) {
  Folder folder = open_folder(path);
  return document_of(folder);
}

std::size_t write_report(const std::string& path, const std::string& out, bool overwrite) {
  files::OutputFile output{.path = out, .overwrite = overwrite};
  files::check_output(output);  // before the work
  Folder folder = open_folder(path);
  const std::string page = page_of(document_of(folder));
  output.inputs = inputs_of(folder);
  files::check_output(output);
  files::write_atomically(out, std::string_view(page));
  return page.size();
}

}  // namespace cvf::report
