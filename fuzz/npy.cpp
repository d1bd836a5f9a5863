// Any bytes as NPY or NPZ. The first byte chooses the axes that the user would have given.
#include <array>

#include "memory_file.hpp"
#include "read_all.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t count) {
  constexpr std::array axes{"", "t", "t,c", "n,t,x", "n,t,x,c", "t,y,x,c", "n,t,y,x,c", "c,x,y,t,n"};
  if (count < 5) return 0;
  const bool numpy = bytes[1] == 0x93 || bytes[1] == 'P';  // other formats have targets of their own
  if (!numpy) return 0;
  const cvf::fuzz::MemoryFile file(bytes + 1, count - 1);
  cvf::fuzz::read_all(file.path(), {.axes = axes[bytes[0] % axes.size()]});
  return 0;
}
