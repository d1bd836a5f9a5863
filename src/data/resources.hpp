// What a file of groups takes, known before it is laid out.
#pragma once

#include <string>

namespace cvf::data {

struct FileSize {
  double samples = 0;
  double frames = 0;         // of all samples together
  double frame_values = 0;   // in each frame
  double sample_values = 0;  // beside the frames: static fields and controls of each sample
  double frame_notes = 0;    // bytes of memory that the maker holds for a frame until the end
};

/// Throws a DataError with what is needed and what there is when the file would not fit on the disk, or what
/// is known of its samples and frames not into memory.
void check_resources(const std::string& path, const FileSize& file);

}  // namespace cvf::data
