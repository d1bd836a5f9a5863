// A folder of files that is either the old one or the new one, never half of either, with a manifest of
// SHA-256 sums that `sha256sum -c SHA256SUMS` understands too.
//
// The new folder is written as a sibling F.cvf-new, complete and on the disk before anything else moves; then
// F is renamed to F.cvf-old, F.cvf-new to F, and F.cvf-old is removed. A crash between the two renames leaves
// F.cvf-old, which `present` finds; the next `replace` puts it back first.
#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cvf::model::folder {

using Files = std::map<std::string, std::string>;  // name -> content

inline constexpr std::string_view manifest_name = "SHA256SUMS";

/// Puts a folder with these files and their manifest in the place of `path`. A failure throws a ModelError
/// and leaves the old folder; one that is no model is not replaced, and what somebody put beside the files of
/// one is there afterwards too. `done` hears of every step, for tests that stop there.
void replace(const std::string& path, const Files& files,
             const std::function<void(std::string_view step)>& done = {});

/// The folder to read: `path`, or its predecessor when a replacement was cut short between its renames.
std::string present(const std::string& path);

/// A file beside the folder, whose own files are those that its manifest names: "model" and ".note" give
/// "model.note".
std::string beside(const std::string& path, const std::string& ending);

/// The files of the folder, which must be those named (and any of the optional ones) and match the manifest
/// bit for bit.
Files read(const std::string& path, std::span<const std::string_view> names,
           std::span<const std::string_view> optional = {});

/// Removes the files that the folder's manifest and `names` say are ours, then the manifest and the folder
/// when nothing else is in it. Returns the paths of what somebody else put there.
std::vector<std::string> remove(const std::string& path, std::span<const std::string_view> names = {});

}  // namespace cvf::model::folder
