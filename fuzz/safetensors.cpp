// Any bytes as a safetensors file: either one ModelError, or contents that survive being written and read
// again.
#include "model/safetensors.hpp"

#include <cstdlib>

#include "core/errors.hpp"

namespace {

namespace safetensors = cvf::model::safetensors;

void require(bool truth) {
  if (!truth) std::abort();
}

bool same(const safetensors::Tensor& a, const safetensors::Tensor& b) {
  return a.name == b.name && a.dtype == b.dtype && a.shape == b.shape && a.bytes.size() == b.bytes.size();
}

void check(const std::string& file) {
  const auto contents = safetensors::parse(file, "file");
  const std::string once = safetensors::serialize(contents);
  const auto again = safetensors::parse(once, "again");
  require(safetensors::serialize(again) == once);
  require(again.metadata == contents.metadata && again.tensors.size() == contents.tensors.size());
  for (const auto& tensor : contents.tensors) {
    bool found = false;
    for (const auto& other : again.tensors) found = found || same(tensor, other);
    require(found);
  }
}

std::string with_length(std::string_view input) {
  const auto header = input.substr(0, input.find('\0'));
  const std::uint64_t length = header.size();
  std::string out(sizeof length, '\0');
  std::memcpy(out.data(), &length, sizeof length);
  out += header;
  return out.append(input.substr(std::min(input.size(), header.size() + 1)));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t count) {
  if (count == 0) return 0;
  const std::string_view input(reinterpret_cast<const char*>(bytes) + 1, count - 1);
  try {
    check(bytes[0] == 'F' ? std::string(input) : with_length(input));
  } catch (const cvf::ModelError& error) {
    const std::string_view sentence = error.what();
    require(!sentence.empty() && sentence.find('\n') == std::string_view::npos);
  }
  return 0;
}
