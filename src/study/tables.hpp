// The results of a study laid out in rows and columns, as Markdown, CSV and LaTeX.
#pragma once

#include <string>
#include <vector>

#include "study/floors.hpp"
#include "study/results.hpp"
#include "study/summary.hpp"

namespace cvf::study {

/// One block of a table: the axes that are neither rows nor columns are fixed in it.
struct Block {
  std::string heading;  // "evaluation off-grid"; empty when there is only one
  std::vector<std::string> rows, columns;
  std::vector<std::vector<std::vector<Summary>>> cells;  // [row][column][metric]
};

struct Layout {
  std::string name, caption;
  std::vector<std::string> row_axes, metrics;
  std::vector<Block> blocks;
  std::vector<std::string> notes;  // below: floors, definitions, where the numbers come from
};

Layout lay_out(const Study& study, const std::string& name, const Table& table,
               const std::vector<Result>& results);

/// Training time and steps of every method and data set: what equal budgets came to.
Layout costs(const Study& study, const std::vector<Result>& results);

std::string markdown(const Layout& layout);
std::string csv(const Layout& layout);
std::string latex(const Layout& layout);

}  // namespace cvf::study
