// The folder of a run, held by the process that writes it: locked against a second one, and marked with the
// names that the run writes, so that --overwrite takes these and nothing else.
#pragma once

#include <string>
#include <vector>

#include "core/files.hpp"

namespace cvf::train {

/// How a command takes the folder of a run.
struct Claim {
  bool anew = false;                  // without the run that is there
  std::chrono::seconds patience{};    // with another process that trains there
  std::vector<std::string> inputs{};  // files that the command reads: never among those that `anew` removes
};

class OwnFolder {
 public:
  /// Makes the folder if there is none, locks it and writes its marker. A file that a run would write over
  /// and that no run has written is a UsageError; runs from before there was a marker are known by their
  /// checkpoints. `claim.anew` removes what an earlier run wrote, and warns of what it left.
  OwnFolder(const std::string& path, const Claim& claim);

  /// A DataError when the folder was removed or replaced meanwhile: what is written now would be lost.
  void check() const;

 private:
  std::string path_;
  FolderLock lock_;
};

inline constexpr const char* marker_name = ".cvf-run";

/// Removes a checkpoint or what is left of one; returns the paths of what is not ours and stays.
std::vector<std::string> remove_checkpoint(const std::string& folder);

/// step-000001000, or one that a killed save left beside it.
bool is_checkpoint_name(const std::string& name, bool leftover = false);

}  // namespace cvf::train
