// Any bytes as a file: what `open` recognises, it must read or refuse. Crashes inside libhdf5 are known and
// are not ours to mend.
#include "memory_file.hpp"
#include "read_all.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t count) {
  const cvf::fuzz::MemoryFile file(bytes, count);
  cvf::fuzz::read_all(file.path(), {});
  return 0;
}
