#include "data/small_arrays.hpp"

#include "data/groups_format.hpp"
#include "data/hdf5.hpp"

namespace cvf::data {

std::vector<double> read_small_array(const std::string& file, std::size_t sample, const std::string& group,
                                     const std::string& name) {
  const hdf5::Group root = hdf5::File::open(file).root();
  const std::string place = GroupsPlan{}.key(sample) + "/" + group;
  if (!root.has_group(place)) return {};
  const hdf5::Group arrays = root.group(place);
  return arrays.has_dataset(name) ? arrays.dataset(name).read_all() : std::vector<double>{};
}

}  // namespace cvf::data
