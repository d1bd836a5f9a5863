// HDF5 datasets as arrays of states.
#include <utility>

#include "core/errors.hpp"
#include "data/array.hpp"
#include "data/layouts/layout.hpp"

namespace cvf::data::layouts {
namespace {

class Hdf5Array : public Array {
 public:
  explicit Hdf5Array(hdf5::Dataset dataset) : dataset_(std::move(dataset)) {
    const Extents chunk = dataset_.chunk();
    apart_ = !chunk.empty() && chunk.back() == 1 && extents().back() > 1;
  }
  std::string name() const override { return dataset_.name(); }
  const Extents& extents() const override { return dataset_.extents(); }
  std::string remark() const override { return dataset_.remark(); }
  void read(std::span<const std::size_t> start, std::span<const std::size_t> count,
            float* values) const override {
    if (!apart_ || count.back() == 1) return dataset_.read(start, count, values);
    read_apart({start.begin(), start.end()}, {count.begin(), count.end()}, values);
  }

 private:
  // Chunks of one entry along the last axis (h5py likes to cut channels so): libhdf5 would copy value by
  // value, so each entry is read as a block of its own, and they are interleaved here.
  void read_apart(Extents start, Extents count, float* values) const {
    const std::size_t entries = std::exchange(count.back(), 1);
    std::size_t size = 1;
    for (const std::size_t extent : count) size *= extent;
    thread_local std::vector<float> buffer;
    buffer.resize(size);
    for (std::size_t entry = 0; entry < entries; ++entry, ++start.back()) {
      dataset_.read(start, count, buffer.data());
      for (std::size_t i = 0; i < size; ++i) values[i * entries + entry] = buffer[i];
    }
  }

  hdf5::Dataset dataset_;
  bool apart_ = false;  // chunks hold one channel each
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
