// A child process: started with its own output file, watched without waiting, never left behind.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace cvf {

class Child {
 public:
  struct Start {
    std::vector<std::string> arguments;                            // argv, with the program's name in front
    std::vector<std::pair<std::string, std::string>> environment;  // laid over this process's own
    std::string output;  // file that takes what it prints, appended; empty: ours
    std::string program = "/proc/self/exe";
    int output_handle = -1;  // takes what it prints instead of a file: the writing end of a pipe, say
  };

  /// When this process is killed, the child is asked to end (SIGTERM). An Error when it cannot be started.
  explicit Child(const Start& start);

  void look();  // whether it has ended meanwhile
  void send(int signal) const;

  bool ended() const { return status_.has_value(); }
  bool failed() const { return ended() && code() != 0; }
  bool killed() const;       // by a signal
  int code() const;          // the exit code, or 128 + the signal that killed it, as shells count
  std::string fate() const;  // "ended with exit code 3", "was killed by signal 9 (Killed)"

 private:
  pid_t process_;
  std::optional<int> status_;
};

}  // namespace cvf
