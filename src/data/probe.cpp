#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <mutex>
#include <set>
#include <thread>
#include <tuple>

#include "core/child.hpp"
#include "core/errors.hpp"
#include "core/interrupt.hpp"
#include "data/source.hpp"

namespace cvf::data {
namespace {

constexpr std::chrono::minutes longest{5};  // by the clock on the wall: the look limits its own computing

std::string& program() {
  static std::string path;
  return path;
}

// What a file was when it passed, and as what.
using Words = std::vector<std::string>;
using State = std::tuple<dev_t, ino_t, off_t, time_t, long>;

State state_of(const std::string& file) {
  struct stat status = {};
  if (stat(file.c_str(), &status) != 0) throw DataError("{}: {}", file, std::strerror(errno));
  return {status.st_dev, status.st_ino, status.st_size, status.st_mtim.tv_sec, status.st_mtim.tv_nsec};
}

class Pipe {
 public:
  Pipe() {
    if (pipe2(ends_.data(), O_CLOEXEC | O_NONBLOCK) != 0)
      throw Error(Exit::unexpected, fmt::format("no pipe could be opened: {}", std::strerror(errno)));
  }
  ~Pipe() {
    close(ends_[0]);
    close_writing();
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;

  int writing() const { return ends_[1]; }
  void close_writing() {
    if (ends_[1] >= 0) close(std::exchange(ends_[1], -1));
  }
  /// Waits until something was written or all writers are gone, a moment at most.
  void wait() const {
    pollfd look{ends_[0], POLLIN, 0};
    const bool silent = poll(&look, 1, 50) > 0 && (look.revents & POLLIN) == 0;
    if (silent) std::this_thread::sleep_for(std::chrono::milliseconds(1));  // the writer is about to end
  }
  std::string read_some() const {
    std::array<char, 4096> bytes;
    const ssize_t count = ::read(ends_[0], bytes.data(), bytes.size());
    return {bytes.data(), static_cast<std::size_t>(std::max<ssize_t>(count, 0))};
  }

 private:
  std::array<int, 2> ends_{-1, -1};
};

// Runs the look; `said` is what it printed.
Child look(const Words& words, std::string& said) {
  Pipe pipe;
  Words arguments{program()};
  arguments.insert(arguments.end(), words.begin(), words.end());
  Child child({.arguments = std::move(arguments),
               .environment = {},
               .output = "",
               .program = program(),
               .output_handle = pipe.writing()});
  pipe.close_writing();
  const auto end = std::chrono::steady_clock::now() + longest;
  for (child.look(); !child.ended(); child.look()) {
    pipe.wait();
    said += pipe.read_some();
    if (interrupt::requested() || std::chrono::steady_clock::now() > end) child.send(SIGKILL);
  }
  said += pipe.read_some();
  return child;
}

void pass(const std::string& file, bool of_controls, const Words& words) {
  if (program().empty()) return;
  static std::mutex mutex;
  static std::set<std::pair<State, bool>> sound;
  const std::lock_guard lock(mutex);
  const std::pair state{state_of(file), of_controls};
  if (sound.contains(state)) return;
  std::string said;
  const Child child = look(words, said);
  interrupt::throw_if_requested("no file was opened");
  if (child.code() == static_cast<int>(Exit::data) && !said.empty()) throw DataError("{}", said);
  if (child.failed()) {
    throw DataError("{}: is damaged, or made to do harm: the process that looked at it {}", file,
                    child.fate());
  }
  sound.insert(state);
}

}  // namespace

void use_probe(const std::string& path) {
  program() = path;
}

void probe(const std::string& file, const OpenOptions& options) {
  pass(file, false, {file, options.dataset, options.axes, fmt::format("{}", options.dt)});
}

void probe_controls(const std::string& file) {
  pass(file, true, {"--controls", file});
}

}  // namespace cvf::data
