// Runs the cvf program (or another) as a user would: arguments in, exit code and both outputs back.
#pragma once

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <string>
#include <vector>

#include "core/files.hpp"
#include "support/scratch.hpp"

namespace cvf::testing_support {

struct Ran {
  int code = -1;  // exit code, or -signal
  std::string out, err;
};

/// A started program; its outputs go to files of the scratch folder.
class Program {
 public:
  Program(const Scratch& scratch, std::vector<std::string> arguments,
          const std::string& program = CVF_PROGRAM)
      : out_(scratch.path("stdout")), err_(scratch.path("stderr")) {
    arguments.insert(arguments.begin(), program);
    std::vector<char*> raw;
    for (auto& argument : arguments) raw.push_back(argument.data());
    raw.push_back(nullptr);
    child_ = fork();
    if (child_ == 0) {
      dup2(open(out_.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600), STDOUT_FILENO);
      dup2(open(err_.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600), STDERR_FILENO);
      execv(program.c_str(), raw.data());
      _exit(127);
    }
  }

  void send(int signal) const { kill(child_, signal); }
  pid_t id() const { return child_; }

  Ran wait() {
    int status = 0;
    waitpid(child_, &status, 0);
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status), files::read_whole(out_),
            files::read_whole(err_)};
  }

 private:
  std::string out_, err_;
  pid_t child_ = -1;
};

inline Ran run(const Scratch& scratch, std::vector<std::string> arguments) {
  return Program(scratch, std::move(arguments)).wait();
}

}  // namespace cvf::testing_support
