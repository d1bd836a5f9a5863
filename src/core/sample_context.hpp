// What a sample's state moves under, in physical units: the parameters of its equations, fields that do not
// change with time, and controls that are known over the whole forecast.
#pragma once

#include <memory>
#include <string>
#include <vector>

namespace cvf {

struct SampleContext {
  std::vector<double> parameters;     // [P]
  std::vector<float> statics;         // [S, cells]
  std::vector<double> times;          // [T] of the controls, linear between them; equal ones are a jump
  std::vector<float> controls;        // [T, U]: one number for the whole state
  std::vector<float> control_fields;  // [T, V, cells]: a number for each cell
};

/// What a context consists of, by name and in order.
struct ContextNames {
  std::vector<std::string> parameters, statics, controls, control_fields;

  bool empty() const {
    return parameters.empty() && statics.empty() && controls.empty() && control_fields.empty();
  }
  bool operator==(const ContextNames&) const = default;
};

using SampleContextPointer = std::shared_ptr<const SampleContext>;

}  // namespace cvf
