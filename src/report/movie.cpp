#include "report/movie.hpp"

#include <cmath>

#include "core/errors.hpp"
#include "core/interrupt.hpp"

namespace cvf::report {

PictureSize picture_size(const data::Description& about) {
  if (about.state.axes.size() > 2) {
    throw DataError("{}: its states are on {}; pictures are of one or two axes", about.file,
                    about.state.grid_text());
  }
  return {about.state.size_along("y"), about.state.size_along("x")};
}

Movie read_movie(const data::Source& source, std::size_t sample,
                 std::span<const std::optional<std::size_t>> wanted) {
  const auto& d = source.description();
  const auto [rows, columns] = picture_size(d);
  Movie movie{wanted.size(), rows, columns, d.state.count(Role::state), {}};
  movie.values.assign(movie.frames * movie.frame_size(), NAN);
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    interrupt::throw_if_requested("nothing was written");
    const auto place = std::span(movie.values).subspan(i * movie.frame_size(), movie.frame_size());
    if (wanted[i]) source.read(sample, *wanted[i], 1, place);
  }
  return movie;
}

Movie coarsened(const Movie& movie, std::size_t side) {
  const std::size_t block = block_for({movie.rows, movie.columns}, side);
  if (block <= 1) return movie;
  Movie out{movie.frames, blocks(movie.rows, block), blocks(movie.columns, block), movie.channels, {}};
  out.values.assign(out.frames * out.frame_size(), 0);
  std::vector<float> cells(out.values.size(), 0);
  for (std::size_t i = 0; i < movie.values.size(); ++i) {
    const std::size_t c = i % movie.channels, x = i / movie.channels % movie.columns;
    const std::size_t row = i / movie.channels / movie.columns, y = row % movie.rows, t = row / movie.rows;
    const std::size_t to = ((t * out.rows + y / block) * out.columns + x / block) * out.channels + c;
    out.values[to] += movie.values[i];
    ++cells[to];
  }
  for (std::size_t i = 0; i < cells.size(); ++i) out.values[i] /= cells[i];
  return out;
}

Movie difference(const Movie& a, const Movie& b) {
  Movie out = a;
  for (std::size_t i = 0; i < out.values.size(); ++i) out.values[i] -= b.values[i];
  return out;
}

std::vector<double> rms(const Movie& movie) {
  std::vector<double> out;
  for (std::size_t t = 0; t < movie.frames; ++t) {
    double sum = 0;
    for (const float value : movie.frame(t)) sum += double{value} * value;
    out.push_back(std::sqrt(sum / static_cast<double>(movie.frame_size())));
  }
  return out;
}

}  // namespace cvf::report
