// A source made of arrays that hold all samples: a layout fills in `Content`, everything else is common.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "data/source.hpp"
#include "data/view.hpp"

namespace cvf::data {

struct Content {
  Description description;
  std::vector<View> views;
  std::vector<std::vector<double>> times;              // one for all samples, or one for each
  std::map<std::string, std::vector<double>> scalars;  // one number for all samples, or one for each
};

class ArraySource : public Source {
 public:
  explicit ArraySource(Content content);  // refuses views that do not fit the description
  const Description& description() const override { return content_.description; }
  std::vector<double> times(std::size_t sample) const override;
  void read(std::size_t sample, std::size_t first, std::size_t count, std::span<float> out) const override;
  std::map<std::string, double> scalars(std::size_t sample) const override;

 private:
  Content content_;
};

FrameShape shape_of(const Description& description);

/// Refuses a view whose extents differ from the frames of the description, naming the array.
void require_fit(const View& view, const Description& description, std::size_t frames);

/// Refuses a request outside the source or into a span of the wrong size.
void require_request(const Description& description, std::size_t sample, std::size_t first, std::size_t count,
                     std::size_t out);

/// Refuses times that are not finite and strictly increasing; `name` says whose they are.
void require_increasing(const std::vector<double>& times, const std::string& name);

}  // namespace cvf::data
