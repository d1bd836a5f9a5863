#include "model/folder.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <set>

#include "core/errors.hpp"
#include "core/files.hpp"
#include "model/files.hpp"
#include "model/opened.hpp"

namespace cvf::model::folder {
namespace {

namespace fs = std::filesystem;

void rename(const std::string& from, const std::string& to) {
  if (std::rename(from.c_str(), to.c_str()) != 0) {
    throw ModelError("{}: renaming to {} failed: {}", from, to, std::strerror(errno));
  }
}

// The names that a folder of ours has: those of its own manifest, and those of whoever writes it.
class Names {
 public:
  Names(const std::string& folder, std::span<const std::string_view> written)
      : names_(written.begin(), written.end()) {
    const std::string manifest = Opened(folder).content(manifest_name).value_or("");
    whole_ = is_manifest(manifest);
    if (whole_) names_.merge(names_in(manifest));
    names_.emplace(manifest_name);
  }

  bool whole() const { return whole_; }  // it has a manifest, so it was a complete folder of ours

  // Writing leaves NAME.tmp123 behind when it is cut short.
  bool contain(const fs::directory_entry& item) const {
    const std::string name = item.path().filename().string();
    return !item.is_directory() && names_.contains(name.substr(0, name.find(".tmp")));
  }

 private:
  std::set<std::string> names_;
  bool whole_ = false;
};

using Written = std::vector<std::string_view>;

Written names_of(const Files& files) {
  Written out;
  for (const auto& [name, content] : files) out.emplace_back(name);
  return out;
}

// A folder of somebody's own files is not ours to remove, whatever its name. What somebody put beside the
// files of a model stays, see `clear`.
void refuse_foreign(const std::string& folder, const Written& written) {
  if (!fs::exists(folder)) return;
  if (!fs::is_directory(folder)) throw ModelError("{}: there is a file in the place of the model", folder);
  const Names ours(folder, written);
  if (ours.whole()) return;
  for (const auto& item : fs::directory_iterator(folder)) {
    if (!ours.contain(item)) {
      throw ModelError("{}: the folder holds '{}', which is no part of a model, so it is not replaced",
                       folder, item.path().filename().string());
    }
  }
}

std::vector<fs::path> foreign_in(const std::string& folder, std::span<const std::string_view> written) {
  std::vector<fs::path> out;
  if (!fs::is_directory(folder)) return out;
  const Names ours(folder, written);
  for (const auto& item : fs::directory_iterator(folder)) {
    if (!ours.contain(item)) out.push_back(item.path());
  }
  return out;
}

// Removes the files that are ours and the folder that they were in. Returns the paths of what is not ours;
// while there is any, the folder stays, and the manifest with it, which tells that the folder is ours.
std::vector<fs::path> clear(const std::string& folder, std::span<const std::string_view> written) {
  const auto foreign = foreign_in(folder, written);
  if (!fs::is_directory(folder)) return foreign;
  const Names ours(folder, written);
  const fs::path manifest = fs::path(folder) / manifest_name;
  std::vector<fs::path> doomed;
  for (const auto& item : fs::directory_iterator(folder)) {
    if (ours.contain(item) && item.path() != manifest) doomed.push_back(item.path());
  }
  for (const auto& path : doomed) fs::remove(path);
  if (foreign.empty()) {
    fs::remove(manifest);
    fs::remove(folder);
  }
  return foreign;
}

// The same for a folder that another took the place of: what is not ours moves over to it first.
void clear_into(const std::string& folder, const Written& written, const std::string& successor) {
  for (const auto& path : foreign_in(folder, written)) {
    const std::string to = successor + "/" + path.filename().string();
    if (fs::exists(fs::symlink_status(to))) {
      throw ModelError("{}: is no part of a model and cannot move to {}, where there is something else",
                       path.string(), to);
    }
    rename(path.string(), to);
  }
  clear(folder, written);
}

// The manifest is written last: a folder without one is not complete.
void write(const std::string& folder, const Files& files, const std::function<void(std::string_view)>& done) {
  fs::create_directories(folder);
  for (const auto& [name, content] : files) {
    files::write_atomically(folder + "/" + name, content);
    done("wrote " + name);
  }
  files::write_atomically(fmt::format("{}/{}", folder, manifest_name), manifest_of(files));
  files::sync_folder_of(folder);
  done("wrote the manifest");
}

// What a crash of an earlier replacement left. The old folder comes back only where nothing took its place.
void tidy_up(const Places& places, const Written& written) {
  if (!fs::exists(places.now) && fs::exists(places.before)) rename(places.before, places.now);
  clear_into(places.before, written, places.now);
  if (fs::exists(places.next) && !clear(places.next, written).empty()) {
    throw ModelError("{}: holds what is no part of a model; move it away, it is in the way of saving",
                     places.next);
  }
}

void swap_in(const Places& places, const Written& written,
             const std::function<void(std::string_view)>& done) {
  const bool had_one = fs::exists(places.now);
  if (had_one) rename(places.now, places.before);
  done("moved the old one away");
  try {
    rename(places.next, places.now);
  } catch (const ModelError&) {
    if (had_one) rename(places.before, places.now);
    throw;
  }
  files::sync_folder_of(places.now);
  done("moved the new one in");
  clear_into(places.before, written, places.now);
  done("removed the old one");
}

bool is_there(const std::string& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

std::string content_of(const Opened& folder, std::string_view name) {
  auto content = folder.content(name);
  if (!content) throw ModelError("{}/{}: the file is missing", folder.name(), name);
  return std::move(*content);
}

Files read_opened(const Opened& folder, std::span<const std::string_view> names,
                  std::span<const std::string_view> optional) {
  const std::string manifest = content_of(folder, manifest_name);
  check_version(folder.name(), manifest);
  Files files;
  for (const auto name : names) files.emplace(name, content_of(folder, name));
  for (const auto name : optional) {
    if (auto content = folder.content(name)) files.emplace(name, std::move(*content));
  }
  verify(folder.name(), manifest, files);
  return files;
}

}  // namespace

void replace(const std::string& path, const Files& files, const std::function<void(std::string_view)>& done) {
  const Places places(path);
  const auto told = done ? done : [](std::string_view) {};
  const Written written = names_of(files);
  try {
    for (const auto& place : {places.now, places.next, places.before}) refuse_foreign(place, written);
    tidy_up(places, written);
    told("tidied up");
    try {
      write(places.next, files, told);
    } catch (...) {
      try {
        clear(places.next, written);
      } catch (const std::exception&) {  // the first failure is the news
      }
      throw;
    }
    swap_in(places, written, told);
  } catch (const fs::filesystem_error& error) {
    throw ModelError("{}: saving the model failed: {}", path, error.code().message());
  } catch (const DataError& error) {
    throw ModelError("{}: saving the model failed: {}", path, error.what());
  }
}

std::string present(const std::string& path) {
  const Places places(path);
  return !is_there(places.now) && is_there(places.before) ? places.before : path;
}

Files read(const std::string& path, std::span<const std::string_view> names,
           std::span<const std::string_view> optional) {
  while (true) {
    const Opened folder(path);
    if (!folder.is_there()) throw ModelError("{}: there is no folder with a model", path);
    try {
      return read_opened(folder, names, optional);
    } catch (const ModelError&) {
      if (folder.is_still(present(path))) throw;  // else it was replaced while we read: read the new one
    }
  }
}

std::vector<std::string> remove(const std::string& path, std::span<const std::string_view> names) {
  std::vector<std::string> left;
  try {
    for (const auto& foreign : clear(path, names)) left.push_back(foreign.string());
  } catch (const fs::filesystem_error& error) {
    throw ModelError("{}: removing the model failed: {}", path, error.code().message());
  }
  return left;
}

}  // namespace cvf::model::folder

namespace cvf::model {

constexpr std::array needed_files{model_file, run_file, weights_file, normalizer_file};

folder::Files read_files(const std::string& folder) {
  constexpr std::array of_training{progress_file, moments_file};
  return folder::read(folder, needed_files, of_training);
}

}  // namespace cvf::model
