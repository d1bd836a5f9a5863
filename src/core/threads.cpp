#include "core/threads.hpp"

#include <dlfcn.h>
#include <malloc.h>
#include <omp.h>
#include <sched.h>
#include <unistd.h>

#include <cstdlib>
#include <vector>

#include "core/errors.hpp"

namespace cvf::threads {
namespace {

int current = 1;

std::vector<std::function<void(int)>>& pools() {
  static std::vector<std::function<void(int)>> all;
  return all;
}

}  // namespace

int available() {
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof allowed, &allowed) == 0) return CPU_COUNT(&allowed);
  return omp_get_num_procs();
}

void prepare_process(char** argv) {
  if (argv != nullptr && std::getenv("OMP_WAIT_POLICY") == nullptr &&
      std::getenv("GOMP_SPINCOUNT") == nullptr) {
    setenv("OMP_WAIT_POLICY", "passive", 1);
    setenv("GOMP_SPINCOUNT", "2000", 0);  // GNU's OpenMP: some 30 microseconds, then it sleeps
    setenv("OPENBLAS_THREAD_TIMEOUT", "16",
           0);                      // 2^16 cycles; else its idle threads yield in a loop for 2^26
    execv("/proc/self/exe", argv);  // returns only on failure: then we go on with the default policy
  }
  mallopt(M_MMAP_THRESHOLD, 1 << 30);
  mallopt(M_TRIM_THRESHOLD, 1 << 30);
  mallopt(M_TOP_PAD, 64 << 20);
}

void use(int wanted) {
  if (wanted < 0) throw UsageError("--threads {}: give 0 (all cores) or a positive number", wanted);
  current = wanted == 0 ? available() : wanted;
  omp_set_num_threads(current);
  // OpenBLAS keeps its own pool; it is there only when LibTorch has loaded it.
  if (auto* set = reinterpret_cast<void (*)(int)>(dlsym(RTLD_DEFAULT, "openblas_set_num_threads")))
    set(current);
  for (const auto& set_pool : pools()) set_pool(current);
}

int count() {
  return current;
}

void add_pool(std::function<void(int)> set_threads) {
  set_threads(current);
  pools().push_back(std::move(set_threads));
}

}  // namespace cvf::threads
