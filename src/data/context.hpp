// Which of a file's numbers are the context of its states: parameters, static fields and controls, by name;
// and what is given in their place.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/config.hpp"
#include "data/source.hpp"

namespace cvf::data {

struct ContextOptions {
  std::vector<std::string> parameters;  // scalars of a sample, or channels that never change
  std::vector<std::string> statics;     // fields of a sample, or channels that do not change with time
  std::vector<std::string> controls;    // series or control fields of a sample, or channels

  bool empty() const { return parameters.empty() && statics.empty() && controls.empty(); }
  void describe(config::Section& section);
};

/// What every sample gets instead of what the file says, which then need not say it.
struct GivenContext {
  std::map<std::string, double> parameters;
  std::string file;                   // that the controls are from, for sentences; empty: the samples' own
  std::vector<std::string> controls;  // by name
  std::vector<double> times;          // [T], linear between them; equal ones are a jump
  std::vector<float> values;          // [T, controls]

  bool empty() const { return parameters.empty() && file.empty(); }

  /// Takes the controls from a file: CSV whose first line names its columns, or NPZ or HDF5 with an array for
  /// each name; `t` (or `time`) are the times. A data file of one sample gives the sample's controls. A
  /// DataError says what is wrong with it.
  void read_controls(const std::string& file);
};

/// The source with these taken out of its states: `context` gives them, and its channels are those that are
/// left. A channel that is a control of states on a grid is a control field, as those are that the file
/// lists. What is `given` stands in for the file's. A DataError names what the file does not have.
std::shared_ptr<const Source> with_context(std::shared_ptr<const Source> source,
                                           const ContextOptions& options, const GivenContext& given = {});

}  // namespace cvf::data
