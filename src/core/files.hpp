// Files that are either the old one or the new one, never half of either.
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace cvf::files {

/// Writes beside `path`, fsyncs, renames over it and fsyncs the folder. A failure (disk full, say) leaves the
/// old file untouched and throws a DataError.
void write_atomically(const std::string& path, std::string_view content);

/// The same for writers that need a path: `write` fills the temporary file that it is given.
void write_atomically(const std::string& path,
                      const std::function<void(const std::string& temporary)>& write);

/// Whether both paths lead to one file that is there, whatever they are called: links, `..`, hard links.
bool same_file(const std::string& a, const std::string& b);

std::string read_whole(const std::string& path);
void sync_file(const std::string& path);
void sync_folder_of(const std::string& path);

}  // namespace cvf::files
