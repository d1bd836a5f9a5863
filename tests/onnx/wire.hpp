// A reader of protocol buffers, written without a look at the writer, and what it finds in an ONNX file.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace cvf::test {

struct Wire {
  std::multimap<std::uint64_t, std::uint64_t> numbers;   // varints by field, in order
  std::multimap<std::uint64_t, std::string_view> texts;  // strings, bytes, messages

  explicit Wire(std::string_view bytes) {
    while (!bytes.empty()) {
      const std::uint64_t key = varint(bytes), field = key >> 3;
      if ((key & 7) == 0) {
        numbers.emplace(field, varint(bytes));
      } else {
        const std::uint64_t size = (key & 7) == 5 ? 4 : varint(bytes);
        EXPECT_TRUE((key & 7) == 2 || (key & 7) == 5) << "wire type " << (key & 7);
        if (size > bytes.size()) {
          ADD_FAILURE() << "field " << field << " is cut short";
          return;
        }
        texts.emplace(field, bytes.substr(0, size));
        bytes.remove_prefix(size);
      }
    }
  }

  std::string text(std::uint64_t field) const {
    const auto found = texts.find(field);
    return found == texts.end() ? "" : std::string(found->second);
  }
  std::vector<std::string> all(std::uint64_t field) const {
    std::vector<std::string> out;
    for (auto [at, end] = texts.equal_range(field); at != end; ++at) out.emplace_back(at->second);
    return out;
  }

 private:
  static std::uint64_t varint(std::string_view& bytes) {
    std::uint64_t out = 0;
    for (int shift = 0; !bytes.empty() && shift < 64; shift += 7) {
      const auto byte = static_cast<unsigned char>(bytes.front());
      bytes.remove_prefix(1);
      out |= static_cast<std::uint64_t>(byte & 0x7F) << shift;
      if ((byte & 0x80) == 0) return out;
    }
    ADD_FAILURE() << "a number is cut short";
    return out;
  }
};

/// The parts of a model's file that tests ask about. A graph whose names are not unique, or used before they
/// are there, is a failure.
struct Found {
  std::vector<std::string> inputs, outputs, ops;
  std::map<std::string, std::string> metadata;
  std::map<std::string, std::vector<std::uint64_t>> constants;  // their sizes
  std::uint64_t opset = 0, ir_version = 0;

  explicit Found(const std::string& file) {
    const Wire model(file), graph(model.texts.find(7)->second);
    ir_version = model.numbers.find(1)->second;
    opset = Wire(model.text(8)).numbers.find(2)->second;
    for (const auto& entry : model.all(14)) metadata[Wire(entry).text(1)] = Wire(entry).text(2);
    std::set<std::string> known;
    const auto define = [&](const std::string& name) {
      EXPECT_FALSE(name.empty());
      EXPECT_TRUE(known.insert(name).second) << name << " is there twice";
    };
    for (const auto& input : graph.all(11)) define(inputs.emplace_back(Wire(input).text(1)));
    for (const auto& bytes : graph.all(5)) {
      const Wire tensor(bytes);
      define(tensor.text(8));
      auto& sizes = constants[tensor.text(8)];
      std::uint64_t values = 1;
      for (auto [at, end] = tensor.numbers.equal_range(1); at != end; ++at) {
        sizes.push_back(at->second);
        values *= at->second;
      }
      const std::uint64_t each = tensor.numbers.find(2)->second == 7 ? 8 : 4;  // INT64, FLOAT
      EXPECT_EQ(tensor.text(9).size(), values * each) << tensor.text(8);
    }
    for (const auto& bytes : graph.all(1)) {
      const Wire node(bytes);
      for (const auto& name : node.all(1)) EXPECT_TRUE(known.contains(name)) << name << " is not there yet";
      for (const auto& name : node.all(2)) define(name);
      ops.push_back(node.text(4));
    }
    for (const auto& output : graph.all(12)) {
      outputs.push_back(Wire(output).text(1));
      EXPECT_TRUE(known.contains(outputs.back())) << outputs.back();
    }
  }

  int count(std::string_view op) const { return static_cast<int>(std::count(ops.begin(), ops.end(), op)); }
};

}  // namespace cvf::test
