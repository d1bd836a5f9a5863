// RUN as the verbs name it: see embed/run_folder.hpp.
#pragma once

#include "embed/run_folder.hpp"

namespace cvf::cli {

using embed::open_run;
using embed::RunFolder;

}  // namespace cvf::cli
