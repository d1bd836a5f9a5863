// RUN as the verbs name it: see embed/run_folder.hpp; a name alone means the folder in runs/, where cvf train
// puts it.
#pragma once

#include "embed/run_folder.hpp"

namespace cvf::cli {

using embed::open_run;
using embed::RunFolder;

}  // namespace cvf::cli
