// A run that is interrupted again and again, and goes on each time until it is through.
#pragma once

#include <string>
#include <vector>

#include "core/errors.hpp"
#include "core/interrupt.hpp"
#include "support/training.hpp"

namespace cvf::testing_support {

/// The first time after `first` looks at the interrupt, each time `more` looks later. What every stop said.
inline std::vector<std::string> run_in_parts(const std::string& toml, const std::string& folder, int first,
                                             int more) {
  std::vector<std::string> sentences;
  for (int looks = first;; looks += more) {
    interrupt::request_after(looks);
    try {
      run(toml, folder);
      interrupt::clear();
      return sentences;
    } catch (const Interrupted& stop) {
      interrupt::clear();
      sentences.emplace_back(stop.what());
    }
  }
}

}  // namespace cvf::testing_support
