#include "kernels/cpu_choice.hpp"

#include <cstdlib>

#include "core/errors.hpp"

namespace cvf::kernels {
namespace {

const cpu::Kernels* choose() {
  const auto all = runnable_kernels();
  const char* wanted = std::getenv("CVF_CPU");
  if (wanted == nullptr) return all.back();
  for (const auto* kernels : all) {
    if (std::string_view(kernels->name) == wanted) return kernels;
  }
  throw UsageError("CVF_CPU={}: this CPU does not run such kernels (its best are '{}')", wanted,
                   all.back()->name);
}

const cpu::Kernels*& current() {
  static const cpu::Kernels* kernels = choose();
  return kernels;
}

}  // namespace

std::vector<const cpu::Kernels*> runnable_kernels() {
  std::vector<const cpu::Kernels*> out{&cpu::portable::kernels()};
#if defined(CVF_KERNELS_X86)
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) out.push_back(&cpu::avx2::kernels());
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq"))
    out.push_back(&cpu::avx512::kernels());
#endif
  return out;
}

const cpu::Kernels& cpu_kernels() {
  return *current();
}
void use_kernels(const cpu::Kernels& kernels) {
  current() = &kernels;
}

}  // namespace cvf::kernels
