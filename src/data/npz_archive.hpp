// The arrays of an NPZ by their names.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "data/bytes.hpp"
#include "data/numpy.hpp"

namespace cvf::data::npz {

struct Member {
  std::string name, full_name;  // "u"; "a.npz: 'u'", for messages
  BytesPointer bytes;           // compared with its checksum before the first of them is returned
  npy::Header header;
};

/// Reads headers as they are asked for, and each once: an archive may hold many thousands. For one thread.
class Archive {
 public:
  explicit Archive(std::string file);

  const std::string& file() const { return file_; }
  const std::vector<std::string>& names() const { return names_; }  // in the order of the archive

  /// Null where there is none. Lives as long as the archive.
  const Member* find(const std::string& name) const;

  /// The texts of a member; none where there is no such member or it holds numbers.
  std::vector<std::string> texts(const std::string& name) const;

  /// The same, joined by commas; empty where there are none.
  std::string text(const std::string& name) const;

 private:
  std::string file_;
  BytesPointer bytes_;
  std::vector<std::string> names_;
  std::map<std::string, zip::Member, std::less<>> members_;
  mutable std::map<std::string, Member, std::less<>> opened_;
};

}  // namespace cvf::data::npz
