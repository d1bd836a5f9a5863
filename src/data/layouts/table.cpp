#include "data/layouts/layout.hpp"

namespace cvf::data::layouts {

const std::vector<Layout>& table() {
  static const std::vector<Layout> rows{groups,   fields,   tensor, incompressible,
                                        the_well, pdearena, pairs,  plain};
  return rows;
}

}  // namespace cvf::data::layouts
