#include "model/safetensors.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "support/scratch.hpp"

namespace cvf::model::safetensors {
namespace {

std::span<const std::byte> bytes_of(const auto& values) {
  return std::as_bytes(std::span(values));
}

// A file as any writer could have made it: length, header, data.
std::string file_of(const std::string& header, const std::string& data = "") {
  const std::uint64_t length = header.size();
  std::string out(8, '\0');
  std::memcpy(out.data(), &length, 8);
  return out + header + data;
}

const std::vector<float> two{1.0F, -2.0F};
const std::vector<double> one{0.5};
const std::vector<std::uint16_t> halves{1, 2, 3};

Contents several() {
  return {.tensors = {{"narrow", Dtype::bf16, {3}, bytes_of(halves)},
                      {"b", Dtype::f32, {2, 1}, bytes_of(two)},
                      {"a", Dtype::f32, {2}, bytes_of(two)},
                      {"scalar", Dtype::f64, {}, bytes_of(one)},
                      {"none", Dtype::i64, {0, 4}, {}}},
          .metadata = {{"format", "pt"}, {"who", "\"me\""}}};
}

TEST(Safetensors, WritesTheBytesThatTheFormatPrescribes) {
  const std::string header =
      R"({"__metadata__":{"k":"v"},"w.x":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}}       )";
  ASSERT_EQ(header.size(), 88U);
  const std::string golden =
      std::string("\x58\0\0\0\0\0\0\0", 8) + header + std::string("\0\0\x80\x3f\0\0\0\xc0", 8);
  EXPECT_EQ(serialize({.tensors = {{"w.x", Dtype::f32, {2}, bytes_of(two)}}, .metadata = {{"k", "v"}}}),
            golden);
}

TEST(Safetensors, ReadsAFileWrittenByHand) {
  const std::string file = file_of(
      "{ \"late\":{\"data_offsets\":[2,10],\"shape\":[1],\"dtype\":\"F64\"},"
      "\"\\u0065arly\":{\"dtype\":\"U8\",\"shape\":[2],\"data_offsets\":[0,2]}}\n ",
      "ab" + std::string(8, '\1'));
  const auto contents = parse(file, "file");
  ASSERT_EQ(contents.tensors.size(), 2U);
  EXPECT_EQ(contents.tensors[0].name, "early");
  EXPECT_EQ(static_cast<char>(contents.tensors[0].bytes[1]), 'b');
  EXPECT_EQ(contents.tensors[1].dtype, Dtype::f64);
  EXPECT_EQ(contents.tensors[1].bytes.size(), 8U);
}

TEST(Safetensors, ComesBackAsItWasWritten) {
  const std::string file = serialize(several());
  const auto read = parse(file, "file");
  EXPECT_EQ(read.metadata, several().metadata);
  ASSERT_EQ(read.tensors.size(), 5U);
  for (const auto& wanted : several().tensors) {
    const auto found = std::find_if(read.tensors.begin(), read.tensors.end(),
                                    [&](const Tensor& t) { return t.name == wanted.name; });
    ASSERT_NE(found, read.tensors.end()) << wanted.name;
    EXPECT_EQ(found->dtype, wanted.dtype);
    EXPECT_EQ(found->shape, wanted.shape);
    EXPECT_TRUE(std::ranges::equal(found->bytes, wanted.bytes)) << wanted.name;
  }
  EXPECT_EQ(serialize(read), file);
}

TEST(Safetensors, BytesDoNotDependOnTheOrderOfTheTensors) {
  Contents turned = several();
  std::reverse(turned.tensors.begin(), turned.tensors.end());
  EXPECT_EQ(serialize(turned), serialize(several()));
}

TEST(Safetensors, EveryTensorIsAlignedForItsType) {
  const std::string file = serialize(several());
  for (const auto& tensor : parse(file, "file").tensors) {
    const auto place = reinterpret_cast<const char*>(tensor.bytes.data()) - file.data();
    if (!tensor.bytes.empty()) {
      EXPECT_EQ(static_cast<std::size_t>(place) % size_of(tensor.dtype), 0U) << tensor.name;
    }
  }
}

TEST(Safetensors, AnEmptyFileIsAFile) {
  EXPECT_EQ(serialize({}), file_of("{}      "));
  const std::string file = file_of("{}");
  EXPECT_TRUE(parse(file, "file").tensors.empty());
}

TEST(Safetensors, RefusesToWriteWhatCouldNotBeRead) {
  const auto refusal = [](Contents contents) {
    return testing_support::sentence_of<ModelError>([&] { serialize(contents); });
  };
  EXPECT_EQ(refusal({.tensors = {{"a", Dtype::f32, {2}, bytes_of(two)}, {"a", Dtype::f64, {0}, {}}}}),
            "two tensors are named 'a'");
  EXPECT_EQ(refusal({.tensors = {{"a", Dtype::f32, {3}, bytes_of(two)}}}),
            "tensor 'a' has 8 bytes, which is not F32 [3]");
  EXPECT_EQ(refusal({.tensors = {{"__metadata__", Dtype::f32, {0}, {}}}}),
            "a tensor in a safetensors file cannot be named '__metadata__'");
  EXPECT_EQ(refusal({.tensors = {{"\xff", Dtype::f32, {0}, {}}}}),
            "a name or text for a safetensors file is not valid UTF-8");
}

struct Hostile {
  std::string name, file, sentence;
};

std::string entry(const std::string& name, const std::string& shape, const std::string& offsets,
                  const std::string& dtype = "U8") {
  return "\"" + name + R"(":{"dtype":")" + dtype + R"(","shape":)" + shape + R"(,"data_offsets":)" + offsets +
         "}";
}

std::string one_entry(const std::string& shape, const std::string& offsets, const std::string& dtype = "U8") {
  return file_of("{" + entry("a", shape, offsets, dtype) + "}", "1234");
}

const std::vector<Hostile> hostile{
    {"Empty", "", "0 bytes are too few for a safetensors file"},
    {"Short", "1234567", "7 bytes are too few for a safetensors file"},
    {"HeaderOverCap", std::string("\x01\xe1\xf5\x05\0\0\0\0", 8),
     "a header of 100000001 bytes is longer than the 100000000 allowed"},
    {"HeaderLengthHuge", std::string(8, '\xff') + "{}",
     "a header of 18446744073709551615 bytes is longer than the 100000000 allowed"},
    {"HeaderBeyondFile", std::string("\3\0\0\0\0\0\0\0{}", 10),
     "the header of 3 bytes goes beyond the end of the file"},
    {"NoHeader", file_of(""), "the header does not begin with a JSON object"},
    {"List", file_of("[]"), "the header does not begin with a JSON object"},
    {"ByteOrderMark", file_of("\xef\xbb\xbf{}"), "the header does not begin with a JSON object"},
    {"NotJson", file_of("{\"a\":}"), "the header is not valid JSON at its byte 6"},
    {"CutJson", file_of("{\"a\":{"), "the header is not valid JSON at its byte 7"},
    {"TwoObjects", file_of("{}{}"), "the header is not valid JSON at its byte 3"},
    {"ZeroByte", file_of(std::string("{}\0x", 4)), "the header has a zero byte"},
    {"BadUtf8", file_of("{\"\xff\":{}}"), "the header is not valid JSON at its byte 3"},
    {"Deep", file_of("{\"a\":" + std::string(100000, '[')), "'a' is a list instead of an object"},
    {"DeepShape", one_entry("[[1]]", "[0,4]"), "tensor 'a' has a list where its shape belongs"},
    {"DuplicateTensor", file_of("{" + entry("a", "[0]", "[0,0]") + "," + entry("a", "[0]", "[0,0]") + "}"),
     "'a' appears twice in the header"},
    {"DuplicateMetadata", file_of(R"({"__metadata__":{},"__metadata__":{}})"),
     "'__metadata__' appears twice in the header"},
    {"DuplicateMetadataKey", file_of(R"({"__metadata__":{"k":"1","k":"2"}})"), "__metadata__ has 'k' twice"},
    {"DuplicateKey", file_of(R"({"a":{"dtype":"U8","dtype":"U8"}})"), "tensor 'a' has the key 'dtype' twice"},
    {"UnknownKey", file_of(R"({"a":{"type":"U8"}})"), "tensor 'a' has an unknown key 'type'"},
    {"MissingKey", file_of(R"({"a":{"dtype":"U8","shape":[0]}})"),
     "tensor 'a' needs dtype, shape and data_offsets"},
    {"UnknownDtype", one_entry("[4]", "[0,4]", "F99"), "tensor 'a' has the unknown type 'F99'"},
    {"DtypeNumber", file_of(R"({"a":{"dtype":4}})"), "tensor 'a' has a number where its dtype belongs"},
    {"ShapeText", file_of(R"({"a":{"shape":"[4]"}})"), "tensor 'a' has a text where its shape belongs"},
    {"ShapeNull", one_entry("[null]", "[0,4]"), "tensor 'a' has null where its shape belongs"},
    {"NegativeShape", one_entry("[-4]", "[0,4]"),
     "tensor 'a' has -4 in its shape, which must not be negative"},
    {"FractionShape", one_entry("[4.0]", "[0,4]"),
     "tensor 'a' has '4.0' in its shape, which is no whole number that fits"},
    {"HugeShape", one_entry("[18446744073709551615]", "[0,4]"),
     "tensor 'a' has 18446744073709551615 in its shape, which is too large"},
    {"BeyondHugeShape", one_entry("[18446744073709551617]", "[0,4]"),
     "tensor 'a' has '18446744073709551617' in its shape, which is no whole number that fits"},
    {"OverflowingShape", one_entry("[4294967296,4294967296,4]", "[0,4]"),
     "tensor 'a' has the shape [4294967296, 4294967296, 4], which is too large"},
    {"OverflowingToFit", one_entry("[4611686018427387905]", "[0,4]", "F32"),
     "tensor 'a' has the shape [4611686018427387905], which is too large"},
    {"OneOffset", one_entry("[4]", "[0]"), "tensor 'a' has 1 data_offsets instead of 2"},
    {"ThreeOffsets", one_entry("[4]", "[0,4,4]"), "tensor 'a' has 3 data_offsets instead of 2"},
    {"OffsetsBackwards", one_entry("[0]", "[4,0]"), "tensor 'a' lies at bytes 4 to 0 of 4 bytes of data"},
    {"OffsetsBeyond", one_entry("[5]", "[0,5]"), "tensor 'a' lies at bytes 0 to 5 of 4 bytes of data"},
    {"SizeMismatch", one_entry("[2]", "[0,4]"), "tensor 'a' has 4 bytes, but U8 [2] needs 2"},
    {"SizeMismatchDtype", one_entry("[4]", "[0,4]", "F32"), "tensor 'a' has 4 bytes, but F32 [4] needs 16"},
    {"Overlap", file_of("{" + entry("a", "[3]", "[0,3]") + "," + entry("b", "[2]", "[2,4]") + "}", "1234"),
     "tensor 'b' begins at byte 2, overlapping what lies before byte 3 where the data before it ends"},
    {"SamePlace", file_of("{" + entry("a", "[4]", "[0,4]") + "," + entry("b", "[4]", "[0,4]") + "}", "1234"),
     "tensor 'b' begins at byte 0, overlapping what lies before byte 4 where the data before it ends"},
    {"Hole", file_of("{" + entry("a", "[1]", "[0,1]") + "," + entry("b", "[2]", "[2,4]") + "}", "1234"),
     "tensor 'b' begins at byte 2, leaving a hole after byte 1 where the data before it ends"},
    {"HoleAtStart", one_entry("[3]", "[1,4]"),
     "tensor 'a' begins at byte 1, leaving a hole after byte 0 where the data before it ends"},
    {"TrailingBytes", one_entry("[3]", "[0,3]"), "1 bytes lie behind the last tensor"},
    {"TrailingBytesAlone", file_of("{}", "1"), "1 bytes lie behind the last tensor"},
    {"MetadataNumber", file_of(R"({"__metadata__":{"k":1}})"),
     "__metadata__ 'k' is a number instead of a text"},
    {"MetadataObject", file_of(R"({"__metadata__":{"k":{}}})"),
     "__metadata__ 'k' is an object instead of a text"},
    {"MetadataList", file_of(R"({"__metadata__":[]})"), "'__metadata__' is a list instead of an object"},
    {"NastyName", file_of("{\"a\\n\\u001b[2J" + std::string(100, 'x') + "\":1}"),
     "'a??[2J" + std::string(74, 'x') + "...' is a number instead of an object"},
};

class HostileFile : public ::testing::TestWithParam<Hostile> {};

TEST_P(HostileFile, IsRefusedWithASentence) {
  EXPECT_EQ(testing_support::sentence_of<ModelError>([&] { parse(GetParam().file, "f"); }),
            "f: " + GetParam().sentence);
}

INSTANTIATE_TEST_SUITE_P(Safetensors, HostileFile, ::testing::ValuesIn(hostile),
                         [](const auto& chosen) { return chosen.param.name; });

TEST(Safetensors, EveryCutIsRefused) {
  const std::string file = serialize(several());
  for (std::size_t length = 0; length < file.size(); ++length) {
    EXPECT_THROW(parse(std::string_view(file).substr(0, length), "file"), ModelError) << length;
  }
}

}  // namespace
}  // namespace cvf::model::safetensors
