// The value types of the format, and words for sentences about tensors.
#pragma once

#include <optional>

#include "model/safetensors.hpp"

namespace cvf::model::safetensors {

std::optional<Dtype> dtype_named(std::string_view name);

/// Bytes of a tensor, or nothing when the product does not fit into 63 bits.
std::optional<std::uint64_t> byte_count(Dtype dtype, std::span<const std::int64_t> shape);

std::string words(std::span<const std::int64_t> shape);  // "[3, 4]"

/// A name from a file, fit for a sentence: quoted, no control characters, cut when long.
std::string shown(std::string_view name);

}  // namespace cvf::model::safetensors
