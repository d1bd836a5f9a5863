// Damage to a file's content: what a bad disk, a careless editor or a hostile hand leaves.
#pragma once

#include <string>

#include "core/random.hpp"

namespace cvf::torture {

std::string mutated_bytes(std::string content, RandomStream& random);

/// Of lines of text: numbers become extreme, lines vanish, come twice or change places, odd things appear.
/// Lines that hold `spared` stay as they are.
std::string mutated_text(const std::string& content, const std::string& spared, RandomStream& random);

}  // namespace cvf::torture
