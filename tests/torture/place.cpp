#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "core/text.hpp"
#include "torture/torture.hpp"

namespace cvf::torture {
namespace {

namespace fs = std::filesystem;

constexpr double patience = 60;  // seconds
constexpr const char* counter = ".calls";

}  // namespace

std::string Place::read(const std::string& name) const {
  return has(name) ? files::read_whole(path(name)) : "";
}

void Place::write(const std::string& name, const std::string& content) const {
  fs::create_directories(fs::path(path(name)).parent_path());
  std::ofstream(path(name), std::ios::binary) << content;
}

bool Place::has(const std::string& name) const {
  std::error_code unknown;
  return fs::is_regular_file(path(name), unknown);
}

void Place::bring(const std::string& workshop, const Words& names) const {
  for (const auto& name : names)
    fs::copy(workshop + "/" + name, path(name),
             fs::copy_options::recursive | fs::copy_options::copy_symlinks);
}

// env changes the folder and loads the faults, timeout ends what hangs or should be killed.
Words Place::words_of(const Words& command, const Trouble& trouble) const {
  const double limit = trouble.kill_after > 0 ? trouble.kill_after : patience;
  Words words{"timeout", "-s", "KILL", fmt::format("{:.4f}", limit)};
  if (trouble.ask_after > 0)
    words = {"timeout",
             "--preserve-status",
             "-k",
             fmt::format("{}", patience),
             "-s",
             "TERM",
             fmt::format("{:.4f}", trouble.ask_after)};
  words.insert(words.end(), {"env", "-C", path(""), "OMP_NUM_THREADS=1"});
  if (!trouble.action.empty()) {
    write(counter, std::string(sizeof(std::uint64_t), '\0'));
    words.insert(words.end(),
                 {fmt::format("LD_PRELOAD={}", CVF_FAULTS), "CVF_TORTURE_ROOT=" + path(""),
                  "CVF_TORTURE_COUNTER=" + path(counter), fmt::format("CVF_TORTURE_AT={}", trouble.at),
                  "CVF_TORTURE_ACTION=" + trouble.action});
  }
  if (!trouble.redirected.empty())
    words.insert(words.end(), {"sh", "-c", "exec \"$@\" " + trouble.redirected, "sh"});
  words.push_back(CVF_PROGRAM);
  words.insert(words.end(), command.begin(), command.end());
  words.insert(words.end(), {"--threads", "1"});
  return words;
}

Ran Place::run(const Words& command, const Trouble& trouble) const {
  Words words = words_of(command, trouble);
  words.erase(words.begin());  // Program adds the name
  Ran ran = testing_support::Program(scratch_, words, "/usr/bin/timeout").wait();
  constexpr int shells_add = 128;
  if (ran.code > shells_add) ran.code = shells_add - ran.code;  // timeout tells of a signal as shells do
  const bool meant = trouble.kill_after > 0 || trouble.action == "kill";
  if (ran.code == -SIGKILL && !meant)
    throw Broken(fmt::format("cvf {} did not end within {} s", text::join(command, " "), patience));
  return ran;
}

std::vector<Ran> Place::run_together(const std::vector<Words>& commands) const {
  std::vector<testing_support::Scratch> outputs(commands.size());
  std::vector<testing_support::Program> programs;
  for (std::size_t i = 0; i < commands.size(); ++i) {
    Words words = words_of(commands[i], {});
    words.erase(words.begin());
    programs.emplace_back(outputs[i], words, "/usr/bin/timeout");
  }
  std::vector<Ran> out;
  for (auto& program : programs) out.push_back(program.wait());
  return out;
}

std::uint64_t Place::calls() const {
  const std::string bytes = read(counter);
  std::uint64_t count = 0;
  std::memcpy(&count, bytes.data(), std::min(bytes.size(), sizeof count));
  return count;
}

// ---- what must hold

std::string words(const Ran& ran) {
  std::string said = ran.err.substr(0, 400);
  std::replace(said.begin(), said.end(), '\n', '|');
  return fmt::format("{}: {}", ran.code, said);
}

void expect(bool holds, const std::string& otherwise) {
  if (!holds) throw Broken(otherwise);
}

void expect_code(const Ran& ran, const std::vector<int>& codes) {
  expect(std::find(codes.begin(), codes.end(), ran.code) != codes.end(),
         "the wrong exit code, " + words(ran));
}

void expect_manners(const Ran& ran) {
  constexpr int first_documented = 2, last_documented = 9;
  expect(ran.code >= 0, "died of a signal, " + words(ran));
  if (ran.code == 0) return;
  expect(ran.code >= first_documented && ran.code <= last_documented,
         "an undocumented exit code, " + words(ran));
  std::size_t sentences = 0;
  for (const auto& line : text::split(ran.err, '\n')) sentences += line.starts_with("cvf: ") ? 1 : 0;
  const bool findings = ran.code == 7;  // printed to stdout
  expect(findings || sentences == 1, "not one sentence, " + words(ran));
  expect(ran.err.find("HDF5-DIAG") == std::string::npos &&
             ran.err.find("HDF5: infinite loop") == std::string::npos,
         "the library's own words, " + words(ran));
}

}  // namespace cvf::torture
