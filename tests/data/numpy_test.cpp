// NPY and NPZ: every number type, both byte orders, both axis orders, stored and deflated, and broken ones.
#include <sys/stat.h>

#include <cmath>

#include "core/errors.hpp"
#include "core/interrupt.hpp"
#include "support/scratch.hpp"
#include "support/tiny_files.hpp"

namespace cvf::data {
namespace {

using testing_support::counting;
using testing_support::Frames;
using testing_support::npy;
using testing_support::raw;
using testing_support::Scratch;
using testing_support::sentence_of;
using testing_support::write_file;
using testing_support::zip;

std::unique_ptr<Source> open_bytes(const Scratch& scratch, const std::string& bytes,
                                   const OpenOptions& options) {
  write_file(scratch.path("a.npy"), bytes);
  return open(scratch.path("a.npy"), options);
}

std::vector<float> up_to(std::size_t count) {
  std::vector<float> values(count);
  std::iota(values.begin(), values.end(), 0.0F);
  return values;
}

TEST(Npy, ReadsEveryNumberTypeInBothByteOrders) {
  const Scratch scratch;
  const OpenOptions options{.axes = "t,y,x,c"};
  const auto values = [&](const std::string& type, const std::string& bytes) {
    return Frames(*open_bytes(scratch, npy(type, "(2, 3, 2, 1)", bytes), options), 0).values();
  };
  for (const bool swapped : {false, true}) {
    const std::string order = swapped ? ">" : "<";
    EXPECT_EQ(values(order + "f4", counting<float>(12, swapped)), up_to(12));
    EXPECT_EQ(values(order + "f8", counting<double>(12, swapped)), up_to(12));
    EXPECT_EQ(values(order + "i4", counting<std::int32_t>(12, swapped)), up_to(12));
    EXPECT_EQ(values(order + "i8", counting<std::int64_t>(12, swapped)), up_to(12));
    EXPECT_EQ(values(order + "u2", counting<std::uint16_t>(12, swapped)), up_to(12));
  }
  EXPECT_EQ(values("|u1", counting<std::uint8_t>(12)), up_to(12));
  EXPECT_EQ(values("|i1", counting<std::int8_t>(12)), up_to(12));
}

TEST(Npy, ReadsHalfPrecision) {
  const Scratch scratch;
  // 1, -2, the largest half, the least subnormal, infinity, 0.333251953125
  const auto bytes = raw<std::uint16_t>({0x3c00, 0xc000, 0x7bff, 0x0001, 0x7c00, 0x3555});
  const auto source = open_bytes(scratch, npy("<f2", "(6, 1)", bytes), {.axes = "t,c"});
  EXPECT_EQ(Frames(*source, 0).values(),
            (std::vector<float>{1, -2, 65504, 5.9604644775390625e-8F, INFINITY, 0.333251953125F}));
}

TEST(Npy, ReadsFortranOrderAsTheSameArray) {
  const Scratch scratch;
  const auto source =
      open_bytes(scratch, npy("<f8", "(2, 3, 4)", counting<double>(24), true), {.axes = "n,t,x"});
  EXPECT_EQ(source->description().axes, "n,t,x");
  const Frames frames(*source, 1);
  for (std::size_t t = 0; t < 3; ++t) {
    for (std::size_t x = 0; x < 4; ++x)
      EXPECT_EQ(frames.at(t, 0, x, 0), static_cast<float>(1 + 2 * (t + 3 * x)));
  }
}

TEST(Npy, ReadsBlocksWithGapsLargerThanItsBuffer) {
  const Scratch scratch;
  // 600 x 2 x 2000 doubles, time last: one frame spans the whole 19 MB.
  const auto source =
      open_bytes(scratch, npy("<f8", "(600, 2, 2000)", counting<double>(2400000)), {.axes = "x,c,t"});
  const Frames frames(*source, 0, 1998, 2);
  EXPECT_EQ(frames.at(1, 0, 599, 1), 2399999.0F);
  EXPECT_EQ(frames.at(0, 0, 17, 0), static_cast<float>(17 * 4000 + 1998));
}

TEST(Npy, ReadsALongLineOfDoubles) {
  const Scratch scratch;
  const auto source =
      open_bytes(scratch, npy("<f8", "(1, 1500000)", counting<double>(1500000)), {.axes = "t,x"});
  const Frames frames(*source, 0);
  EXPECT_EQ(frames.values(), up_to(1500000));
}

TEST(Npy, AsksForAxesAndSuggestsThem) {
  const Scratch scratch;
  const auto sentence =
      sentence_of([&] { open_bytes(scratch, npy("<f4", "(1, 2, 2, 2, 1)", counting<float>(8)), {}); });
  EXPECT_NE(sentence.find("a.npy: 1 x 2 x 2 x 2 x 1 values"), std::string::npos) << sentence;
  EXPECT_NE(sentence.find("give --axes, e.g. n,t,y,x,c"), std::string::npos) << sentence;
}

TEST(Npy, ReadsVersionTwo) {
  const Scratch scratch;
  const std::string dictionary = "{\"shape\": (2L, 1L), 'fortran_order': False, 'descr': '<f4'}";
  const auto bytes = std::string("\x93NUMPY\x02\x00", 8) + testing_support::little(dictionary.size(), 4) +
                     dictionary + counting<float>(2);
  EXPECT_EQ(Frames(*open_bytes(scratch, bytes, {.axes = "t,c"}), 0).values(), up_to(2));
}

TEST(Npy, RefusesBrokenHeadersByName) {
  const Scratch scratch;
  const auto attempt = [&](const std::string& bytes) {
    const auto sentence = sentence_of([&] { open_bytes(scratch, bytes, {.axes = "t,c"}); });
    EXPECT_NE(sentence.find("a.npy: "), std::string::npos) << sentence;
    return sentence;
  };
  EXPECT_NE(attempt(npy("<f4", "(2, 3)", counting<float>(5))).find("cut short"), std::string::npos);
  EXPECT_NE(attempt(npy("<c8", "(2, 3)", counting<float>(12))).find("type '<c8'"), std::string::npos);
  EXPECT_NE(attempt(npy("|O", "(2, 3)", "")).find("type '|O'"), std::string::npos);
  EXPECT_NE(attempt(npy("<f4", "(-2, 3)", "")).find("no number"), std::string::npos);
  EXPECT_NE(attempt(npy("<f4", "(4294967296, 4294967296, 4)", "")).find("more than any machine"),
            std::string::npos);
  EXPECT_NE(attempt(npy("<f4", "(0, 4)", "")).find("is empty"), std::string::npos);
  EXPECT_NE(attempt(npy("<f4", "(2, 3) + exit()", "")).find("lacks a '}'"), std::string::npos);
  EXPECT_NE(attempt(npy("<f4", "(2, 3)", "").substr(0, 40)).find("cut short"), std::string::npos);
  EXPECT_NE(attempt(std::string("\x93NUMPY\x09\x00\x00\x00", 10)).find("version 9"), std::string::npos);
}

TEST(Npz, ReadsStoredAndDeflatedMembersWithTheirCoordinates) {
  const Scratch scratch;
  for (const bool packed : {false, true}) {
    for (const bool wide : {false, true}) {
      const auto bytes = zip({{"u.npy", npy("<f4", "(2, 3, 4)", counting<float>(24))},
                              {"t.npy", npy("<f8", "(3,)", raw<double>({0, 0.5, 2}))},
                              {"x.npy", npy("<i8", "(4,)", counting<std::int64_t>(4))}},
                             packed, wide);
      const auto source = open_bytes(scratch, bytes, {.axes = "n,t,x"});
      EXPECT_EQ(source->times(1), (std::vector<double>{0, 0.5, 2}));
      EXPECT_EQ(source->description().state.coordinates("x"), (std::vector<double>{0, 1, 2, 3}));
      EXPECT_EQ(source->description().channels(), std::vector<std::string>{"u"});
      EXPECT_EQ(Frames(*source, 1).at(2, 0, 3, 0), 23.0F);
    }
  }
}

TEST(Npz, TakesMembersWithOneNumberForEachSampleAsItsParameters) {
  const Scratch scratch;
  const auto bytes = zip({{"u.npy", npy("<f4", "(2, 3, 4)", counting<float>(24))},
                          {"nu.npy", npy("<f8", "(2,)", raw<double>({0.5, 0.25}))},
                          {"x.npy", npy("<f8", "(4,)", counting<double>(4))},
                          {"weights.npy", npy("<f8", "(3,)", counting<double>(3))}},
                         false);
  const auto source = open_bytes(scratch, bytes, {.axes = "n,t,x"});
  EXPECT_EQ(source->description().state.names(Role::parameter), std::vector<std::string>{"nu"});
  EXPECT_EQ(parameters_of(*source, 1), std::vector<double>{0.25});
}

TEST(Npz, ReadsTimesOfEachSample) {
  const Scratch scratch;
  const auto bytes = zip({{"u.npy", npy("<f4", "(2, 2, 1)", counting<float>(4))},
                          {"time.npy", npy("<f8", "(2, 2)", raw<double>({0, 1, 0, 3}))}},
                         true);
  EXPECT_EQ(open_bytes(scratch, bytes, {.axes = "n,t,c"})->times(1), (std::vector<double>{0, 3}));
}

TEST(Npz, ListsCandidatesAndTakesTheNamedOne) {
  const Scratch scratch;
  const auto bytes = zip({{"u.npy", npy("<f4", "(2, 3)", counting<float>(6))},
                          {"v.npy", npy("<f4", "(3, 3)", counting<float>(9))}},
                         false);
  const auto sentence = sentence_of([&] { open_bytes(scratch, bytes, {.axes = "t,c"}); });
  EXPECT_NE(sentence.find("Candidates: u (2 x 3), v (3 x 3)"), std::string::npos) << sentence;
  EXPECT_EQ(open_bytes(scratch, bytes, {.dataset = "v", .axes = "t,c"})->description().frames[0], 3u);
  const auto typo = sentence_of([&] { open_bytes(scratch, bytes, {.dataset = "w", .axes = "t,c"}); });
  EXPECT_NE(typo.find("a.npy: has no array 'w'"), std::string::npos) << typo;
}

TEST(Npz, RefusesDamageByName) {
  const Scratch scratch;
  const auto attempt = [&](const std::string& bytes) {
    return sentence_of([&] { open_bytes(scratch, bytes, {.axes = "t,c"}); });
  };
  const auto good = zip({{"u.npy", npy("<f4", "(2, 3)", counting<float>(6))}}, true);
  EXPECT_NE(attempt(good.substr(0, good.size() - 10)).find("cut short"), std::string::npos);
  auto flipped = good;
  flipped[60] = static_cast<char>(flipped[60] ^ 0x55);
  EXPECT_NE(attempt(flipped).find("a.npy: 'u.npy': is damaged"), std::string::npos) << attempt(flipped);
  auto bomb = good;
  const std::size_t entry = bomb.find("PK\x01\x02");
  bomb.replace(entry + 24, 4, testing_support::little(0x7fffffff, 4));
  EXPECT_NE(attempt(bomb).find("a.npy: 'u.npy': unpacks from"), std::string::npos) << attempt(bomb);
  EXPECT_NE(attempt(zip({{"a/data.pkl", "x"}}, false)).find("PyTorch"), std::string::npos);
  EXPECT_NE(attempt(zip({{"readme", "x"}}, false)).find("without NPY arrays"), std::string::npos);
}

// The bytes of an archive with one bit of the first content that begins with `mark` changed, `behind` bytes
// later.
std::string flipped_behind(std::string archive, const std::string& mark, std::size_t behind) {
  const std::size_t place = archive.find(mark) + behind;
  archive[place] = static_cast<char>(archive[place] ^ 1);
  return archive;
}

constexpr std::size_t many = 40000;  // values of a member too large to be checked when it is opened

TEST(Npz, ADamagedStoredMemberIsRefusedByFileAndNameWhenItIsRead) {
  const Scratch scratch;
  for (const bool wide : {false, true}) {
    const auto whole = zip({{"u.npy", npy("<f4", "(2, 20000)", counting<float>(many))},
                            {"v.npy", npy("<f4", "(2, 20000)", counting<float>(many))}},
                           false, wide);
    const auto damaged = flipped_behind(whole, "v.npy", 128 + 8000);
    const auto intact = open_bytes(scratch, damaged, {.dataset = "u", .axes = "t,x"});
    EXPECT_EQ(Frames(*intact, 0).values(), up_to(many));
    const auto source = open_bytes(scratch, damaged, {.dataset = "v", .axes = "t,x"});
    for (const std::size_t frame : {1U, 0U}) {  // one frame is far from the damage, and is refused as well
      const auto sentence = sentence_of([&] { Frames(*source, 0, frame, 1); });
      EXPECT_NE(sentence.find("a.npy: 'v.npy': is damaged: its content does not match its checksum"),
                std::string::npos)
          << sentence;
    }
  }
}

TEST(Npz, ADamagedShapeOfASmallMemberIsRefusedWhenTheFileIsOpened) {
  const Scratch scratch;
  const auto whole = zip({{"u.npy", npy("<f4", "(3, 2, 1)", counting<float>(6))},
                          {"nu.npy", npy("<f8", "(3,)", counting<double>(3))}},
                         false);
  ASSERT_EQ(open_bytes(scratch, whole, {.axes = "n,t,c"})->description().state.names(Role::parameter),
            std::vector<std::string>{"nu"});
  const auto damaged = flipped_behind(whole, "'shape': (3,)", 10);  // two values: of no sample
  const auto sentence = sentence_of([&] { open_bytes(scratch, damaged, {.axes = "n,t,c"}); });
  EXPECT_NE(sentence.find("a.npy: 'nu.npy': is damaged"), std::string::npos) << sentence;
}

TEST(Npz, ALargeMemberIsCheckedPieceByPieceAndASignalEndsIt) {
  const Scratch scratch;
  constexpr std::size_t values = 2400000;  // 9.6 MB: three pieces
  for (const bool packed : {false, true}) {
    const auto whole = zip({{"u.npy", npy("<f4", "(2, 1200000)", counting<float>(values))}}, packed);
    const auto source = open_bytes(scratch, whole, {.axes = "t,x"});
    interrupt::request_after(2);
    EXPECT_THROW(Frames(*source, 0, 1, 1), Interrupted);
    interrupt::clear();
    EXPECT_EQ(Frames(*source, 0, 1, 1).values().back(), static_cast<float>(values - 1));
  }
}

TEST(Npy, PipesAndDevicesAreRefusedAsDataFiles) {
  const Scratch scratch;
  ASSERT_EQ(mkfifo(scratch.path("pipe").c_str(), 0600), 0);
  EXPECT_NE(sentence_of([&] { open(scratch.path("pipe")); }).find("pipe: is a pipe, and a regular file"),
            std::string::npos);
  EXPECT_NE(sentence_of([&] { open("/dev/zero"); }).find("/dev/zero: is a device, and a regular file"),
            std::string::npos);
}

TEST(Npz, TwoMembersOfOneNameAreRefused) {
  const Scratch scratch;
  const auto bytes = zip({{"u.npy", npy("<f4", "(2, 3)", counting<float>(6))},
                          {"u.npy", npy("<f4", "(3, 3)", counting<float>(9))}},
                         false);
  const auto sentence = sentence_of([&] { open_bytes(scratch, bytes, {.axes = "t,c"}); });
  EXPECT_NE(sentence.find("a.npy: has two members called 'u'"), std::string::npos) << sentence;
}

TEST(Npy, DoublesBeyondFloat32AreRefusedByEntry) {
  const Scratch scratch;
  for (const bool fortran : {false, true}) {
    std::vector<double> values(24, 1);
    values[3] = -INFINITY;                               // stays what it is
    values[fortran ? 1 + 2 * (2 + 3 * 3) : 23] = 1e300;  // of sample 1, time 2, place 3
    const auto source = open_bytes(scratch, npy("<f8", "(2, 3, 4)", raw(values), fortran), {.axes = "n,t,x"});
    EXPECT_EQ(Frames(*source, 0).values().size(), 12U);
    const auto sentence = sentence_of([&] { Frames(*source, 1, 1, 2); });
    EXPECT_NE(sentence.find("a.npy: entry [1, 2, 3] is 1e+300, beyond the range of float32; rescale"),
              std::string::npos)
        << sentence;
  }
}

TEST(Npz, ADeflatedMemberThatUnpacksToMoreThanNumbersDoIsRefusedFromItsHeader) {
  const Scratch scratch;
  const auto good = zip({{"u.npy", npy("<f4", "(2, 100000)", std::string(800000, 0))}}, true);
  const std::size_t entry = good.find("PK\x01\x02");
  const auto declaring = [&](std::size_t packed, std::size_t size) {
    auto bytes = good;
    bytes.replace(entry + 20, 8, testing_support::little(packed, 4) + testing_support::little(size, 4));
    return sentence_of([&] { open_bytes(scratch, bytes, {.axes = "t,x"}); });
  };
  const auto bomb = declaring(3'600'000, 3'600'000'000);
  EXPECT_NE(bomb.find("a.npy: 'u.npy': unpacks from 3.6 MB to 3.6 GB, which is too much"), std::string::npos)
      << bomb;
  const auto numbers =
      declaring(900'000'000, 3'600'000'000);  // refused for another reason: the file is small
  EXPECT_NE(numbers.find("cut short"), std::string::npos) << numbers;
}

TEST(Npz, EveryMemberOfAnArchiveOfManyIsReadOnceAndASignalEndsIt) {
  const Scratch scratch;
  constexpr int many_members = 1000;
  std::vector<std::pair<std::string, std::string>> members{
      {"u.npy", npy("<f4", "(2, 3, 1)", counting<float>(6))}};
  for (int i = 0; i < many_members; ++i)
    members.emplace_back(fmt::format("p{}.npy", i), npy("<f8", "(2,)", raw<double>({i + 0.25, i + 0.5})));
  const auto bytes = zip(members, false);
  interrupt::request_after(many_members + 20);  // a header is read between two checks for a signal
  const auto source = open_bytes(scratch, bytes, {.dataset = "u", .axes = "n,t,c"});
  interrupt::clear();
  EXPECT_EQ(source->description().state.count(Role::parameter), 1U * many_members);
  EXPECT_EQ(source->scalars(1).at("p999"), 999.5);
  members.assign(25, {});
  for (int i = 0; i < 25; ++i)
    members[static_cast<std::size_t>(i)] = {fmt::format("u{}.npy", i), npy("<f4", "(1, 1)", raw<float>({1}))};
  const auto several = sentence_of([&] { open_bytes(scratch, zip(members, false), {.axes = "t,c"}); });
  EXPECT_TRUE(several.ends_with("u18 (1 x 1), u19 (1 x 1) and 5 more")) << several;
  interrupt::request_after(many_members / 2);
  EXPECT_THROW(open_bytes(scratch, bytes, {.dataset = "u", .axes = "n,t,c"}), Interrupted);
  interrupt::clear();
}

TEST(Npz, HeadersAreReadWithoutUnpackingTheValues) {
  const Scratch scratch;
  const auto whole = zip({{"u.npy", npy("<f4", "(2, 1200000)", counting<float>(2400000))}}, true);
  interrupt::request_after(2);  // one check for each header, and one for each further piece that is unpacked
  EXPECT_EQ(open_bytes(scratch, whole, {.axes = "t,x"})->description().state.size_along("x"), 1200000U);
  interrupt::clear();
}

}  // namespace
TEST(Npz, DescribesItselfByTexts) {
  const Scratch scratch;
  const auto text = [](const std::u32string& value) {
    const std::string bytes(reinterpret_cast<const char*>(value.data()), value.size() * sizeof(char32_t));
    return bytes;
  };
  const auto with = [&](const std::string& axes_member) {
    return zip({{"u.npy", npy("<f4", "(2, 3)", counting<float>(6))},
                {"axes.npy", axes_member},
                {"channels.npy", npy("<U2", "(3,)", text({U'a', 0, U'b', U'c', 0x3c1, 0}))}},
               false);
  };
  const auto source = open_bytes(scratch, with(npy("<U3", "()", text(U"t,c"))), {});
  EXPECT_EQ(source->description().channels(), (std::vector<std::string>{"a", "bc", "\xcf\x81"}));
  EXPECT_EQ(source->description().frames[0], 2U);
  const auto numbers = sentence_of([&] { open_bytes(scratch, with(npy("<f4", "()", raw<float>({1}))), {}); });
  EXPECT_NE(numbers.find("nothing says what the axes mean"), std::string::npos) << numbers;
  const auto beyond =
      sentence_of([&] { open_bytes(scratch, with(npy("<U1", "()", raw<std::uint32_t>({0x110000}))), {}); });
  EXPECT_NE(beyond.find("'axes': holds 1114112, which is no character"), std::string::npos) << beyond;
  const auto states = sentence_of([&] {
    open_bytes(scratch, npy("<U1", "(1, 2)", raw<std::uint32_t>({65, 66})), {.axes = "t,c"});
  });
  EXPECT_NE(states.find("holds text, not numbers"), std::string::npos) << states;
}

TEST(Npz, TakesChannelNamesInBytesOrAsOneTextAndRefusesAnotherNumberOfThem) {
  const Scratch scratch;
  const auto with = [&](const std::string& channels) {
    return zip({{"u.npy", npy("<f4", "(2, 3)", counting<float>(6))}, {"channels.npy", channels}}, false);
  };
  const auto channels_of = [&](const std::string& member) {
    return open_bytes(scratch, with(member), {.axes = "t,c"})->description().channels();
  };
  const std::vector<std::string> names{"a", "bc", "d"};
  EXPECT_EQ(channels_of(npy("|S2", "(3,)", std::string("a\0bcd\0", 6))), names);
  EXPECT_EQ(channels_of(npy("|S6", "()", "a,bc,d")), names);
  const auto sentence = sentence_of([&] { channels_of(npy("|S4", "()", "a,bc")); });
  EXPECT_NE(sentence.find("'channels' names 2 channels (a,bc), but there are 3"), std::string::npos)
      << sentence;
}

}  // namespace cvf::data
