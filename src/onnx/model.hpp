// A trained model as one ONNX file: physical units in and out, the weights inside.
#pragma once

#include <string>

namespace cvf::onnx {

/// The bytes of the file for a model's folder, or a run's (its best, else its last model). A ModelError says
/// what no such file can hold, or what is wrong with the folder.
std::string model_of(const std::string& folder);

}  // namespace cvf::onnx
