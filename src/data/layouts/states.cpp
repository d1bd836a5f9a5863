// HDF5 datasets as arrays of states.
#include "core/errors.hpp"
#include "data/axes.hpp"
#include "data/layouts/layout.hpp"

namespace cvf::data::layouts {
namespace {

class Hdf5Array : public Array {
 public:
  explicit Hdf5Array(hdf5::Dataset dataset) : dataset_(std::move(dataset)) {}
  std::string name() const override { return dataset_.name(); }
  const Extents& extents() const override { return dataset_.extents(); }
  void read(std::span<const std::size_t> start, std::span<const std::size_t> count,
            float* values) const override {
    dataset_.read(start, count, values);
  }

 private:
  hdf5::Dataset dataset_;
};

// One frame: reading frames in turn then unpacks no chunk twice.
Extents frame_block(const Extents& extents, const std::string& letters) {
  Extents block = extents;
  for (std::size_t axis = 0; axis < block.size(); ++axis) {
    if (letters[axis] == 'n' || letters[axis] == 't') block[axis] = 1;
  }
  return block;
}

}  // namespace

View open_states(hdf5::Dataset dataset, const std::string& letters, std::size_t* cache_bytes) {
  if (!dataset.is_floating()) throw DataError("{}: holds no floating-point numbers", dataset.name());
  if (dataset.size() == 0) throw DataError("{}: is empty ({})", dataset.name(), spell(dataset.extents()));
  if (dataset.stored_bytes() == 0) throw DataError("{}: was declared but never written", dataset.name());
  const std::size_t cached = dataset.fit_cache(frame_block(dataset.extents(), letters));
  if (cache_bytes != nullptr) *cache_bytes = cached;
  return {std::make_shared<Hdf5Array>(std::move(dataset)), letters, 0, std::nullopt};
}

}  // namespace cvf::data::layouts
