#include "core/errors.hpp"
#include "core/hash.hpp"
#include "core/text.hpp"
#include "model/opened.hpp"

namespace cvf::model::folder {
namespace {

constexpr std::string_view head = "# cvf model, format ";
constexpr std::string_view version = "1";

std::string line_of(const std::string& name, const std::string& content) {
  return fmt::format("{}  {}\n", hex(sha256(content)), name);
}

}  // namespace

std::string manifest_of(const Files& files) {
  std::string out = fmt::format("{}{}\n", head, version);
  for (const auto& [name, content] : files) out += line_of(name, content);
  return out;
}

bool is_manifest(std::string_view text) {
  return text.starts_with(head);
}

std::set<std::string> names_in(std::string_view manifest) {
  constexpr std::size_t digest = 64, gap = 2;
  std::set<std::string> out;
  for (const auto& line : text::split(std::string(manifest), '\n')) {
    if (line.starts_with('#') || line.size() <= digest + gap) continue;
    const std::string name = line.substr(digest + gap);
    if (name.find('/') == std::string::npos) out.insert(name);
  }
  return out;
}

void check_version(const std::string& folder, std::string_view manifest) {
  if (!is_manifest(manifest)) {
    throw ModelError("{}/{}: this is not the manifest of a saved model", folder, manifest_name);
  }
  const std::string_view rest = manifest.substr(head.size());
  const std::string_view found = rest.substr(0, std::min<std::size_t>(rest.find('\n'), 20));
  if (found != version) {
    throw ModelError("{}: the model is saved in format '{}', this program reads format {}", folder, found,
                     version);
  }
}

void verify(const std::string& folder, const std::string& manifest, const Files& files) {
  check_version(folder, manifest);
  const std::string expected = manifest_of(files);
  if (manifest == expected) return;
  for (const auto& [name, content] : files) {
    if (manifest.find(line_of(name, content)) == std::string::npos) {
      throw ModelError("{}/{}: the file is damaged: its SHA-256 is not the one in {}", folder, name,
                       manifest_name);
    }
  }
  throw ModelError("{}/{}: the manifest is damaged", folder, manifest_name);
}

}  // namespace cvf::model::folder
