#include <algorithm>
#include <chrono>
#include <csignal>
#include <thread>

#include "core/child.hpp"
#include "core/errors.hpp"
#include "core/files.hpp"
#include "core/interrupt.hpp"
#include "study/grid.hpp"

namespace cvf::study {
namespace {

constexpr std::chrono::milliseconds look_every{20};

std::string last_line(const std::string& file) {
  std::string all = files::read_whole(file);
  while (!all.empty() && (all.back() == '\n' || all.back() == '\r')) all.pop_back();
  const auto begin = all.find_last_of("\n\r");
  return begin == std::string::npos ? all : all.substr(begin + 1);
}

class Running {
 public:
  Running(std::size_t index, const Chain& chain) : index_(index), chain_(&chain), child_(start(0)) {}

  std::size_t index() const { return index_; }
  void send(int signal) const { child_.send(signal); }
  bool interrupted() const { return child_.code() == static_cast<int>(Exit::interrupted); }

  // True when the chain has ended.
  bool look() {
    child_.look();
    if (!child_.ended()) return false;
    if (child_.failed() || next_ == chain_->commands.size() || interrupt::requested()) return true;
    child_ = start(next_);
    return false;
  }

  bool whole() const { return !child_.failed() && next_ == chain_->commands.size(); }

  Ending ending() const {
    if (whole()) return {true, 0, ""};
    const std::string line = child_.killed() ? "" : last_line(chain_->output);
    return {
        false, child_.code(),
        line.empty() ? fmt::format("cvf {} {}", chain_->commands[next_ - 1].front(), child_.fate()) : line};
  }

 private:
  Child start(std::size_t command) {
    next_ = command + 1;
    Child::Start out{.arguments = {"cvf"}, .environment = {}, .output = chain_->output};
    const auto& words = chain_->commands[command];
    out.arguments.insert(out.arguments.end(), words.begin(), words.end());
    return Child(out);
  }

  std::size_t index_, next_ = 0;
  const Chain* chain_;
  Child child_;
};

}  // namespace

void run_chains(const std::vector<Chain>& chains, int jobs,
                const std::function<void(std::size_t, const Ending&)>& ended) {
  std::vector<Running> running;
  std::size_t next = 0;
  bool asked = false;
  while (!running.empty() || (next < chains.size() && !interrupt::requested())) {
    if (interrupt::requested() && !asked) {
      for (const auto& one : running) one.send(SIGTERM);
      asked = true;
    }
    while (running.size() < static_cast<std::size_t>(jobs) && next < chains.size() &&
           !interrupt::requested()) {
      running.emplace_back(next, chains[next]);
      ++next;
    }
    std::this_thread::sleep_for(look_every);
    for (auto one = running.begin(); one != running.end();) {
      if (!one->look()) {
        ++one;
        continue;
      }
      if (!interrupt::requested() || one->whole()) ended(one->index(), one->ending());
      one = running.erase(one);
    }
  }
  interrupt::throw_if_requested("finished cells are kept and the others saved; the same command goes on");
}

}  // namespace cvf::study
