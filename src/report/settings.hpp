// What the methods of a folder are: the objective behind each name, and what the settings of their runs say
// differently.
#pragma once

#include "report/folder.hpp"

namespace cvf::report {

/// [{name, objective, set}]: `set` as study.toml writes it.
Json methods_of(const Folder& folder);

/// [{data, option, keys, values: {method: [text, ...]}}]: the keys of run.toml that are not the same for all
/// methods. A run that cannot be read is left out with a note.
Json differences_of(const Folder& folder, std::vector<std::string>& notes);

}  // namespace cvf::report
