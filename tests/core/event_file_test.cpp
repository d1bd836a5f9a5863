// Event files read back by a decoder of their own, and checksums against published values.
#include "core/event_file.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <chrono>
#include <cmath>
#include <csignal>
#include <cstring>
#include <map>
#include <numeric>

#include "core/files.hpp"
#include "core/hash.hpp"
#include "support/scratch.hpp"

namespace cvf {
namespace {

using testing_support::Scratch;
using testing_support::sentence_of;
using Scalars = std::vector<std::pair<std::string, double>>;

TEST(Crc32c, HasThePublishedValues) {  // RFC 3720, appendix B.4, and the customary check word
  std::string up(32, '\0'), down(32, '\0');
  std::iota(up.begin(), up.end(), '\0');
  std::reverse_copy(up.begin(), up.end(), down.begin());
  EXPECT_EQ(crc32c(""), 0u);
  EXPECT_EQ(crc32c("123456789"), 0xE3069283u);
  EXPECT_EQ(crc32c(std::string(32, '\0')), 0x8A9136AAu);
  EXPECT_EQ(crc32c(std::string(32, '\xFF')), 0x62A8AB43u);
  EXPECT_EQ(crc32c(up), 0x46DD794Eu);
  EXPECT_EQ(crc32c(down), 0x113FDB5Cu);
}

// A reader that shares no code with the writer: bit by bit checksums, general protocol-buffer fields.
class Bytes {
 public:
  explicit Bytes(std::string_view bytes) : bytes_(bytes) {}
  bool empty() const { return bytes_.empty(); }
  std::size_t left() const { return bytes_.size(); }

  std::string_view take(std::size_t count) {
    if (count > bytes_.size()) throw std::runtime_error("torn");
    const auto out = bytes_.substr(0, count);
    bytes_.remove_prefix(count);
    return out;
  }
  template <class Number>
  Number fixed() {
    Number out;
    std::memcpy(&out, take(sizeof out).data(), sizeof out);  // this machine is little-endian, as the file
    return out;
  }
  std::uint64_t varint() {
    std::uint64_t out = 0;
    for (int shift = 0;; shift += 7) {
      const auto byte = static_cast<unsigned char>(take(1)[0]);
      out |= std::uint64_t{byte & 0x7FU} << shift;
      if (byte < 0x80) return out;
    }
  }

