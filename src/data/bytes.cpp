#include "data/bytes.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "core/errors.hpp"

namespace cvf::data {
namespace {

void require_inside(std::size_t offset, std::size_t count, std::size_t size, const std::string& name) {
  if (offset > size || count > size - offset) {
    throw DataError("{}: is cut short: {} bytes at {} are needed, but there are {}", name, count, offset,
                    size);
  }
}

class FileBytes : public Bytes {
 public:
  explicit FileBytes(const std::string& file)
      : name_(file), descriptor_(::open(file.c_str(), O_RDONLY | O_CLOEXEC)) {
    struct stat status {};
    if (descriptor_ < 0 || fstat(descriptor_, &status) != 0) {
      throw DataError("{}: cannot be read: {}", file, std::strerror(errno));
    }
    size_ = static_cast<std::size_t>(status.st_size);
  }
  ~FileBytes() override {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  FileBytes(const FileBytes&) = delete;
  FileBytes& operator=(const FileBytes&) = delete;

  std::size_t size() const override { return size_; }

  void read(std::size_t offset, std::size_t count, void* target) const override {
    require_inside(offset, count, size_, name_);
    auto* place = static_cast<std::uint8_t*>(target);
    while (count > 0) {
      const ssize_t got = pread(descriptor_, place, count, static_cast<off_t>(offset));
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0)
        throw DataError("{}: cannot be read: {}", name_, got == 0 ? "it shrank" : std::strerror(errno));
      const auto done = static_cast<std::size_t>(got);
      place += done, offset += done, count -= done;
    }
  }

 private:
  std::string name_;
  int descriptor_;
  std::size_t size_ = 0;
};

class MemoryBytes : public Bytes {
 public:
  MemoryBytes(std::vector<std::uint8_t> content, std::string name)
      : content_(std::move(content)), name_(std::move(name)) {}
  std::size_t size() const override { return content_.size(); }
  void read(std::size_t offset, std::size_t count, void* target) const override {
    require_inside(offset, count, content_.size(), name_);
    if (count > 0) std::memcpy(target, content_.data() + offset, count);
  }

 private:
  std::vector<std::uint8_t> content_;
  std::string name_;
};

class PartBytes : public Bytes {
 public:
  PartBytes(BytesPointer whole, std::size_t offset, std::size_t count, std::string name)
      : whole_(std::move(whole)), offset_(offset), size_(count), name_(std::move(name)) {
    require_inside(offset, count, whole_->size(), name_);
  }
  std::size_t size() const override { return size_; }
  void read(std::size_t offset, std::size_t count, void* target) const override {
    require_inside(offset, count, size_, name_);
    whole_->read(offset_ + offset, count, target);
  }

 private:
  BytesPointer whole_;
  std::size_t offset_, size_;
  std::string name_;
};

}  // namespace

BytesPointer file_bytes(const std::string& file) {
  return std::make_shared<FileBytes>(file);
}

BytesPointer memory_bytes(std::vector<std::uint8_t> content, std::string name) {
  return std::make_shared<MemoryBytes>(std::move(content), std::move(name));
}

BytesPointer part_of(BytesPointer whole, std::size_t offset, std::size_t count, const std::string& name) {
  return std::make_shared<PartBytes>(std::move(whole), offset, count, name);
}

}  // namespace cvf::data
