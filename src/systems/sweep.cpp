#include "systems/sweep.hpp"

#include "systems/cpu.hpp"

namespace cvf::systems {

Step flow_step() {
#if defined(__x86_64__)
  if (cpu_has_avx2()) return avx2::flow_step;
#endif
  return portable::flow_step;
}

Step shallow_step() {
#if defined(__x86_64__)
  if (cpu_has_avx2()) return avx2::shallow_step;
#endif
  return portable::shallow_step;
}

}  // namespace cvf::systems
