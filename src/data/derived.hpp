// Sources made from other sources: fewer channels or other names of them, a coarser grid. Each reads only
// what it needs from below.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "data/source.hpp"

namespace cvf::data {

/// The named channels in the given order. An unknown name is a DataError that lists the known ones.
std::shared_ptr<const Source> with_channels(std::shared_ptr<const Source> source,
                                            const std::vector<std::string>& channels);

/// The same channels under other names, one for each.
std::shared_ptr<const Source> renamed(std::shared_ptr<const Source> source, std::vector<std::string> names);

/// Means over blocks of factor x factor cells (1-D: factor cells). The grid must be divisible.
std::shared_ptr<const Source> averaged(std::shared_ptr<const Source> source, std::size_t factor);

}  // namespace cvf::data
