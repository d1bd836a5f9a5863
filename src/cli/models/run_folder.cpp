#include "cli/models/run_folder.hpp"

#include <utility>

#include "core/errors.hpp"
#include "core/text.hpp"

namespace cvf::cli {

void check_fits(const data::Source& source, const model::TrainedModel& model) {
  const auto& d = source.description();
  const auto& s = model.recipe.state;
  if (d.channels.size() != s.channels.size()) {
    throw DataError("{}: has the channels {}, but the model was trained on {}", d.file,
                    text::join(d.channels), text::join(s.channels));
  }
  if (std::cmp_not_equal(d.ny, s.ny) || std::cmp_not_equal(d.nx, s.nx)) {
    throw DataError("{}: has a grid of {} x {} (y x x), but the model was trained on {} x {}", d.file, d.ny,
                    d.nx, s.ny, s.nx);
  }
}

}  // namespace cvf::cli
