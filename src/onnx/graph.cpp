#include "onnx/graph.hpp"

#include <bit>

#include "core/errors.hpp"
#include "core/text.hpp"

namespace cvf::onnx {
namespace {

// How the bytes behind a field's key are to be read.
constexpr unsigned as_varint = 0, as_length = 2, as_four_bytes = 5;

}  // namespace

void Message::varint(std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) bytes_ += static_cast<char>(value | 0x80);
  bytes_ += static_cast<char>(value);
}

Message& Message::number(int field, std::int64_t value) {
  key(field, as_varint);
  varint(static_cast<std::uint64_t>(value));  // negative ones take ten bytes
  return *this;
}

Message& Message::real(int field, float value) {
  key(field, as_four_bytes);
  const auto bits = std::bit_cast<std::uint32_t>(value);
  for (int shift = 0; shift < 32; shift += 8) bytes_ += static_cast<char>(bits >> shift);
  return *this;
}

Message& Message::text(int field, std::string_view bytes) {
  key(field, as_length);
  varint(bytes.size());
  bytes_ += bytes;
  return *this;
}

}  // namespace cvf::onnx

// The numbers are those of onnx.proto; each is written beside the name that it has there.
namespace cvf::onnx {
namespace {

static_assert(std::endian::native == std::endian::little, "raw_data is little-endian");

constexpr std::int64_t type_float = 1, type_int64 = 7;          // TensorProto.DataType
constexpr std::size_t most_bytes = (std::size_t{1} << 31) - 1;  // of a message

template <class T>
std::string_view raw(std::span<const T> values) {
  return {reinterpret_cast<const char*>(values.data()), values.size_bytes()};
}

Message tensor(const std::string& name, std::int64_t type, const Ints& sizes, std::string_view bytes) {
  Message out;
  for (const auto size : sizes) out.number(1, size);  // dims
  out.number(2, type).text(8, name).text(9, bytes);   // data_type, name, raw_data
  return out;
}

Message value_info(const std::string& name, const std::vector<Side>& sides, const std::string& meaning) {
  Message shape;
  for (const auto& side : sides) {
    Message dim;
    if (const auto* size = std::get_if<std::int64_t>(&side)) dim.number(1, *size);  // dim_value
    if (const auto* word = std::get_if<std::string>(&side)) dim.text(2, *word);     // dim_param
    shape.part(1, dim);                                                             // dim
  }
  Message of_tensor, type, out;
  of_tensor.number(1, type_float).part(2, shape);    // elem_type, shape
  type.part(1, of_tensor);                           // tensor_type
  out.text(1, name).part(2, type).text(3, meaning);  // name, type, doc_string
  return out;
}

Message message_of(const Attribute& attribute) {
  constexpr std::int64_t float_kind = 1, int_kind = 2, string_kind = 3, ints_kind = 7;  // AttributeType
  Message out;
  out.text(1, attribute.name);
  if (const auto* i = std::get_if<std::int64_t>(&attribute.value)) out.number(3, *i).number(20, int_kind);
  if (const auto* f = std::get_if<float>(&attribute.value)) out.real(2, *f).number(20, float_kind);
  if (const auto* s = std::get_if<std::string>(&attribute.value)) out.text(4, *s).number(20, string_kind);
  if (const auto* all = std::get_if<Ints>(&attribute.value)) {
    for (const auto i : *all) out.number(8, i);
    out.number(20, ints_kind);
  }
  return out;
}

}  // namespace

Value Graph::fresh(std::string_view stem) {
  Value out(stem);
  while (!taken_.insert(out).second) out = fmt::format("{}_{}", stem, ++count_);
  return out;
}

Value Graph::input(const std::string& name, const std::vector<Side>& sides, const std::string& meaning) {
  taken_.insert(name);
  graph_.part(11, value_info(name, sides, meaning));  // input
  return name;
}

void Graph::output(const std::string& name, const std::vector<Side>& sides, const std::string& meaning) {
  graph_.part(12, value_info(name, sides, meaning));  // output
}

Value Graph::floats(const std::string& name, std::span<const float> values, const Ints& sizes) {
  Value out = fresh(name);
  graph_.part(5, tensor(out, type_float, sizes, raw(values)));  // initializer
  return out;
}

Value Graph::keep_integers(const Ints& values, bool scalar) {
  Value& out = integers_[{values, scalar}];
  if (out.empty()) {
    out = fresh("integers");
    const Ints sizes = scalar ? Ints{} : Ints{static_cast<std::int64_t>(values.size())};
    graph_.part(5, tensor(out, type_int64, sizes, raw(std::span<const std::int64_t>(values))));
  }
  return out;
}

Value Graph::integers(const Ints& values) {
  return keep_integers(values, false);
}

Value Graph::integer(std::int64_t value) {
  return keep_integers({value}, true);
}

void Graph::node(std::string_view op, const std::vector<Value>& inputs, const Attributes& attributes,
                 const std::vector<Value>& outputs) {
  Message out;
  for (const auto& value : inputs) out.text(1, value);
  for (const auto& value : outputs) out.text(2, value);
  out.text(3, outputs.front()).text(4, op);  // name, op_type
  for (const auto& attribute : attributes) out.part(5, message_of(attribute));
  graph_.part(1, out);  // node
}

Value Graph::add(std::string_view op, const std::vector<Value>& inputs, const Attributes& attributes,
                 const std::string& name) {
  Value out = fresh(name.empty() ? op : name);
  node(op, inputs, attributes, {out});
  return out;
}

std::vector<Value> Graph::split(const Value& x, std::int64_t axis, std::size_t parts) {
  if (parts == 1) return {x};
  std::vector<Value> out;
  while (out.size() < parts) out.push_back(fresh("Split"));
  node("Split", {x}, {{"axis", axis}, {"num_outputs", static_cast<std::int64_t>(parts)}}, out);
  return out;
}

std::string Graph::model(std::string_view producer_version,
                         const std::vector<std::pair<std::string, std::string>>& metadata) const {
  Message operators, out;
  operators.text(1, "").number(2, opset);                              // domain, version
  out.number(1, ir_version).text(2, "cvf").text(3, producer_version);  // producer_name, ..._version
  out.part(7, graph_).part(8, operators);                              // graph, opset_import
  for (const auto& [key, value] : metadata) {
    Message entry;
    out.part(14, entry.text(1, key).text(2, value));  // metadata_props
  }
  if (out.bytes().size() > most_bytes) {
    throw ModelError("the model takes {}, and an ONNX file holds 2 GB at most",
                     text::bytes(out.bytes().size()));
  }
  return out.bytes();
}

}  // namespace cvf::onnx
