// Fills described options from a TOML table: what Document::read walks with. Part of config.cpp.
#pragma once

#include <fmt/format.h>

// toml++ asserts what it takes for granted about a text, and is wrong about some ("[.x]"): a broken assertion
// must cost a sentence, not the process. Values nested without end would cost the stack.
namespace cvf::config {
[[noreturn]] void refuse_text();
}
#define TOML_ASSERT(expression) \
  (static_cast<bool>(expression) ? static_cast<void>(0) : cvf::config::refuse_text())
#define TOML_MAX_NESTED_VALUES 8
#include <toml++/toml.h>

#include <algorithm>
#include <sstream>
#include <type_traits>

#include "core/config.hpp"
#include "core/errors.hpp"
#include "core/text.hpp"

namespace cvf::config {

class Reader : public Section {
 public:
  Reader(const toml::table& table, std::string place, std::string prefix)
      : table_(table), place_(std::move(place)), prefix_(std::move(prefix)) {}

  void refuse_unknown_keys() const {
    for (const auto& [key, node] : table_) {
      const std::string name(key.str());
      if (std::find(known_.begin(), known_.end(), name) == known_.end()) {
        throw ConfigError("{}: unknown key '{}{}'{}", place_, prefix_, name, text::suggestion(name, known_));
      }
    }
  }

 protected:
  void visit(std::string_view name, Target target, std::string_view, const Limits& limits) override {
    known_.emplace_back(name);
    const toml::node* node = table_.get(name);
    if (node == nullptr) return;
    std::visit([&](auto* value) { assign(name, *node, *value, limits); }, target);
  }

  void visit_table(std::string_view name, std::string_view, const Describe& describe) override {
    known_.emplace_back(name);
    static const toml::table empty;
    const toml::node* node = table_.get(name);
    if (node != nullptr && !node->is_table()) {
      throw ConfigError("{}: '{}{}' must be a table", place_, prefix_, name);
    }
    Reader inner(node != nullptr ? *node->as_table() : empty, place_, fmt::format("{}{}.", prefix_, name));
    describe(inner);
    inner.refuse_unknown_keys();
  }

  std::vector<std::string> visit_names(std::string_view name) override {
    const toml::table* inside = table_[name].as_table();
    if (inside == nullptr) return {};
    std::vector<std::pair<toml::source_position, std::string>> found;
    for (const auto& [key, node] : *inside) found.emplace_back(key.source().begin, key.str());
    std::stable_sort(found.begin(), found.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    std::vector<std::string> out;
    for (auto& [place, key] : found) out.push_back(std::move(key));
    return out;
  }

 private:
  template <class T>
  void assign(std::string_view name, const toml::node& node, T& value, const Limits& limits) const {
    if constexpr (IsVector<T>::value) {
      const toml::array* items = node.as_array();
      if (items == nullptr) wrong(name, type_words<T>(), node);
      value.clear();
      for (const auto& item : *items)
        value.push_back(scalar<typename T::value_type>(name, item, limits, type_words<T>()));
    } else {
      value = scalar<T>(name, node, limits, type_words<T>());
    }
  }

  template <class T>
  T scalar(std::string_view name, const toml::node& node, const Limits& limits, std::string_view type) const {
    // toml++ would silently turn true into 1: only a float key accepts another TOML type, the integer.
    std::optional<T> value;
    if constexpr (std::is_same_v<T, bool>) {
      if (node.is_boolean()) value = node.value<bool>();
    } else if constexpr (std::is_same_v<T, std::string>) {
      if (node.is_string()) value = node.value<std::string>();
    } else if constexpr (std::is_same_v<T, double>) {
      if (node.is_number()) value = node.value<double>();
    } else {
      if (const auto whole = node.value_exact<std::int64_t>()) {
        constexpr std::int64_t low = std::numeric_limits<T>::min(), high = std::numeric_limits<T>::max();
        if (*whole < low) wrong(name, fmt::format("at least {}", low), node);
        if (*whole > high) wrong(name, fmt::format("at most {}", high), node);
        value = static_cast<T>(*whole);
      }
    }
    if (!value) wrong(name, type, node);
    check(name, *value, limits, node);
    return *value;
  }

  template <class T>
  void check(std::string_view name, const T& value, const Limits& limits, const toml::node& node) const {
    if constexpr (std::is_same_v<T, std::string>) {
      if (!limits.names.empty() &&
          std::find(limits.names.begin(), limits.names.end(), value) == limits.names.end()) {
        throw ConfigError(
            "{}: {}{} = '{}' is not {}{}", place_, prefix_, name, value, limits.words(),
            text::nearest(value, limits.names).empty() ? "" : text::suggestion(value, limits.names));
      }
    } else if constexpr (!std::is_same_v<T, bool>) {
      const auto number = static_cast<double>(value);
      const bool inside =
          number <= limits.high && (limits.low_allowed ? number >= limits.low : number > limits.low);
      if (!inside) wrong(name, limits.words(), node);  // also refuses nan, which compares false
    }
  }

  [[noreturn]] void wrong(std::string_view name, std::string_view wanted, const toml::node& node) const {
    std::ostringstream shown;
    node.visit([&shown](const auto& concrete) { shown << concrete; });
    throw ConfigError("{}: {}{} = {} must be {}", place_, prefix_, name, shown.str(), wanted);
  }

  const toml::table& table_;
  std::string place_, prefix_;
  std::vector<std::string> known_;
};

}  // namespace cvf::config
