#include "model/opened.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "core/errors.hpp"

namespace cvf::model::folder {
namespace {

// Both names can be missing for a moment each time that the folder is replaced between our two looks.
constexpr int looks = 100;

// `size` is what the file had a moment ago: room for it at once saves copies.
std::string all_of(int file, off_t size, const std::string& path) {
  std::string out;
  out.reserve(static_cast<std::size_t>(std::min<off_t>(size, 1 << 30)));
  char block[1 << 16];
  while (true) {
    const ssize_t got = ::read(file, block, sizeof block);
    if (got == 0) return out;
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw ModelError("{}: reading failed: {}", path, std::strerror(errno));
    out.append(block, static_cast<std::size_t>(got));
  }
}

class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() {
    if (number_ >= 0) close(number_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int number() const { return number_; }

 private:
  int number_;
};

}  // namespace

Places::Places(const std::string& path) {
  namespace fs = std::filesystem;
  fs::path tidy = fs::absolute(path).lexically_normal();
  if (!tidy.has_filename()) tidy = tidy.parent_path();  // "model/" is "model"
  now = tidy.string();
  next = now + ".cvf-new";
  before = now + ".cvf-old";
}

std::string beside(const std::string& path, const std::string& ending) {
  return Places(path).now + ending;
}

Opened::Opened(const std::string& path) : name_(path) {
  const Places places(path);
  for (int look = 0; look < looks && handle_ < 0; ++look) {
    for (const auto& place : {places.now, places.before}) {
      handle_ = open(place.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
      if (handle_ >= 0 && place == places.before) name_ = place;
      if (handle_ >= 0 || errno != ENOENT) return;
    }
  }
}

Opened::~Opened() {
  if (handle_ >= 0) close(handle_);
}

std::optional<std::string> Opened::content(std::string_view file) const {
  if (!is_there()) return std::nullopt;
  const std::string name(file), path = fmt::format("{}/{}", name_, file);
  const Descriptor opened(openat(handle_, name.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (opened.number() < 0 && errno == ENOENT) return std::nullopt;
  if (opened.number() < 0) throw ModelError("{}: cannot be opened: {}", path, std::strerror(errno));
  struct stat facts {};
  if (fstat(opened.number(), &facts) != 0 || !S_ISREG(facts.st_mode)) return std::nullopt;
  return all_of(opened.number(), facts.st_size, path);
}

bool Opened::is_still(const std::string& path) const {
  struct stat ours {
  }, theirs{};
  return fstat(handle_, &ours) == 0 && stat(path.c_str(), &theirs) == 0 && ours.st_dev == theirs.st_dev &&
         ours.st_ino == theirs.st_ino;
}

}  // namespace cvf::model::folder
