// Misuse and failure as exceptions: one sentence that names the culprit and what would be right. Only `main`
// catches them; each class has its own exit code so that scripts can tell them apart.
#pragma once

#include <fmt/format.h>

#include <stdexcept>
#include <string>
#include <utility>

namespace cvf {

enum class Exit : int {
  success = 0,
  unexpected = 1,
  usage = 2,
  config = 3,
  data = 4,
  model = 5,
  numerics = 6,
  findings = 7,  // `cvf data audit` found faults
  interrupted = 8,
  distributed = 9,  // another rank of a distributed run was lost
};

class Error : public std::runtime_error {
 public:
  Error(Exit code, const std::string& sentence) : std::runtime_error(sentence), code_(code) {}
  Exit code() const { return code_; }

 private:
  Exit code_;
};

/// An Error with a fixed exit code whose sentence is formatted in place: `throw DataError("{}: no frames",
/// file)`.
template <Exit Code>
class ErrorOf : public Error {
 public:
  template <class... Args>
  explicit ErrorOf(fmt::format_string<Args...> format, Args&&... args)
      : Error(Code, fmt::format(format, std::forward<Args>(args)...)) {}
};

using UsageError = ErrorOf<Exit::usage>;
using ConfigError = ErrorOf<Exit::config>;
using DataError = ErrorOf<Exit::data>;
using ModelError = ErrorOf<Exit::model>;
using NumericsError = ErrorOf<Exit::numerics>;
using Interrupted = ErrorOf<Exit::interrupted>;
using DistributedError = ErrorOf<Exit::distributed>;

}  // namespace cvf
