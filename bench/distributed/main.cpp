// What averaging gradients over the ranks of this machine costs: `cvf_bench_team RANKS MEGABYTES
// BUCKET_MEGABYTES`. Rank 0 prints the median over rounds, for several bucket sizes, of averages of one
// tensor per 64 kB.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "core/errors.hpp"
#include "core/text.hpp"
#include "core/threads.hpp"
#include "train/distributed/launcher.hpp"
#include "train/distributed/process_group.hpp"

namespace cvf {
namespace {

using Clock = std::chrono::steady_clock;

double milliseconds_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

double median_of_rounds(train::ProcessGroup& group, const std::vector<torch::Tensor>& gradients) {
  std::vector<double> rounds;
  for (int round = 0; round < 15; ++round) {
    group.barrier();
    const auto start = Clock::now();
    group.average(gradients);
    rounds.push_back(milliseconds_since(start));
  }
  std::nth_element(rounds.begin(), rounds.begin() + 7, rounds.end());
  return rounds[7];
}

void measure(int megabytes, double bucket) {
  constexpr std::int64_t floats = 16384;  // 64 kB
  const std::vector<torch::Tensor> gradients = torch::randn({megabytes * 16, floats}).unbind();
  auto group = train::ProcessGroup::join(".", {.bucket_megabytes = bucket});
  const double cost = median_of_rounds(group, gradients);
  if (group.leads()) {
    fmt::print("{} ranks, {} MB of gradients, buckets of {} MB: {:.2f} ms an average\n", group.size(),
               megabytes, bucket, cost);
  }
}

}  // namespace
}  // namespace cvf

int main(int argc, char** argv) {
  try {
    if (argc != 4) throw cvf::UsageError("usage: cvf_bench_team RANKS MEGABYTES BUCKET_MEGABYTES");
    cvf::threads::use(0);
    cvf::tensors::prepare();
    if (!cvf::train::run_local_ranks(static_cast<int>(cvf::text::to_integer(argv[1], "RANKS")))) {
      cvf::measure(static_cast<int>(cvf::text::to_integer(argv[2], "MEGABYTES")),
                   cvf::text::to_real(argv[3], "BUCKET_MEGABYTES"));
    }
    return 0;
  } catch (const cvf::Error& error) {
    fmt::print(stderr, "cvf_bench_team: {}\n", error.what());
    return static_cast<int>(error.code());
  }
}
