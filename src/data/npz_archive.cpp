#include "data/npz_archive.hpp"

#include "core/errors.hpp"
#include "core/interrupt.hpp"
#include "core/text.hpp"

namespace cvf::data::npz {
namespace {

constexpr std::string_view suffix = ".npy";

// Small members are checked as a whole when they are found: with a damaged shape one would otherwise be taken
// for something else, and never read. Of large ones only the header is read before their values are needed.
constexpr std::size_t small = npy::largest_head;

Member opened(const BytesPointer& archive, const zip::Member& member, const std::string& name,
              const std::string& file) {
  Member out{name, fmt::format("{}: '{}'", file, name), zip::open(archive, member, file), {}};
  const auto head = member.size <= small ? out.bytes : zip::head(archive, member, small, file);
  out.header = npy::parse_header(*head, member.size, out.full_name);
  return out;
}

}  // namespace

Archive::Archive(std::string file) : file_(std::move(file)), bytes_(file_bytes(file_)) {
  for (auto& member : zip::list(*bytes_, file_)) {
    if (member.name.ends_with("data.pkl")) {
      throw DataError("{}: is a PyTorch file, which is not read; save its tensors as NPZ or HDF5", file_);
    }
    if (!member.name.ends_with(suffix)) continue;
    names_.push_back(member.name.substr(0, member.name.size() - suffix.size()));
    if (!members_.emplace(names_.back(), std::move(member)).second) {
      throw DataError("{}: has two members called '{}'; write it again with one of them", file_,
                      names_.back());
    }
  }
  if (names_.empty()) throw DataError("{}: is a zip archive without NPY arrays", file_);
}

const Member* Archive::find(const std::string& name) const {
  const auto known = opened_.find(name);
  if (known != opened_.end()) return &known->second;
  const auto member = members_.find(name);
  if (member == members_.end()) return nullptr;
  interrupt::throw_if_requested("no file was opened");
  return &opened_.emplace(name, opened(bytes_, member->second, name, file_)).first->second;
}

std::vector<std::string> Archive::texts(const std::string& name) const {
  const auto* member = find(name);
  if (member == nullptr || !member->header.is_text()) return {};
  return npy::read_texts(*member->bytes, member->header, member->full_name);
}

std::string Archive::text(const std::string& name) const {
  return text::join(texts(name), ",");
}

}  // namespace cvf::data::npz
