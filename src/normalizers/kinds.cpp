#include "normalizers/kinds.hpp"

namespace cvf::normalizers {

void Options::describe(config::Section& s) {
  s.key("decay", &decay, "how slowly the statistics follow the training batches", config::between(0, 1));
}

}  // namespace cvf::normalizers
