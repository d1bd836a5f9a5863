// Groups and the links in them. A path is walked one link at a time, so that a soft or external link is seen
// before libhdf5 could follow it into another file.
#include <algorithm>

#include "core/errors.hpp"
#include "core/text.hpp"
#include "data/hdf5.hpp"

namespace cvf::data::hdf5 {
namespace {

herr_t collect(hid_t, const char* name, const H5L_info_t*, void* names) {
  static_cast<std::vector<std::string>*>(names)->emplace_back(name);
  return 0;
}

Kind kind_of_object(hid_t group, const std::string& path) {
  H5O_info_t info;
  if (H5Oget_info_by_name2(group, path.c_str(), &info, H5O_INFO_BASIC, H5P_DEFAULT) < 0) return Kind::other;
  if (info.type == H5O_TYPE_GROUP) return Kind::group;
  return info.type == H5O_TYPE_DATASET ? Kind::dataset : Kind::other;
}

Kind kind_of_path(hid_t group, const std::string& path) {
  std::string walked;
  Kind found = Kind::group;
  for (const auto& step : text::split(path, '/')) {
    if (step.empty()) continue;  // "/u" and "u" are the same
    if (found != Kind::group) return found == Kind::link ? Kind::link : Kind::none;
    walked += walked.empty() ? step : "/" + step;
    H5L_info_t link;
    const htri_t exists = H5Lexists(group, walked.c_str(), H5P_DEFAULT);
    if (exists <= 0) return exists < 0 ? Kind::other : Kind::none;
    if (H5Lget_info(group, walked.c_str(), &link, H5P_DEFAULT) < 0) return Kind::other;
    found = link.type == H5L_TYPE_HARD ? kind_of_object(group, walked) : Kind::link;
  }
  return found;
}

const char* word(Kind kind) {
  switch (kind) {
    case Kind::none:
      return "is missing";
    case Kind::group:
      return "is a group";
    case Kind::dataset:
      return "is a dataset";
    case Kind::link:
      return "is or lies behind a soft or external link, which is not followed";
    case Kind::other:
      break;
  }
  return "is neither a group nor a dataset, or is damaged";
}

}  // namespace

Group::Group(Handle handle, std::string file, std::string path, SharedFaults faults)
    : Object(std::move(handle), std::move(file), std::move(path), std::move(faults)) {}

std::string Group::below(const std::string& child) const {
  return path().ends_with('/') ? path() + child : path() + "/" + child;
}

std::vector<std::string> Group::children() const {
  const Guard guard;
  std::vector<std::string> names;
  hsize_t position = 0;
  const herr_t good = H5Literate(id(), H5_INDEX_NAME, H5_ITER_INC, &position, collect, &names);
  require_read();
  if (good < 0) {
    throw DataError("{}: its members cannot be listed: {}", name(), reason());
  }
  return names;
}

Kind Group::kind(const std::string& child) const {
  const Guard guard;
  const Kind found = kind_of_path(id(), child);
  require_read();
  return found;
}

Group Group::group(const std::string& child) const {
  const Guard guard;
  const Kind found = kind(child);
  if (found != Kind::group) throw DataError("{}: group '{}' {}", file(), below(child), word(found));
  Handle handle(H5Gopen2(id(), child.c_str(), H5P_DEFAULT));
  require_read();
  if (!handle) throw DataError("{}: group '{}' cannot be opened: {}", file(), below(child), reason());
  return {std::move(handle), file(), below(child), faults_};
}

Group Group::again() const {
  const Guard guard;
  checked(H5Iinc_ref(id()), *this);
  return {Handle(id()), file(), path(), faults_};
}

Dataset Group::dataset(const std::string& child) const {
  const Guard guard;
  const Kind found = kind(child);
  if (found != Kind::dataset) throw DataError("{}: dataset '{}' {}", file(), below(child), word(found));
  Handle handle(H5Dopen2(id(), child.c_str(), H5P_DEFAULT));
  require_read();
  if (!handle) throw DataError("{}: dataset '{}' cannot be opened: {}", file(), below(child), reason());
  Dataset opened(std::move(handle), file(), below(child), faults_);
  opened.require_readable();
  opened.learn_conventions();
  return opened;
}

Group Group::create_group(const std::string& child) const {
  const Guard guard;
  Handle handle(H5Gcreate2(id(), child.c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
  require_written();
  if (!handle) throw DataError("{}: group '{}' cannot be created: {}", file(), below(child), reason());
  return {std::move(handle), file(), below(child), faults_};
}

}  // namespace cvf::data::hdf5
