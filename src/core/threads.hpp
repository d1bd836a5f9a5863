// One number of threads for every pool of the process, and the start-up settings that make them behave.
#pragma once

#include <functional>

namespace cvf::threads {

/// Call first in `main`. OpenMP reads its waiting policy before main, so a process started without one starts
/// itself anew with passive waiting (spinning threads cost up to 10x on a shared machine); without argv it
/// does not. Also keeps large freed blocks in the process instead of giving them back to the system after
/// every operation.
void prepare_process(char** argv);

/// Sets OpenMP, OpenBLAS when loaded, and every pool added below. 0 means one for each core that we may use.
void use(int count);
int count();
int available();  // cores that we may use

/// A library with its own pool (LibTorch) adds its setter here; it is called at once and at every later
/// `use`.
void add_pool(std::function<void(int)> set_threads);

}  // namespace cvf::threads

namespace cvf::tensors {

/// Brings LibTorch under the process's own settings: lets threads::use() set its pool too. Call after
/// threads::prepare_process; calling it again does nothing. For programs with LibTorch (torch/prepare.cpp).
void prepare();

}  // namespace cvf::tensors
