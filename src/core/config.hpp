// Configuration: the one `describe` function of an options struct reads it from TOML, writes the resolved
// TOML, and explains it. TOML itself stays inside config.cpp.
//
//   struct Options {
//     double rtol = 1e-3;
//     void describe(config::Section& s) { s.key("rtol", &rtol, "relative tolerance", config::above(0)); }
//   };
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace cvf::config {

/// What values a key may take; checked on reading, printed by `cvf explain`.
struct Limits {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
  bool low_allowed = true;
  std::vector<std::string> names;  // for words: the only ones allowed

  std::string words() const;  // "> 0", "one of a, b", ...
};
Limits at_least(double low);
Limits above(double low);
Limits between(double low, double high);
Limits one_of(std::vector<std::string> names);

using Target = std::variant<bool*, int*, std::int64_t*, double*, std::string*, std::vector<double>*,
                            std::vector<std::int64_t>*, std::vector<std::string>*>;

/// What a describe function talks to. Reading, writing and explaining are three implementations.
class Section {
 public:
  virtual ~Section() = default;

  void key(std::string_view name, Target target, std::string_view help, const Limits& limits = {}) {
    visit(name, target, help, limits);
  }

  /// A key whose words stand for the values of an enum.
  template <class Enum>
  void choice(std::string_view name, Enum& value, std::span<const std::pair<std::string_view, Enum>> table,
              std::string_view help) {
    Limits limits;
    std::string word;
    for (const auto& [known, meaning] : table) {
      limits.names.emplace_back(known);
      if (meaning == value) word = known;
    }
    visit(name, &word, help, limits);
    for (const auto& [known, meaning] : table) {
      if (word == known) value = meaning;
    }
  }

  /// A table inside this one.
  void table(std::string_view name, std::string_view help, const std::function<void(Section&)>& describe) {
    visit_table(name, help, describe);
  }

  /// Tables under names of the user's own, in the order of the file: [method.sm], [method.cvf], ...
  template <class Options>
  void tables(std::string_view name, std::vector<std::pair<std::string, Options>>& all,
              std::string_view help) {
    for (auto& key : visit_names(name)) all.emplace_back(std::move(key), Options{});
    visit_table(name, help, [&all](Section& s) {
      for (auto& entry : all) s.table(entry.first, "", [&entry](Section& t) { entry.second.describe(t); });
    });
  }

 protected:
  /// The names that the tables inside `table` have where this section reads from.
  virtual std::vector<std::string> visit_names(std::string_view table) = 0;
  virtual void visit(std::string_view name, Target target, std::string_view help, const Limits& limits) = 0;
  virtual void visit_table(std::string_view name, std::string_view help,
                           const std::function<void(Section&)>& describe) = 0;
};

using Describe = std::function<void(Section&)>;

/// What a key of an older run file is called today: "optimizer.learning_rate" for "optimizer.rate"; any other
/// key as it is. Documents take both names, and note the old one.
std::string current_name(std::string_view key);

/// A parsed TOML text and the overrides laid over it.
class Document {
 public:
  Document();
  ~Document();
  Document(Document&&) noexcept;
  Document& operator=(Document&&) noexcept;

  static Document from_file(const std::string& path);
  static Document from_text(std::string_view text, std::string name);

  /// `assignment` is "a.b=value"; the value is TOML, or a bare word taken as a string.
  void set(std::string_view assignment);

  /// One word, number or truth value as text, "objective.name" say; nothing when it is not there. For a
  /// glance at a file that somebody else describes.
  std::optional<std::string> look_up(std::string_view path) const;

  /// Every key that holds a value as ("objective.rupture.span", "scaled"), tables opened, in the order of
  /// their names.
  std::vector<std::pair<std::string, std::string>> all() const;

  /// A document that holds this table alone, for whoever need not know the rest; without it, an empty one.
  Document only(std::string_view table) const;

  /// Fills the described options; throws ConfigError on an unknown key, a wrong type or a value out of
  /// limits.
  void read(const Describe& describe) const;

 private:
  struct Content;
  std::unique_ptr<Content> content_;
};

/// The resolved options as TOML, keys in the order of their description.
std::string write(const Describe& describe);

/// The options as a text for people: key, type, default, limits, meaning.
std::string explain(const Describe& describe);

// The kinds of values that a configuration key can have, in words. Shared by reading and explaining.

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

}  // namespace cvf::config