 private:
  std::string_view bytes_;
};

std::uint32_t slow_masked_crc(std::string_view bytes) {
  std::uint32_t crc = 0xFFFFFFFF;
  for (const unsigned char byte : bytes) {
    for (int bit = 0; bit < 8; ++bit) {
      const bool differ = ((crc ^ (byte >> bit)) & 1) != 0;
      crc = (crc >> 1) ^ (differ ? 0x82F63B78U : 0U);
    }
  }
  crc = ~crc;
  return ((crc >> 15) | (crc << 17)) + 0xA282EAD8U;
}

struct Field {
  std::string_view content;  // counted fields
  std::uint64_t number = 0;  // the others, as bits
};

std::multimap<int, Field> fields(std::string_view message) {
  std::multimap<int, Field> out;
  for (Bytes in(message); !in.empty();) {
    const auto key = in.varint();
    Field field;
    switch (key & 7) {
      case 0:
        field.number = in.varint();
        break;
      case 1:
        field.number = in.fixed<std::uint64_t>();
        break;
      case 2:
        field.content = in.take(in.varint());
        break;
      case 5:
        field.number = in.fixed<std::uint32_t>();
        break;
      default:
        throw std::runtime_error("unknown form");
    }
    out.emplace(static_cast<int>(key >> 3), field);
  }
  return out;
}

struct Event {
  double time = 0;
  std::int64_t step = 0;
  std::string version;
  bool starts = false;
  std::map<std::string, float> scalars;
};

Event decode(std::string_view message) {
  Event out;
  for (const auto& [number, field] : fields(message)) {
    if (number == 1) std::memcpy(&out.time, &field.number, sizeof out.time);
    if (number == 2) out.step = static_cast<std::int64_t>(field.number);
    if (number == 3) out.version = field.content;
    if (number == 7) out.starts = fields(field.content).find(1)->second.number == 1;
    if (number != 5) continue;
    for (const auto& [one, value] : fields(field.content)) {
      const auto parts = fields(value.content);
      const auto bits = static_cast<std::uint32_t>(parts.find(2)->second.number);
      std::memcpy(&out.scalars[std::string(parts.find(1)->second.content)], &bits, sizeof bits);
    }
  }
  return out;
}

std::vector<Event> read(const std::string& bytes) {
  std::vector<Event> out;
  for (Bytes in(bytes); in.left() >= 12;) {
    const auto length_bytes = in.take(8);
    std::uint64_t length = 0;
    std::memcpy(&length, length_bytes.data(), sizeof length);
    EXPECT_EQ(in.fixed<std::uint32_t>(), slow_masked_crc(length_bytes));
    if (in.left() < length + 4) break;  // a torn last record
    const auto content = in.take(length);
    EXPECT_EQ(in.fixed<std::uint32_t>(), slow_masked_crc(content));
    out.push_back(decode(content));
  }
  return out;
}

double now() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

TEST(EventFile, HoldsTheVersionAndThenTheScalars) {
  const Scratch scratch;
  EventFile file(scratch.path("run/events"));
  const double before = now();
  file.add(1, Scalars{{"loss", 0.5}, {"loss/rupture", 1e-3}});
  file.add(1, Scalars{{"gradient norm", 2}});
  file.add(3'000'000'000, Scalars{{"loss", NAN}});
  const auto events = read(files::read_whole(file.path()));
  ASSERT_EQ(events.size(), 4u);
  EXPECT_EQ(events[0].version, "brain.Event:2");
  EXPECT_FALSE(events[0].starts);
  EXPECT_EQ(events[1].step, 1);
  EXPECT_EQ(events[1].scalars, (std::map<std::string, float>{{"loss", 0.5F}, {"loss/rupture", 1e-3F}}));
  EXPECT_EQ(events[2].scalars.at("gradient norm"), 2);
  EXPECT_EQ(events[3].step, 3'000'000'000);
  EXPECT_TRUE(std::isnan(events[3].scalars.at("loss")));
  EXPECT_GE(events[3].time, before);
  EXPECT_LE(events[3].time, now());
  EXPECT_NE(file.path().find("events.out.tfevents."), std::string::npos);
}

TEST(EventFile, OfAContinuedRunIsANewOneThatSaysWhereItStarts) {
  const Scratch scratch;
  EventFile first(scratch.path("events"));
  first.add(10, Scalars{{"loss", 1}});
  const std::string before = files::read_whole(first.path());
  EventFile second(scratch.path("events"), 6);
  second.add(6, Scalars{{"loss", 2}});
  EXPECT_LT(first.path(), second.path()) << "TensorBoard reads in the order of names";
  EXPECT_EQ(files::read_whole(first.path()), before);
  const auto events = read(files::read_whole(second.path()));
  ASSERT_EQ(events.size(), 3u);
  EXPECT_TRUE(events[1].starts);
  EXPECT_EQ(events[1].step, 6);
  EXPECT_EQ(events[2].scalars.at("loss"), 2);
}

TEST(EventFile, RefusesStepsThatGoBack) {
  const Scratch scratch;
  EventFile file(scratch.path("events"));
  file.add(5, Scalars{{"loss", 1}});
  const auto sentence = sentence_of<UsageError>([&] { file.add(4, Scalars{{"loss", 1}}); });
  EXPECT_NE(sentence.find("step 4 comes after step 5"), std::string::npos) << sentence;
}

TEST(EventFile, StaysWholeWhenTheDiskIsFull) {
  const Scratch scratch;
  EventFile file(scratch.path("events"));
  file.add(1, Scalars{{"loss", 1}});
  const std::string before = files::read_whole(file.path());
  std::signal(SIGXFSZ, SIG_IGN);
  rlimit old = {};
  getrlimit(RLIMIT_FSIZE, &old);
  const rlimit tight{before.size() + 10, old.rlim_max};
  setrlimit(RLIMIT_FSIZE, &tight);
  const auto sentence = sentence_of([&] { file.add(2, Scalars{{"loss", 1}}); });
  setrlimit(RLIMIT_FSIZE, &old);
  EXPECT_NE(sentence.find("cannot be written"), std::string::npos) << sentence;
  EXPECT_EQ(files::read_whole(file.path()), before);
  file.add(3, Scalars{{"loss", 4}});
  EXPECT_EQ(read(files::read_whole(file.path())).size(), 3u);
}

TEST(EventFile, InAPlaceThatCannotBeWrittenNamesTheFile) {
  EXPECT_NE(sentence_of([] { EventFile file("/proc/nowhere"); }).find("/proc/nowhere/events.out"),
            std::string::npos);
}

}  // namespace
}  // namespace cvf
