// Options as text: the resolved TOML that a run saves, and the explanation for people. Needs no TOML library.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "core/config.hpp"
#include "core/text.hpp"

namespace cvf::config {
namespace {

// Shortest text that reads back as the same double, and is a TOML float rather than an integer.
std::string real_text(double value) {
  std::string digits = fmt::format("{}", value);
  if (digits.find_first_of(".enf") == std::string::npos) digits += ".0";
  return digits;
}

// Control characters must be escaped in TOML; everything else but the quote and the backslash stands as it
// is.
std::string in_quotes(std::string_view word) {
  std::string out = "\"";
  for (const char c : word) {
    const auto code = static_cast<unsigned char>(c);
    if (c == '\n') {
      out += "\\n";
    } else if (code < 0x20 || code == 0x7f) {
      out += fmt::format("\\u{:04x}", code);
    } else {
      if (c == '"' || c == '\\') out += '\\';
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
    return in_quotes(value);
  } else if constexpr (IsVector<T>::value) {
    std::vector<std::string> items;
    for (const auto& item : value) items.push_back(value_text(item));
    return "[" + text::join(items) + "]";
  } else {
    return fmt::format("{}", value);
  }
}

std::string key_text(std::string_view name) {
  const bool bare = std::all_of(name.begin(), name.end(),
                                [](unsigned char c) { return std::isalnum(c) != 0 || c == '_' || c == '-'; });
  return bare && !name.empty() ? std::string(name) : in_quotes(name);
}

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
    Writer inner(path_.empty() ? key_text(name) : fmt::format("{}.{}", path_, key_text(name)));
    describe(inner);
    tables_ += inner.text();
  }
  std::vector<std::string> visit_names(std::string_view) override { return {}; }  // those that are there

 private:
  std::string path_, values_, tables_;
};

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
  std::vector<std::string> visit_names(std::string_view) override { return {"NAME"}; }

 private:
  std::string prefix_;
};

}  // namespace

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
