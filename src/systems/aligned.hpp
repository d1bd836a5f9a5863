// Vectors that begin on a cache line: a vector load that straddles two lines costs twice.
#pragma once

#include <cstddef>
#include <new>
#include <vector>

namespace cvf::systems {

template <class T>
struct LineAligned {
  using value_type = T;
  static constexpr std::align_val_t line{64};

  LineAligned() = default;
  template <class U>
  LineAligned(const LineAligned<U>&) {}

  T* allocate(std::size_t count) { return static_cast<T*>(::operator new(count * sizeof(T), line)); }
  void deallocate(T* at, std::size_t) { ::operator delete(at, line); }
  bool operator==(const LineAligned&) const { return true; }
};

using AlignedVector = std::vector<double, LineAligned<double>>;

}  // namespace cvf::systems
