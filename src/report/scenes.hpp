// The forecasts of a folder beside the truth: for each (data, option), evaluation and sample one scene
// with every method.
#pragma once

#include "report/folder.hpp"

namespace cvf::report {

/// A list of scenes:
///   data, option, evaluation, protocol (both empty: one solve through all times), sample, channels, times,
///   grid [ny, nx] as shown ranges   for each channel {low, high, palette, reach}: colours of states, and
///   -reach .. reach of errors truth    {fields | values, projection}, or null with the reason in `note`
///   methods  [{method, fields | values, errors, rms, projection, steps {time, step, nre}}]
///   explained, note
/// Fields are base64 of bytes [frame][channel][y][x]; vector states are numbers, values[channel][frame].
/// Frames and grids are thinned until all fields together take no more than `bytes` in the page. What cannot
/// be read goes to `notes`.
Json scenes_of(const Folder& folder, std::size_t bytes, std::vector<std::string>& notes);

}  // namespace cvf::report
