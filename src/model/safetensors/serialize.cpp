#include <algorithm>
#include <array>
#include <cstring>
#include <nlohmann/json.hpp>

#include "core/errors.hpp"
#include "model/safetensors/header.hpp"

namespace cvf::model::safetensors {
namespace {

constexpr std::size_t alignment = 8;

std::vector<const Tensor*> sorted(const std::vector<Tensor>& tensors) {
  std::vector<const Tensor*> out;
  for (const auto& tensor : tensors) out.push_back(&tensor);
  std::sort(out.begin(), out.end(), [](const Tensor* a, const Tensor* b) {
    if (a->dtype != b->dtype) return a->dtype > b->dtype;  // the enum lists narrow types first
    return a->name < b->name;
  });
  return out;
}

void check(const Tensor& tensor) {
  if (tensor.name == "__metadata__") {
    throw ModelError("a tensor in a safetensors file cannot be named '__metadata__'");
  }
  if (byte_count(tensor.dtype, tensor.shape) != tensor.bytes.size()) {
    throw ModelError("tensor {} has {} bytes, which is not {} {}", shown(tensor.name), tensor.bytes.size(),
                     name_of(tensor.dtype), words(tensor.shape));
  }
}

void check_names(const std::vector<Tensor>& tensors) {
  std::vector<std::string_view> names;
  for (const auto& tensor : tensors) names.push_back(tensor.name);
  std::sort(names.begin(), names.end());
  const auto twice = std::adjacent_find(names.begin(), names.end());
  if (twice != names.end()) throw ModelError("two tensors are named {}", shown(*twice));
}

std::string json(const auto& value) {
  try {
    return nlohmann::json(value).dump();
  } catch (const nlohmann::json::type_error&) {
    throw ModelError("a name or text for a safetensors file is not valid UTF-8");
  }
}

// {"__metadata__":{...},"name":{"dtype":"F32","shape":[2,3],"data_offsets":[0,24]}, ...}, padded with blanks
std::string header_text(const std::vector<const Tensor*>& tensors, const Contents& contents) {
  std::vector<std::string> parts;
  if (!contents.metadata.empty()) parts.push_back("\"__metadata__\":" + json(contents.metadata));
  std::size_t begin = 0;
  for (const Tensor* tensor : tensors) {
    check(*tensor);
    const std::size_t end = begin + tensor->bytes.size();
    parts.push_back(fmt::format(R"({}:{{"dtype":"{}","shape":{},"data_offsets":[{},{}]}})",
                                json(tensor->name), name_of(tensor->dtype), json(tensor->shape), begin, end));
    begin = end;
  }
  std::string text = fmt::format("{{{}}}", fmt::join(parts, ","));
  text.resize((text.size() + alignment - 1) / alignment * alignment, ' ');
  return text;
}

}  // namespace

std::string serialize(const Contents& contents) {
  check_names(contents.tensors);
  const auto tensors = sorted(contents.tensors);
  const std::string header = header_text(tensors, contents);
  const std::uint64_t length = header.size();
  std::string out(sizeof length, '\0');
  std::memcpy(out.data(), &length, sizeof length);
  out += header;
  for (const Tensor* tensor : tensors) {
    out.append(reinterpret_cast<const char*>(tensor->bytes.data()), tensor->bytes.size());
  }
  return out;
}

}  // namespace cvf::model::safetensors
