// The attack on the program as a user meets it: one case disturbs one command and looks at what is left.
// A kind of attack is a file in kinds/ and a row in its table; a case is its number and the seed, so that any
// of them can be repeated alone.
#pragma once

#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/random.hpp"
#include "support/program.hpp"

namespace cvf::torture {

using testing_support::Ran;
using Words = std::vector<std::string>;

/// What a case found: a sentence. Thrown, so that a case reads as a list of what must hold.
struct Broken : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// How a command is disturbed.
struct Trouble {
  std::uint64_t at = 0;   // the file-system call, from 1 on; 0: none
  std::string action;     // see faults.c
  double kill_after = 0;  // seconds, then SIGKILL; 0: never
  double ask_after = 0;   // seconds, then SIGTERM
  std::string redirected = {};  // as a shell writes it: ">/dev/full", ">&-"
};

/// The folder of one case; goes with it. Commands run inside, so paths in them are short and the same for
/// all.
class Place {
 public:
  std::string path(const std::string& name) const { return scratch_.path(name); }
  std::string read(const std::string& name) const;  // "" when there is no such file
  void write(const std::string& name, const std::string& content) const;
  bool has(const std::string& name) const;
  void bring(const std::string& workshop, const Words& names) const;  // copies, whole folders too

  /// Runs the command to its end. One that does not end within a minute is Broken.
  Ran run(const Words& command, const Trouble& trouble = {}) const;
  /// Runs them at the same time.
  std::vector<Ran> run_together(const std::vector<Words>& commands) const;
  /// File-system calls of the last command that was run with a Trouble.
  std::uint64_t calls() const;

 private:
  Words words_of(const Words& command, const Trouble& trouble) const;

  testing_support::Scratch scratch_;
};

struct Kind {
  std::string name, summary;
  std::size_t cases;  // in the long form
  std::function<void(std::size_t number, RandomStream random)> run;
  std::string group = name;  // the short form takes one case of each group
};

/// Every kind (kinds/table.cpp). `workshop` holds what the cases start from (workshop.hpp).
std::vector<Kind> table(const std::string& workshop);

// ---- what must hold

/// No death by a signal, no exit code that means "unexpected", and one sentence where it is not 0.
void expect_manners(const Ran& ran);
/// The exit code is one of these.
void expect_code(const Ran& ran, const std::vector<int>& codes);
void expect(bool holds, const std::string& otherwise);

/// "2: cvf: no such file": for sentences about a command.
std::string words(const Ran& ran);

}  // namespace cvf::torture
