#include "core/config.hpp"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <set>
#include <sstream>
#include <type_traits>

#include "core/errors.hpp"
#include "core/text.hpp"

namespace cvf::config {
namespace {

template <class T>
struct IsVector : std::false_type {};
template <class T>
struct IsVector<std::vector<T>> : std::true_type {};

template <class T>
constexpr std::string_view type_words() {
  if constexpr (std::is_same_v<T, bool>) return "true or false";
  if constexpr (std::is_same_v<T, int> || std::is_same_v<T, std::int64_t>) return "a whole number";
  if constexpr (std::is_same_v<T, double>) return "a number";
  if constexpr (std::is_same_v<T, std::string>) return "a word";
  if constexpr (std::is_same_v<T, std::vector<double>>) return "a list of numbers";
  if constexpr (std::is_same_v<T, std::vector<std::int64_t>>) return "a list of whole numbers";
  if constexpr (std::is_same_v<T, std::vector<std::string>>) return "a list of words";
}

// Shortest text that reads back as the same double, and is a TOML float rather than an integer.
std::string real_text(double value) {
  std::string digits = fmt::format("{}", value);
  if (digits.find_first_of(".enf") == std::string::npos) digits += ".0";
  return digits;
}

std::string quoted(std::string_view word) {
  std::string out = "\"";
  for (const char c : word) {
    if (c == '"' || c == '\\') out += '\\';
    if (c == '\n') {
      out += "\\n";
    } else {
      out += c;
    }
  }
  return out + '"';
}

template <class T>
std::string value_text(const T& value) {
  if constexpr (std::is_same_v<T, double>) {
    return real_text(value);
  } else if constexpr (std::is_same_v<T, std::string>) {
    return quoted(value);
  } else if constexpr (IsVector<T>::value) {
    std::vector<std::string> items;
    for (const auto& item : value) items.push_back(value_text(item));
    return "[" + text::join(items) + "]";
  } else {
    return fmt::format("{}", value);
  }
}

// ---- reading

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
      if (node.is_integer()) value = node.value<T>();
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

// ---- writing

class Writer : public Section {
 public:
  explicit Writer(std::string path = "") : path_(std::move(path)) {}
  std::string text() const {
    const std::string header = path_.empty() || values_.empty() ? "" : fmt::format("\n[{}]\n", path_);
    return header + values_ + tables_;
  }

 protected:
  void visit(std::string_view name, Target target, std::string_view, const Limits&) override {
    std::visit([&](auto* value) { values_ += fmt::format("{} = {}\n", name, value_text(*value)); }, target);
  }
  void visit_table(std::string_view name, std::string_view, const Describe& describe) override {
    Writer inner(path_.empty() ? std::string(name) : fmt::format("{}.{}", path_, name));
    describe(inner);
    tables_ += inner.text();
  }

 private:
  std::string path_, values_, tables_;
};

// ---- explaining

class Explainer : public Section {
 public:
  explicit Explainer(std::string prefix = "") : prefix_(std::move(prefix)) {}
  std::string out;

 protected:
  void visit(std::string_view name, Target target, std::string_view help, const Limits& limits) override {
    std::visit(
        [&]<class T>(T* value) {
          const std::string range = limits.words();
          out += fmt::format("  {}{} = {}\n      {}{}{}\n", prefix_, name, value_text(*value), help,
                             help.empty() ? "" : "; ", range.empty() ? std::string(type_words<T>()) : range);
        },
        target);
  }
  void visit_table(std::string_view name, std::string_view help, const Describe& describe) override {
    Explainer inner(fmt::format("{}{}.", prefix_, name));
    describe(inner);
    out += fmt::format("  [{}{}] {}\n{}", prefix_, name, help, inner.out);
  }

 private:
  std::string prefix_;
};

}  // namespace

// ---- limits

std::string Limits::words() const {
  if (!names.empty()) return "one of " + text::join(names);
  const bool bounded_below = low > -std::numeric_limits<double>::infinity();
  const bool bounded_above = high < std::numeric_limits<double>::infinity();
  if (bounded_below && bounded_above) return fmt::format("between {} and {}", low, high);
  if (bounded_below)
    return low_allowed ? fmt::format("at least {}", low) : fmt::format("greater than {}", low);
  return "";
}

Limits at_least(double low) {
  return {.low = low};
}
Limits above(double low) {
  return {.low = low, .low_allowed = false};
}
Limits between(double low, double high) {
  return {.low = low, .high = high};
}
Limits one_of(std::vector<std::string> names) {
  return {.names = std::move(names)};
}

// ---- documents

struct Document::Content {
  toml::table root;
  std::string name = "settings";
};

Document::Document() : content_(std::make_unique<Content>()) {}
Document::~Document() = default;
Document::Document(Document&&) noexcept = default;
Document& Document::operator=(Document&&) noexcept = default;

Document Document::from_file(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw ConfigError("{}: cannot be opened; give the path of a TOML file", path);
  std::ostringstream text;
  text << file.rdbuf();
  return from_text(text.str(), path);
}

Document Document::from_text(std::string_view text, std::string name) {
  Document document;
  document.content_->name = std::move(name);
  try {
    document.content_->root = toml::parse(text);
  } catch (const toml::parse_error& fault) {
    throw ConfigError("{}: line {}: {}", document.content_->name, fault.source().begin.line,
                      fault.description());
  }
  return document;
}

void Document::set(std::string_view assignment) {
  const std::size_t equals = assignment.find('=');
  if (equals == std::string_view::npos || equals == 0) {
    throw UsageError("--set {}: write it as table.key=value", assignment);
  }
  const std::vector<std::string> path = text::split(assignment.substr(0, equals), '.');
  const std::string_view word = assignment.substr(equals + 1);

  toml::table holder;
  try {
    holder = toml::parse(fmt::format("v = {}", word));
  } catch (const toml::parse_error&) {
    holder.insert("v", std::string(word));
  }
  toml::table* table = &content_->root;
  for (std::size_t i = 0; i + 1 < path.size(); ++i) {
    toml::node* inner = &table->insert(path[i], toml::table{}).first->second;
    if (!inner->is_table()) throw UsageError("--set {}: '{}' is a value, not a table", assignment, path[i]);
    table = inner->as_table();
  }
  table->insert_or_assign(path.back(), *holder.get("v"));
}

void Document::read(const Describe& describe) const {
  Reader reader(content_->root, content_->name, "");
  describe(reader);
  reader.refuse_unknown_keys();
}

std::string write(const Describe& describe) {
  Writer writer;
  describe(writer);
  return writer.text();
}

std::string explain(const Describe& describe) {
  Explainer explainer;
  describe(explainer);
  return explainer.out;
}

}  // namespace cvf::config
