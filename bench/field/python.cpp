#include "python.hpp"

#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include "../figures.hpp"
#include "core/errors.hpp"
#include "core/threads.hpp"
#include "measure.hpp"
#include "problem.hpp"

namespace cvf::bench {
namespace {

/// The other side: answers "infer 5" or "train 5" with the seconds of that many calls.
class Python {
 public:
  Python(const std::string& interpreter, const Configuration& c) {
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
      throw UsageError("--python: no socket");
    child_ = fork();
    if (child_ == 0) become(interpreter, c, ends[1]);
    close(ends[1]);
    from_ = fdopen(ends[0], "r");
    to_ = fdopen(dup(ends[0]), "w");  // one stream for both would have to seek between
    parameters = static_cast<std::int64_t>(answer());
  }
  ~Python() {
    std::fclose(to_), std::fclose(from_);  // its input ends, and so does it
    waitpid(child_, nullptr, 0);
  }

  double seconds(const std::string& what, int calls) {
    fmt::print(to_, "{} {}\n", what, calls);
    std::fflush(to_);
    return answer() / calls;
  }

  std::int64_t parameters = 0;

 private:
  [[noreturn]] static void become(const std::string& interpreter, const Configuration& c, int end) {
    dup2(end, STDIN_FILENO);
    dup2(end, STDOUT_FILENO);
    for (const char* ours : {"OMP_WAIT_POLICY", "GOMP_SPINCOUNT", "OPENBLAS_THREAD_TIMEOUT"}) unsetenv(ours);
    const auto command =
        fmt::format("exec {} {}/torch_sit.py {} {} {} {} {} {}", interpreter, CVF_BENCH_FIELD_DIR, c.side,
                    c.patch, c.width, c.depth, c.heads, c.batch);
    execl("/bin/sh", "sh", "-c", command.c_str(), nullptr);
    _exit(127);
  }

  double answer() {
    double value = 0;
    if (std::fscanf(from_, "%lf", &value) != 1)
      throw UsageError("--python: torch_sit.py ended; does this python have torch?");
    return value;
  }

  pid_t child_;
  FILE *from_, *to_;
};

std::int64_t parameters_of(Problem& p) {
  std::int64_t count = 0;
  for (const auto& w : p.field().parameters()) count += w.numel();
  return count;
}

void settle() {  // until the other side's threads have gone to sleep
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
}

void compare(Python& python, Problem& ours, const std::string& what, const FieldSettings& s) {
  const bool training = what == "train";
  const auto run = [&] { training ? ours.train() : ours.infer(); };
  const int calls = calls_within(0.4, run);
  python.seconds(what, 1);
  std::vector<double> us, them;
  for (int i = 0; i < s.repeats; ++i) {
    settle();
    them.push_back(python.seconds(what, std::max(1, calls / 3)));
    settle();
    us.push_back(seconds([&] {
                   for (int k = 0; k < calls; ++k) run();
                 }) /
                 calls);
  }
  fmt::print("A {} {} threads: fused {:.2f} ms, Python {:.2f} ms, {:.2f}x\n", what, s.threads.back(),
             1e3 * median(us), 1e3 * median(them), median(them) / median(us));
}

}  // namespace

void print_against_python(const FieldSettings& s) {
  threads::use(s.threads.back());
  const auto a = configurations()[1];
  Problem ours(a, true);
  Python python(s.python, a);
  if (python.parameters != parameters_of(ours)) {
    throw UsageError("torch_sit.py has {} parameters, the field {}", python.parameters, parameters_of(ours));
  }
  for (const char* what : {"infer", "train"}) compare(python, ours, what, s);
}

}  // namespace cvf::bench
