#include "runtime/stop.hpp"

#include <chrono>

#include "core/errors.hpp"

namespace cvf::runtime {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds between{20};

struct Stopping {
  Stop stop = nullptr;
  void* user = nullptr;
  Clock::time_point next = {};
};

thread_local Stopping current_stop;

}  // namespace

void set_stop(Stop stop, void* user) noexcept {
  current_stop = {stop, user, stop == nullptr ? Clock::time_point{} : Clock::now() + between};
}

void check_stop() {
  if (current_stop.stop == nullptr) return;
  const auto now = Clock::now();
  if (now < current_stop.next) return;
  current_stop.next = now + between;
  if (current_stop.stop(current_stop.user) != 0) throw Interrupted("the host program stopped the call");
}

}  // namespace cvf::runtime
