#include "study/tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>

#include "core/scores.hpp"

namespace cvf::study {
namespace {

using Point = std::map<std::string, std::string>;  // axis -> name

// All combinations of names along some axes, the first axis slowest.
std::vector<Point> combinations(const std::vector<std::string>& axes,
                                const std::map<std::string, std::vector<std::string>>& names) {
  std::vector<Point> out{{}};
  for (const auto& axis : axes) {
    std::vector<Point> longer;
    for (const auto& point : out) {
      for (const auto& name : names.at(axis)) {
        longer.push_back(point);
        longer.back()[axis] = name;
      }
    }
    out = std::move(longer);
  }
  return out;
}

std::string label(const Point& point, const std::vector<std::string>& axes,
                  const std::map<std::string, std::vector<std::string>>& names) {
  std::string out;
  for (const auto& axis : axes) {
    if (axis == "option" && names.at(axis).size() == 1 && point.at(axis) == "default") continue;
    out += (out.empty() ? "" : ", ") + point.at(axis);
  }
  return out.empty() ? "all" : out;
}

Point merged(const Point& a, const Point& b, const Point& c) {
  Point out = a;
  out.insert(b.begin(), b.end());
  out.insert(c.begin(), c.end());
  return out;
}

// A baseline has no training and no network: the runs of every method carry its numbers, the first one's are
// taken.
std::vector<Value> baseline_at(const Study& study, const std::vector<Result>& results, const Point& at,
                               const std::string& metric) {
  for (const auto& method : names_of(study.methods)) {
    std::vector<Value> out;
    for (const auto& r : results) {
      if (r.cell.data != at.at("data") || r.cell.option != at.at("option") || r.cell.method != method)
        continue;
      const Value error = r.value(at.at("evaluation"), at.at("method") + "." + metric);
      const bool there = r.value(at.at("evaluation"), at.at("method") + ".rollout_rmse").value.has_value();
      if (there) out.push_back(metric == "nfe" ? Value{0.0, "ok"} : error);
    }
    if (!out.empty()) return out;
  }
  return {};
}

std::vector<Value> seeds_at(const Study& study, const std::vector<Result>& results, const Point& at,
                            const std::string& metric) {
  if (find(study.methods, at.at("method")) == nullptr) return baseline_at(study, results, at, metric);
  std::vector<Value> out;
  for (const auto& r : results) {
    const bool here =
        r.cell.data == at.at("data") && r.cell.option == at.at("option") && r.cell.method == at.at("method");
    if (here) out.push_back(r.value(at.at("evaluation"), metric));
  }
  return out;
}

// CPED against the base method, of the means over seeds.
Summary cped_at(const Study& study, const std::vector<Result>& results, const Point& at,
                const std::string& base) {
  if (find(study.methods, at.at("method")) == nullptr) return {};
  Point there = at;
  there["method"] = base;
  const auto mean = [&](const Point& p, const char* metric) {
    return summarise(seeds_at(study, results, p, metric)).mean;
  };
  Summary out;
  out.mean = cped(mean(at, "nfe"), mean(there, "nfe"), mean(at, "rollout_rmse"), mean(there, "rollout_rmse"));
  return out;
}

// By the first metric of the table: the least is the best, but for those of which more is better.
bool is_best(const Layout& layout, const Block& block, std::size_t row, std::size_t column) {
  const auto& here = block.cells[row][column];
  if (here.empty() || !here[0].mean) return false;
  const std::string& metric = layout.metrics.front();
  const double sign = metric == "samples_per_s" || metric == "correlation_time" ? -1 : 1;
  return std::all_of(block.cells.begin(), block.cells.end(), [&](const auto& other) {
    return !other[column][0].mean || sign * *here[0].mean <= sign * *other[column][0].mean;
  });
}

std::string cell_text(const std::vector<Summary>& metrics) {
  std::string out;
  for (const auto& metric : metrics) out += (out.empty() ? "" : " / ") + metric.text();
  return out;
}

std::string escaped(std::string text) {
  std::string out;
  for (const char c : text) {
    if (c == '_' || c == '%' || c == '&' || c == '#') out += '\\';
    out += c;
  }
  std::size_t at = 0;
  while ((at = out.find("±", at)) != std::string::npos) out.replace(at, std::string("±").size(), "$\\pm$");
  return out;
}

// To so many significant digits; steps and samples a second are written out: 54200, not 5.42e+04.
std::string rounded(double value, int digits) {
  const std::string words = fmt::format("{:.{}g}", value, digits);
  return std::abs(value) < 1e7 ? fmt::format("{}", std::strtod(words.c_str(), nullptr)) : words;
}

std::vector<std::string> with(std::vector<std::string> names, const std::vector<std::string>& more) {
  names.insert(names.end(), more.begin(), more.end());
  return names;
}

}  // namespace

Layout lay_out(const Study& study, const std::string& name, const Table& table,
               const std::vector<Result>& results) {
  const std::map<std::string, std::vector<std::string>> names{
      {"data", names_of(study.data)},
      {"option", names_of(study.options)},
      {"method", with(names_of(study.methods), table.baselines)},
      {"evaluation", table.evaluations.empty() ? names_of(study.evaluations) : table.evaluations}};
  std::vector<std::string> rest;
  for (const auto& [axis, all] : names) {
    const auto in = [&](const auto& list) { return std::find(list.begin(), list.end(), axis) != list.end(); };
    if (!in(table.rows) && !in(table.columns)) rest.push_back(axis);
  }
  Layout out{name, table.caption, table.rows, table.show, {}, {}};
  if (!table.base.empty()) out.metrics.push_back("cped");
  const auto fixed = combinations(rest, names);
  for (const auto& section : fixed) {
    Block block{fixed.size() > 1 ? label(section, rest, names) : "", {}, {}, {}};
    const auto columns = combinations(table.columns, names);
    for (const auto& column : columns) block.columns.push_back(label(column, table.columns, names));
    for (const auto& row : combinations(table.rows, names)) {
      block.rows.push_back(label(row, table.rows, names));
      block.cells.emplace_back();
      for (const auto& column : columns) {
        const Point at = merged(section, row, column);
        block.cells.back().emplace_back();
        for (const auto& metric : table.show)
          block.cells.back().back().push_back(summarise(seeds_at(study, results, at, metric)));
        if (!table.base.empty()) block.cells.back().back().push_back(cped_at(study, results, at, table.base));
      }
    }
    out.blocks.push_back(std::move(block));
  }
  return out;
}

Layout costs(const Study& study, const std::vector<Result>& results) {
  Table table;
  table.caption = "What training cost: seconds, optimiser steps, samples a second";
  table.show = {"seconds", "steps", "samples_per_s"};
  table.evaluations = {study.evaluations.front().first};
  return lay_out(study, "costs", table, results);
}

std::string markdown(const Layout& layout) {
  std::string out = fmt::format("# {}\n\n{}\n", layout.name, layout.caption);
  std::string shown;
  for (const auto& metric : layout.metrics) shown += (shown.empty() ? "" : " / ") + metric;
  out += fmt::format("\nEach cell: {}; mean ± standard deviation over seeds; best {} of a column in bold.\n",
                     shown, layout.metrics.front());
  for (const auto& block : layout.blocks) {
    if (!block.heading.empty()) out += fmt::format("\n## {}\n", block.heading);
    out += "\n| |";
    for (const auto& column : block.columns) out += fmt::format(" {} |", column);
    out += "\n|---|";
    for (std::size_t c = 0; c < block.columns.size(); ++c) out += "---|";
    out += '\n';
    for (std::size_t r = 0; r < block.rows.size(); ++r) {
      out += fmt::format("| {} |", block.rows[r]);
      for (std::size_t c = 0; c < block.columns.size(); ++c) {
        const std::string words = cell_text(block.cells[r][c]);
        out += is_best(layout, block, r, c) ? fmt::format(" **{}** |", words) : fmt::format(" {} |", words);
      }
      out += '\n';
    }
  }
  for (const auto& note : layout.notes) out += "\n" + note + "\n";
  return out;
}

std::string csv(const Layout& layout) {
  std::string out = "block,row,column,metric,mean,deviation,seeds,lost\n";
  const auto quoted = [](const std::string& word) { return "\"" + word + "\""; };
  const auto number = [](const std::optional<double>& value) {
    return value ? fmt::format("{}", *value) : "";
  };
  for (const auto& block : layout.blocks) {
    for (std::size_t r = 0; r < block.rows.size(); ++r) {
      for (std::size_t c = 0; c < block.columns.size(); ++c) {
        for (std::size_t m = 0; m < layout.metrics.size(); ++m) {
          const Summary& s = block.cells[r][c][m];
          out += fmt::format("{},{},{},{},{},{},{},{}\n", quoted(block.heading), quoted(block.rows[r]),
                             quoted(block.columns[c]), layout.metrics[m], number(s.mean), number(s.deviation),
                             s.seeds, s.lost);
        }
      }
    }
  }
  return out;
}

std::string latex(const Layout& layout) {
  std::string out;
  for (const auto& block : layout.blocks) {
    out += fmt::format("% {} {}\n\\begin{{tabular}}{{l{}}}\n\\hline\n", layout.name, block.heading,
                       std::string(block.columns.size(), 'r'));
    for (const auto& column : block.columns) out += " & " + escaped(column);
    out += " \\\\\n\\hline\n";
    for (std::size_t r = 0; r < block.rows.size(); ++r) {
      out += escaped(block.rows[r]);
      for (std::size_t c = 0; c < block.columns.size(); ++c) {
        const std::string words = escaped(cell_text(block.cells[r][c]));
        out += is_best(layout, block, r, c) ? fmt::format(" & \\textbf{{{}}}", words) : " & " + words;
      }
      out += " \\\\\n";
    }
    out += "\\hline\n\\end{tabular}\n";
  }
  return out;
}

Summary summarise(const std::vector<Value>& seeds) {
  Summary out;
  double sum = 0;
  int count = 0;
  for (const auto& seed : seeds) {
    ++out.seeds;
    out.lower_bound = out.lower_bound || seed.status == "lower bound";
    if (seed.status == "failed" || seed.status == "diverged") {
      ++out.lost;
      out.reason = seed.status;
    } else if (seed.value) {
      sum += *seed.value;
      ++count;
    }
  }
  if (out.lost > 0 || count == 0) return out;  // what diverged is told, never averaged away
  out.mean = sum / count;
  double squares = 0;
  for (const auto& seed : seeds) {
    if (seed.value) squares += (*seed.value - *out.mean) * (*seed.value - *out.mean);
  }
  if (count > 1) out.deviation = std::sqrt(squares / (count - 1));
  return out;
}

std::string Summary::text() const {
  if (lost > 0) return fmt::format("{} {}/{}", reason, lost, seeds);
  if (!mean) return "-";
  const std::string bound = lower_bound ? ">= " : "";
  return bound + rounded(*mean, 3) + (deviation ? " ± " + rounded(*deviation, 2) : "");
}

}  // namespace cvf::study
