// What a command may write: never over a file that it reads or over a file of a model, a run or a study, and
// over any other file only with --overwrite.
#pragma once

#include <string>
#include <vector>

namespace cvf::files {

/// A file that a command is about to write.
struct OutputFile {
  std::string path;
  std::vector<std::string> inputs = {};   // every file that the command reads; names of no file are allowed
  bool overwrite = false;                 // --overwrite, or the default path of the command itself
  std::vector<std::string> endings = {};  // of the files that are written next to it meanwhile, e.g. ".part"
};

/// What GroupsWriter and its lock write next to a file until it is finished.
inline const std::vector<std::string> unfinished_endings{".part", ".journal", ".lock", ".part.layout"};

/// A UsageError where the output, or a file next to it, is one of the inputs or belongs to a model, a run or
/// a study; a DataError where the output exists without `overwrite`, or is a folder or device. Files are
/// compared by what they are, not by name: links, hard links and relative paths lead to the same file.
void check_output(const OutputFile& output);

/// The regular files in a folder and in its subfolders.
std::vector<std::string> files_below(const std::string& folder);

}  // namespace cvf::files
