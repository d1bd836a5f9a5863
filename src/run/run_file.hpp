// run.toml, the resolved settings of a run, for everybody who wants to know something of it. Training, which
// writes it, describes all of it (train/options.hpp); here are a few of its words, and single tables.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/config.hpp"
#include "core/files.hpp"

namespace cvf::run {

class RunFile {
 public:
  /// The text that a model keeps of it; `folder` is for sentences. A ConfigError where it is no TOML.
  RunFile(std::string_view text, const std::string& folder)
      : document_(config::Document::from_text(text, path_in(folder))) {}

  /// The file of a run's folder. A DataError where it cannot be read.
  static RunFile in(const std::string& folder) { return {files::read_whole(path_in(folder)), folder}; }
  static std::string path_in(const std::string& folder) { return folder + "/run.toml"; }

  std::string objective() const { return word("objective.name"); }
  std::string data_file() const { return word("data.file"); }
  std::string seed() const { return word("seed", "0"); }

  /// The value of a key as text.
  std::string word(std::string_view key, std::string_view otherwise = "") const {
    return document_.look_up(key).value_or(std::string(otherwise));
  }

  /// Every key with its value, tables opened: ("objective.name", "cvf").
  std::vector<std::pair<std::string, std::string>> all() const { return document_.all(); }

  /// Fills the options of one table, "data" say; they stay as they are where the file has no such table.
  template <class Options>
  void read(const char* table, Options& options) const {
    document_.only(table).read([&](config::Section& s) {
      s.table(table, "", [&options](config::Section& t) { options.describe(t); });
    });
  }

 private:
  config::Document document_;
};

}  // namespace cvf::run
