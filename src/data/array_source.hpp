// A source made of arrays that hold all samples: a layout fills in `Content`, everything else is common.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "data/source.hpp"
#include "data/view.hpp"

namespace cvf::data {

/// One of the channels of a view.
struct Component {
  View view;
  std::size_t index = 0, count = 1;
};

struct Content {
  Description description;
  std::vector<View> views;
  std::vector<std::vector<double>> times;              // one for all samples, or one for each
  std::map<std::string, std::vector<double>> scalars;  // one number for all samples, or one for each
  std::map<std::string, Component> statics;            // by the names that the description lists
  std::map<std::string, std::vector<std::vector<float>>> controls;  // for each sample, at its times
  std::map<std::string, View> control_fields;
};

class ArraySource : public Source {
 public:
  explicit ArraySource(Content content);  // refuses views that do not fit the description
  const Description& description() const override { return content_.description; }
  std::vector<double> times(std::size_t sample) const override;
  void read(std::size_t sample, std::size_t first, std::size_t count, std::span<float> out) const override;
  std::map<std::string, double> scalars(std::size_t sample) const override;
  std::vector<float> static_field(std::size_t sample, const std::string& name) const override;
  std::vector<float> control(std::size_t sample, const std::string& name) const override;

 private:
  Content content_;
};

FrameShape shape_of(const Description& description);

/// Refuses a view whose extents differ from the frames of the description, naming the array.
void require_fit(const View& view, const Description& description, std::size_t frames);

/// Refuses channels without a name, two of one name, and coordinates that are not finite.
void require_names_and_coordinates(const Description& description);

/// Refuses a request outside the source or into a span of the wrong size.
void require_request(const Description& description, std::size_t sample, std::size_t first, std::size_t count,
                     std::size_t out);

/// Refuses values that are not finite; `name` says whose they are.
void require_numbers(std::span<const float> values, const std::string& name);

/// Refuses times that are not finite and strictly increasing; `name` says whose they are.
void require_increasing(const std::vector<double>& times, const std::string& name);

}  // namespace cvf::data
