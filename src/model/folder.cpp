#include "model/folder.hpp"

#include <sys/stat.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <utility>

#include "core/errors.hpp"
#include "core/files.hpp"
#include "model/manifest.hpp"

namespace cvf::model::folder {
namespace {

namespace fs = std::filesystem;

struct Places {
  std::string now, next, before;

  explicit Places(const std::string& path) {
    fs::path tidy = fs::absolute(path).lexically_normal();
    if (!tidy.has_filename()) tidy = tidy.parent_path();  // "model/" is "model"
    now = tidy.string();
    next = now + ".cvf-new";
    before = now + ".cvf-old";
  }
};

void rename(const std::string& from, const std::string& to) {
  if (std::rename(from.c_str(), to.c_str()) != 0) {
    throw ModelError("{}: renaming to {} failed: {}", from, to, std::strerror(errno));
  }
}

// Writing leaves NAME.tmp123 behind when it is cut short.
bool is_ours(const std::string& name, const Files& files) {
  const std::string stem = name.substr(0, name.find(".tmp"));
  return stem == manifest_name || files.contains(stem);
}

// A folder of somebody's own files is not ours to remove, whatever its name.
void refuse_foreign(const std::string& folder, const Files& files) {
  if (!fs::exists(folder)) return;
  if (!fs::is_directory(folder)) throw ModelError("{}: there is a file in the place of the model", folder);
  for (const auto& item : fs::directory_iterator(folder)) {
    const std::string name = item.path().filename().string();
    if (!is_ours(name, files)) {
      throw ModelError("{}: the folder holds '{}', which is no part of a model, so it is not replaced",
                       folder, name);
    }
  }
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
void tidy_up(const Places& places) {
  if (!fs::exists(places.now) && fs::exists(places.before)) rename(places.before, places.now);
  fs::remove_all(places.before);
  fs::remove_all(places.next);
}

void swap_in(const Places& places, const std::function<void(std::string_view)>& done) {
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
  fs::remove_all(places.before);
  done("removed the old one");
}

bool is_there(const std::string& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

std::string content_of(const std::string& path) {
  std::error_code ignored;
  if (!fs::is_regular_file(path, ignored)) throw ModelError("{}: the file is missing", path);
  try {
    return files::read_whole(path);
  } catch (const DataError& error) {
    throw ModelError("{}", error.what());
  }
}

using Identity = std::pair<dev_t, ino_t>;

Identity identity(const std::string& path) {
  struct stat facts {};
  if (stat(present(path).c_str(), &facts) != 0) return {};
  return {facts.st_dev, facts.st_ino};
}

Files read_once(const std::string& path, std::span<const std::string_view> names,
                std::span<const std::string_view> optional) {
  const std::string folder = present(path);
  std::error_code ignored;
  if (!fs::is_directory(folder, ignored)) throw ModelError("{}: there is no folder with a model", path);
  const std::string manifest = content_of(fmt::format("{}/{}", folder, manifest_name));
  check_version(folder, manifest);
  Files files;
  for (const auto name : names) files.emplace(name, content_of(fmt::format("{}/{}", folder, name)));
  for (const auto name : optional) {
    const std::string file = fmt::format("{}/{}", folder, name);
    if (is_there(file)) files.emplace(name, content_of(file));
  }
  verify(folder, manifest, files);
  return files;
}

}  // namespace

void replace(const std::string& path, const Files& files, const std::function<void(std::string_view)>& done) {
  const Places places(path);
  const auto told = done ? done : [](std::string_view) {};
  try {
    for (const auto& place : {places.now, places.next, places.before}) refuse_foreign(place, files);
    tidy_up(places);
    told("tidied up");
    try {
      write(places.next, files, told);
    } catch (...) {
      std::error_code ignored;
      fs::remove_all(places.next, ignored);
      throw;
    }
    swap_in(places, told);
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
    const Identity before = identity(path);
    try {
      return read_once(path, names, optional);
    } catch (const ModelError&) {
      if (identity(path) == before) throw;  // else it was replaced while we read: read the new one
    }
  }
}

}  // namespace cvf::model::folder
