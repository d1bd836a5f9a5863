#include "systems/sweep.hpp"

#include "systems/cpu.hpp"

namespace cvf::systems {

#if defined(__x86_64__)
#define CVF_FASTEST(step) (cpu_has_avx2() ? avx2::step : portable::step)
#else
#define CVF_FASTEST(step) portable::step
#endif

Step flow_step() {
  return CVF_FASTEST(flow_step);
}

Step shallow_step() {
  return CVF_FASTEST(shallow_step);
}

Step shallow_bottom_step() {
  return CVF_FASTEST(shallow_bottom_step);
}

#undef CVF_FASTEST

}  // namespace cvf::systems
