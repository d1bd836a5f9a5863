// Which solver settings ask for that name none.
#pragma once

#include <string_view>

#include "core/config.hpp"

namespace cvf::solvers {

/// Whether the table [solver] of `settings` asks for `searching` instead of `usual`: it names no solver, and
/// has a key that only `searching` knows (a tolerance, say), or a max_step beyond `longest_step`, that of
/// training.
bool want_search(const config::Document& settings, std::string_view usual, std::string_view searching,
                 double longest_step);

}  // namespace cvf::solvers
