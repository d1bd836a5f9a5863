// A graph of ONNX operators, put together node by node and written as the bytes of a model's file.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace cvf::onnx {

/// Protocol buffers, as far as writing goes: a message is its fields one after the other, each with a number.
/// An ONNX file is one such message, so nothing else is needed to make it.
class Message {
 public:
  Message& number(int field, std::int64_t value);    // int32, int64 and enumerations
  Message& real(int field, float value);             // float
  Message& text(int field, std::string_view bytes);  // string and bytes
  Message& part(int field, const Message& message) { return text(field, message.bytes_); }

  const std::string& bytes() const { return bytes_; }

 private:
  void key(int field, unsigned kind) { varint(static_cast<std::uint64_t>(field) << 3 | kind); }
  void varint(std::uint64_t value);

  std::string bytes_;
};

/// Gelu in its tanh form came with this one. Current runtimes take it: ONNX Runtime from 1.17 on.
inline constexpr int opset = 20, ir_version = 9;

/// The name of a tensor inside the graph.
using Value = std::string;
using Ints = std::vector<std::int64_t>;

/// How long an axis of an input or output is: a number, or a name for what each call decides.
using Side = std::variant<std::int64_t, std::string>;

struct Attribute {
  std::string_view name;
  std::variant<std::int64_t, float, std::string, Ints> value;
};
using Attributes = std::vector<Attribute>;

class Graph {
 public:
  explicit Graph(std::string name) { graph_.text(2, name); }

  Value input(const std::string& name, const std::vector<Side>& sides, const std::string& meaning);
  /// `name` is what add() was told to call a node's result.
  void output(const std::string& name, const std::vector<Side>& sides, const std::string& meaning);

  /// A constant tensor of these values. Its name should be new; it gets a number where it is not.
  Value floats(const std::string& name, std::span<const float> values, const Ints& sizes);
  /// A list of whole numbers; the same list is kept once.
  Value integers(const Ints& values);
  /// One whole number, of no axes.
  Value integer(std::int64_t value);

  /// The result of an operator, under this name or one that is made up.
  Value add(std::string_view op, const std::vector<Value>& inputs, const Attributes& attributes = {},
            const std::string& name = "");
  /// `parts` results of equal size along an axis.
  std::vector<Value> split(const Value& x, std::int64_t axis, std::size_t parts);

  /// The whole file. A ModelError where it would be more than a message can be.
  std::string model(std::string_view producer_version,
                    const std::vector<std::pair<std::string, std::string>>& metadata) const;

 private:
  Value fresh(std::string_view stem);
  void node(std::string_view op, const std::vector<Value>& inputs, const Attributes& attributes,
            const std::vector<Value>& outputs);
  Value keep_integers(const Ints& values, bool scalar);

  Message graph_;
  std::set<std::string> taken_;
  std::map<std::pair<Ints, bool>, Value> integers_;
  std::size_t count_ = 0;
};

}  // namespace cvf::onnx
