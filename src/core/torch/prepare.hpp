// Brings LibTorch under the process's own settings. Call once, after threads::prepare_process.
#pragma once

namespace cvf::tensors {

/// Lets threads::use() set LibTorch's pool too. Calling it again does nothing.
void prepare();

}  // namespace cvf::tensors
