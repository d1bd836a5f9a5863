// The LZF filter of h5py (id 32000), which stock libhdf5 lacks: PDEBench's diffusion-reaction files need it.
// Decoding only; we never write LZF.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace cvf::data::lzf {

constexpr int filter_id = 32000;

/// Unpacks into `unpacked` and returns the bytes produced; nothing when the stream is broken or does not fit.
std::optional<std::size_t> decode(std::span<const std::uint8_t> packed, std::span<std::uint8_t> unpacked);

/// Makes the filter known to libhdf5; true when that worked.
bool register_filter();

}  // namespace cvf::data::lzf
