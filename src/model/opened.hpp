// A folder as it was when it was opened, whatever takes its name meanwhile; and its manifest.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "model/folder.hpp"

namespace cvf::model::folder {

/// Where a folder is, where its successor is written, and where it goes while that takes its place.
struct Places {
  std::string now, next, before;
  explicit Places(const std::string& path);
};

class Opened {
 public:
  /// The folder `path`, or its predecessor when a replacement was cut short between its renames.
  explicit Opened(const std::string& path);
  ~Opened();
  Opened(const Opened&) = delete;
  Opened& operator=(const Opened&) = delete;

  bool is_there() const { return handle_ >= 0; }
  const std::string& name() const { return name_; }
  std::optional<std::string> content(std::string_view file) const;  // nothing when there is no such file
  /// Whether `path` is this very folder. Reliable while this lives: a number of a folder that is open is not
  /// given away again.
  bool is_still(const std::string& path) const;

 private:
  std::string name_;
  int handle_ = -1;
};

// The manifest of a model's folder: a line with the format's version, then one line a file as sha256sum
// writes it.

std::string manifest_of(const Files& files);

/// Throws a ModelError that names the damage unless the manifest is, to the bit, the one of these files.
void verify(const std::string& folder, const std::string& manifest, const Files& files);

/// Refuses a manifest of another format or none.
void check_version(const std::string& folder, std::string_view manifest);

bool is_manifest(std::string_view text);  // of any version
std::set<std::string> names_in(std::string_view manifest);

}  // namespace cvf::model::folder
