// `cvf bench train`: what a training step of each objective costs, relative to sm, and how much of it is
// spent outside psi.
#pragma once

#include <set>
#include <string>

namespace cvf::bench {

struct TrainSettings {
  std::set<std::string> only;  // configurations by name; empty = S and A
  int repeats = 5;
  int batch = 0;        // 0: the configuration's own
  int micro_batch = 0;  // train.micro_batch
  bool json = false;
};

void run_train(const TrainSettings& settings);

}  // namespace cvf::bench
