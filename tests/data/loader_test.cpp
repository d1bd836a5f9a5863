#include "data/loader.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "core/errors.hpp"
#include "data/source.hpp"
#include "support/memory_source.hpp"

namespace cvf::data {
namespace {

using testing_support::MemorySource;

float value_at(std::size_t sample, std::size_t frame, std::size_t index) {
  return static_cast<float>(sample * 10000 + frame * 100 + index);
}

// 12 ragged samples on a 2 x 3 grid with 2 channels.
std::shared_ptr<const MemorySource> make_source() {
  return std::make_shared<MemorySource>(std::vector<std::size_t>{9, 7, 9, 9, 5, 9, 9, 9, 3, 9, 9, 11}, 2, 3,
                                        std::vector<std::string>{"u", "v"}, value_at);
}

std::vector<std::size_t> all_samples() {
  return {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
}

LoaderOptions small_batches() {
  LoaderOptions options;
  options.batch = 4;
  options.window = 3;
  return options;
}

std::vector<RowId> ids_of_epoch(Loader& loader) {
  std::vector<RowId> ids;
  for (std::size_t i = 0; i < loader.batches_per_epoch(); ++i) {
    auto batch = loader.next();
    ids.insert(ids.end(), batch->ids.begin(), batch->ids.end());
    loader.recycle(std::move(batch));
  }
  return ids;
}

TEST(Loader, EveryRowHoldsItsFramesAsChannelPlanesWithTrueTimes) {
  const auto source = make_source();
  Loader loader(source, all_samples(), {Downsampling::even, 2}, small_batches(), 1);
  for (std::size_t i = 0; i < 2 * loader.batches_per_epoch(); ++i) {
    const auto batch = loader.next();
    for (std::size_t row = 0; row < batch->rows; ++row) {
      const RowId id = batch->ids[row];
      for (std::size_t f = 0; f < 2; ++f) {
        const std::size_t frame = 2 * (id.first + f);
        EXPECT_EQ(batch->time(f, row), source->time(id.sample, frame));
        for (std::size_t c = 0; c < 2; ++c) {
          for (std::size_t cell = 0; cell < 6; ++cell) {
            EXPECT_EQ(batch->frame(f)[row * 12 + c * 6 + cell], value_at(id.sample, frame, cell * 2 + c));
          }
        }
      }
      EXPECT_DOUBLE_EQ(batch->dt(row),
                       source->time(id.sample, 2 * id.first + 2) - source->time(id.sample, 2 * id.first));
    }
  }
}

TEST(Loader, AnEpochVisitsEveryPairOnceButTheLastPartialBatch) {
  Loader loader(make_source(), all_samples(), {}, small_batches(), 1);
  const std::size_t pairs = 8 * 8 + 6 + 4 + 2 + 10;  // frames - 1 of each sample
  EXPECT_EQ(loader.rows_per_epoch(), pairs);
  const auto ids = ids_of_epoch(loader);
  std::set<std::pair<std::size_t, std::size_t>> distinct;
  for (const auto& id : ids) distinct.emplace(id.sample, id.first);
  EXPECT_EQ(distinct.size(), ids.size());
  EXPECT_EQ(ids.size(), pairs / 4 * 4);
  EXPECT_NE(ids_of_epoch(loader), ids) << "the second epoch must be shuffled anew";
}

TEST(Loader, StreamingGivesTheSameOrderAsMemory) {
  // 40 samples of 96 kB in windows of 3, far above a cap of 1 MB.
  const auto source = std::make_shared<MemorySource>(std::vector<std::size_t>(40, 12), 32, 32,
                                                     std::vector<std::string>{"u", "v"}, value_at);
  std::vector<std::size_t> samples(40);
  std::iota(samples.begin(), samples.end(), std::size_t{0});
  LoaderOptions options = small_batches();
  Loader memory(source, samples, {}, options, 9);
  options.memory_mb = 1;
  Loader streaming(source, samples, {}, options, 9);
  EXPECT_TRUE(memory.in_memory());
  EXPECT_FALSE(streaming.in_memory());
  for (std::size_t i = 0; i < 2 * memory.batches_per_epoch() + 3; ++i) {
    const auto a = memory.next(), b = streaming.next();
    ASSERT_EQ(a->ids, b->ids);
    ASSERT_EQ(a->values, b->values);
    ASSERT_EQ(a->times, b->times);
  }
}

TEST(Loader, ACursorRestoresTheOrderInTheMiddleOfAnEpoch) {
  Loader straight(make_source(), all_samples(), {}, small_batches(), 3);
  std::vector<std::vector<RowId>> expected;
  for (int i = 0; i < 60; ++i) expected.push_back(straight.next()->ids);

  Loader resumed(make_source(), all_samples(), {}, small_batches(), 3);
  for (int i = 0; i < 31; ++i) resumed.next();
  const Cursor cursor = resumed.cursor();
  Loader fresh(make_source(), all_samples(), {}, small_batches(), 3);
  fresh.seek(cursor);
  for (std::size_t i = 31; i < 60; ++i) EXPECT_EQ(fresh.next()->ids, expected[i]) << i;
  fresh.seek({0, 2});
  EXPECT_EQ(fresh.next()->ids, expected[2]);
}

TEST(Loader, RanksTogetherMakeTheBatchOfOneRank) {
  Loader whole(make_source(), all_samples(), {}, small_batches(), 3);
  Loader first(make_source(), all_samples(), {}, small_batches(), 3, {0, 2});
  Loader second(make_source(), all_samples(), {}, small_batches(), 3, {1, 2});
  for (int i = 0; i < 50; ++i) {
    auto ids = first.next()->ids;
    const auto rest = second.next()->ids;
    ids.insert(ids.end(), rest.begin(), rest.end());
    EXPECT_EQ(ids, whole.next()->ids);
  }
}

TEST(Loader, StridesAndFurtherFramesStayInsideTheTrajectory) {
  LoaderOptions options = small_batches();
  options.strides = {1, 2, 4};
  options.frames_per_row = 3;
  Loader loader(make_source(), all_samples(), {}, options, 3);
  std::set<std::size_t> strides;
  for (std::size_t i = 0; i < 3 * loader.batches_per_epoch(); ++i) {
    const auto batch = loader.next();
    for (std::size_t row = 0; row < batch->rows; ++row) {
      const RowId id = batch->ids[row];
      strides.insert(id.stride);
      EXPECT_EQ(batch->frame(2)[row * 12], value_at(id.sample, id.first + 2 * id.stride, 0));
    }
  }
  EXPECT_EQ(strides, (std::set<std::size_t>{1, 2, 4}));
}

TEST(Loader, WindowsSmallerThanABatchWork) {
  LoaderOptions options = small_batches();
  options.window = 1;
  options.batch = 32;
  Loader loader(make_source(), all_samples(), {}, options, 3);
  EXPECT_EQ(ids_of_epoch(loader).size(), 64U);
}

TEST(Loader, ANonFiniteValueStopsWithItsPlace) {
  const auto source =
      std::make_shared<MemorySource>(std::vector<std::size_t>(4, 5), 2, 2, std::vector<std::string>{"u"},
                                     [](std::size_t sample, std::size_t frame, std::size_t) {
                                       return sample == 2 && frame == 3 ? NAN : 1.0F;
                                     });
  Loader loader(source, {0, 1, 2, 3}, {}, small_batches(), 1);
  try {
    for (int i = 0; i < 10; ++i) loader.next();
    FAIL() << "no error";
  } catch (const DataError& error) {
    const std::string sentence = error.what();
    EXPECT_NE(sentence.find("sample 2"), std::string::npos) << sentence;
    EXPECT_NE(sentence.find("frame 3"), std::string::npos) << sentence;
  }
}

TEST(Loader, ImpossibleWishesAreConfigErrors) {
  LoaderOptions options = small_batches();
  options.batch = 1000;
  EXPECT_THROW(Loader(make_source(), all_samples(), {}, options, 1), ConfigError);
  options.batch = 5;
  EXPECT_THROW(Loader(make_source(), all_samples(), {}, options, 1, {0, 2}), ConfigError);
  const auto large = std::make_shared<MemorySource>(std::vector<std::size_t>(10, 50), 64, 64,
                                                    std::vector<std::string>{"u"}, value_at);
  options = small_batches();
  options.memory_mb = 1;
  EXPECT_THROW(Loader(large, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, {}, options, 1), ConfigError);
}

TEST(Derived, ChannelsAreChosenByName) {
  const auto source = with_channels(make_source(), {"v"});
  std::vector<float> out(6);
  source->read(3, 4, 1, out);
  for (std::size_t cell = 0; cell < 6; ++cell) EXPECT_EQ(out[cell], value_at(3, 4, 2 * cell + 1));
  EXPECT_THROW(with_channels(make_source(), {"w"}), DataError);
}

TEST(Derived, AveragingTakesBlockMeans) {
  const auto fine = std::make_shared<MemorySource>(std::vector<std::size_t>{3}, 4, 6,
                                                   std::vector<std::string>{"u", "v"}, value_at);
  const auto coarse = averaged(fine, 2);
  EXPECT_EQ(coarse->description().state.size_along("y"), 2U);
  EXPECT_EQ(coarse->description().state.size_along("x"), 3U);
  EXPECT_EQ(coarse->description().state.coordinates("x"), (std::vector<double>{0.5, 2.5, 4.5}));
  std::vector<float> out(2 * 12);
  coarse->read(0, 1, 2, out);
  // Block (row 1, column 2), channel 1 of frame 2: fine rows 2,3 and columns 4,5.
  const auto cell = [](std::size_t y, std::size_t x) { return value_at(0, 2, (y * 6 + x) * 2 + 1); };
  EXPECT_FLOAT_EQ(out[12 + (1 * 3 + 2) * 2 + 1], (cell(2, 4) + cell(2, 5) + cell(3, 4) + cell(3, 5)) / 4);
  EXPECT_THROW(averaged(fine, 4), DataError);
}

}  // namespace
}  // namespace cvf::data
