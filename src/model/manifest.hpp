// The manifest of a model's folder: a line with the format's version, then one line a file as sha256sum
// writes it.
#pragma once

#include <set>

#include "model/folder.hpp"

namespace cvf::model::folder {

std::string manifest_of(const Files& files);

/// Throws a ModelError that names the damage unless the manifest is, to the bit, the one of these files.
void verify(const std::string& folder, const std::string& manifest, const Files& files);

/// Refuses a manifest of another format or none.
void check_version(const std::string& folder, std::string_view manifest);

bool is_manifest(std::string_view text);  // of any version
std::set<std::string> names_in(std::string_view manifest);

}  // namespace cvf::model::folder
