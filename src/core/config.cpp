#include "core/config.hpp"

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

#include "core/config_types.hpp"
#include "core/errors.hpp"
#include "core/files.hpp"
#include "core/text.hpp"

namespace cvf::config {
namespace {

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

struct BrokenAssertion {};

// The tables that a key opens are taken apart one inside the other; a chain of them as long as a file could
// use up the stack. Nobody writes a key like that.
void refuse_endless_keys(std::string_view text, const std::string& name) {
  constexpr int most_dots = 20000;
  int line = 1, dots = 0;
  for (const char c : text) {
    if (c == '\n') ++line, dots = 0;
    if (c == '.' && ++dots > most_dots)
      throw ConfigError("{}: line {}: has more than {} dots; no key is nested so deeply", name, line,
                        most_dots);
  }
}

bool breaks_assertion(std::string_view text) {
  try {
    toml::parse(text);
  } catch (const toml::parse_error&) {
  } catch (const BrokenAssertion&) {
    return true;
  }
  return false;
}

// An assertion does not say where it broke: at the first line with which the text above it breaks too.
std::size_t line_that_breaks(std::string_view text) {
  std::size_t line = 1;
  for (std::size_t end = text.find('\n'); end != std::string_view::npos;
       end = text.find('\n', end + 1), ++line) {
    if (breaks_assertion(text.substr(0, end))) break;
  }
  return line;
}

std::optional<std::string> text_of(const toml::node& node) {
  if (const auto word = node.value<std::string>()) return *word;
  if (const auto truth = node.value_exact<bool>()) return *truth ? "true" : "false";
  if (const auto number = node.value<double>()) return fmt::format("{}", *number);
  return std::nullopt;
}

void list(const toml::table& table, const std::string& prefix,
          std::vector<std::pair<std::string, std::string>>& out) {
  for (const auto& [key, node] : table) {
    const std::string name = prefix + std::string(key.str());
    if (const auto* inner = node.as_table()) {
      list(*inner, name + ".", out);
    } else if (const auto* items = node.as_array()) {
      std::string text;
      for (const auto& item : *items) text += (text.empty() ? "" : ", ") + text_of(item).value_or("...");
      out.emplace_back(name, text);
    } else {
      out.emplace_back(name, text_of(node).value_or(""));
    }
  }
}

}  // namespace

void refuse_text() {
  throw BrokenAssertion();
}

struct Document::Content {
  toml::table root;
  std::string name = "settings";
};

Document::Document() : content_(std::make_unique<Content>()) {}
Document::~Document() = default;
Document::Document(Document&&) noexcept = default;
Document& Document::operator=(Document&&) noexcept = default;

Document Document::from_file(const std::string& path) {
  std::string text;
  try {
    text = files::read_whole(path);
  } catch (const DataError& error) {
    throw ConfigError("{}; give the path of a TOML file", error.what());
  }
  return from_text(text, path);
}

Document Document::from_text(std::string_view text, std::string name) {
  Document document;
  document.content_->name = std::move(name);
  refuse_endless_keys(text, document.content_->name);
  try {
    document.content_->root = toml::parse(text);
  } catch (const toml::parse_error& fault) {
    throw ConfigError("{}: line {}: {}", document.content_->name, fault.source().begin.line,
                      fault.description());
  } catch (const BrokenAssertion&) {
    throw ConfigError("{}: line {}: is no TOML; a table's name begins with a letter, a digit or a quote",
                      document.content_->name, line_that_breaks(text));
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

  refuse_endless_keys(assignment, "--set");
  toml::table holder;
  try {
    holder = toml::parse(fmt::format("v = {}", word));
  } catch (const toml::parse_error&) {
    holder.insert("v", std::string(word));
  } catch (const BrokenAssertion&) {
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

std::optional<std::string> Document::look_up(std::string_view path) const {
  const auto node = content_->root.at_path(path);
  return node.node() == nullptr ? std::nullopt : text_of(*node.node());
}

std::vector<std::pair<std::string, std::string>> Document::all() const {
  std::vector<std::pair<std::string, std::string>> out;
  list(content_->root, "", out);
  return out;
}

void Document::read(const Describe& describe) const {
  Reader reader(content_->root, content_->name, "");
  describe(reader);
  reader.refuse_unknown_keys();
}

}  // namespace cvf::config
