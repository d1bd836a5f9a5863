#include "onnx/graph.hpp"

#include <limits>

#include "onnx/wire.hpp"

namespace cvf::onnx {
namespace {

using test::Found;
using test::Wire;

TEST(Protobuf, WritesTheBytesOfTheSpecification) {
  EXPECT_EQ(Message().number(1, 150).bytes(), "\x08\x96\x01");
  EXPECT_EQ(Message().text(2, "testing").bytes(), "\x12\x07testing");
  EXPECT_EQ(Message().part(3, Message().number(1, 150)).bytes(), "\x1a\x03\x08\x96\x01");
  EXPECT_EQ(Message().number(2, 0).bytes(), std::string("\x10\x00", 2));
  EXPECT_EQ(Message().number(20, 7).bytes(), "\xa0\x01\x07");  // a field above 15 takes two bytes
  EXPECT_EQ(Message().real(2, 1.0F).bytes(), std::string("\x15\x00\x00\x80\x3f", 5));
  EXPECT_EQ(Message().number(1, -1).bytes(), "\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01");
  EXPECT_EQ(Message().bytes(), "");
}

TEST(Protobuf, NumbersOfEverySizeComeBack) {
  for (const std::int64_t value :
       {std::int64_t{0}, std::int64_t{127}, std::int64_t{128}, std::int64_t{16384}, std::int64_t{1} << 40,
        std::numeric_limits<std::int64_t>::max(), std::numeric_limits<std::int64_t>::min()}) {
    const Message message = Message().number(9, value);
    EXPECT_EQ(static_cast<std::int64_t>(Wire(message.bytes()).numbers.find(9)->second), value);
  }
  const std::string long_text(70'000, 'x');
  EXPECT_EQ(Wire(Message().text(1, long_text).bytes()).text(1), long_text);
}

TEST(Graph, ItsPartsAreTheseBytes) {
  Graph graph("g");
  const Value x = graph.input("x", {std::string("n"), std::int64_t{2}}, "in");
  const std::vector<float> two{1, 2};
  graph.add("Mul", {x, graph.floats("w", two, {2})}, {}, "y");
  const std::string model = graph.model("1", {{"k", "v"}});
  const Wire file(model), inside(file.texts.find(7)->second);
  EXPECT_EQ(file.text(2), "cvf");
  EXPECT_EQ(file.text(3), "1");
  EXPECT_EQ(inside.text(2), "g");
  EXPECT_EQ(inside.text(5),
            std::string("\x08\x02\x10\x01\x42\x01w\x4a\x08\x00\x00\x80\x3f\x00\x00\x00\x40", 17));
  EXPECT_EQ(inside.text(1), std::string("\x0a\x01x\x0a\x01w\x12\x01y\x1a\x01y\x22\x03Mul"));
  EXPECT_EQ(inside.text(11), std::string("\x0a\x01x\x12\x0f\x0a\x0d\x08\x01\x12\x09\x0a\x03\x12\x01n\x0a\x02"
                                         "\x08\x02\x1a\x02in"));
}

TEST(Graph, NamesAreUniqueAndListsAreKeptOnce) {
  Graph graph("g");
  const Value x = graph.input("Add", {std::int64_t{1}}, "");
  const Value a = graph.add("Add", {x, x}), b = graph.add("Add", {a, x});
  EXPECT_EQ((std::set<Value>{x, a, b}.size()), 3U);
  EXPECT_EQ(graph.integers({1, -2}), graph.integers({1, -2}));
  EXPECT_NE(graph.integers({3}), graph.integer(3)) << "a list of one has an axis";
  const std::vector<float> one{1};
  EXPECT_NE(graph.floats("w", one, {1}), graph.floats("w", one, {1}));
  EXPECT_EQ(graph.split(x, 0, 1), std::vector<Value>{x});
  EXPECT_EQ(graph.split(x, 0, 3).size(), 3U);
  const Found found(graph.model("1", {}));  // and every name is there before it is used
  EXPECT_EQ(found.opset, 20U);
  EXPECT_EQ(found.ir_version, 9U);
  EXPECT_EQ(found.count("Add"), 2);
}

TEST(Graph, AttributesSayTheirType) {
  Graph graph("g");
  const Value x = graph.input("x", {}, "");
  graph.add("Op", {x}, {{"i", std::int64_t{-1}}, {"f", 0.5F}, {"s", std::string("tanh")}, {"l", Ints{2, 3}}});
  const std::string model = graph.model("1", {});
  const Wire inside(Wire(model).text(7));
  const std::string node_bytes = inside.text(1);
  const Wire node(node_bytes);
  std::vector<std::uint64_t> types;
  for (const auto& bytes : node.all(5)) types.push_back(Wire(bytes).numbers.find(20)->second);
  EXPECT_EQ(types, (std::vector<std::uint64_t>{2, 1, 3, 7}));
  EXPECT_EQ(Wire(node.all(5)[3]).numbers.count(8), 2U);
}

}  // namespace
}  // namespace cvf::onnx
