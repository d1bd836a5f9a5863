// A shelf of interchangeable things: an explicit table of rows, each with a name and a one-line summary.
// Adding a thing is one file and one row; nothing registers itself behind the reader's back.
#pragma once

#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/config.hpp"
#include "core/errors.hpp"
#include "core/text.hpp"

namespace cvf {

template <class Row>
std::vector<std::string> names(std::span<const Row> rows) {
  std::vector<std::string> out;
  for (const auto& row : rows) out.emplace_back(row.name);
  return out;
}

/// The row called `name`; `kind` ("system", "solver") is for the error's sentence.
template <class Row>
const Row& find(std::span<const Row> rows, std::string_view name, std::string_view kind) {
  for (const auto& row : rows) {
    if (row.name == name) return row;
  }
  throw UsageError("unknown {} '{}'{}", kind, name, text::suggestion(name, names(rows)));
}

/// The options of one row of a shelf, behind one face: described for TOML, then built.
template <class Made, class... Given>
class SettingsOf {
 public:
  using Base = SettingsOf;
  virtual ~SettingsOf() = default;
  virtual void describe(config::Section& section) = 0;
  virtual Made build(Given... given) const = 0;
};

/// A shelf's Settings for a type with a nested Options that has `describe(Section&)`, made of the options and
/// what is given, or of the first thing given, the options and the rest.
template <class Type, class Settings, class Base = typename Settings::Base>
struct OptionsOf;
template <class Type, class Settings, class Made, class... Given>
struct OptionsOf<Type, Settings, SettingsOf<Made, Given...>> : Settings {
  typename Type::Options options;

  void describe(config::Section& section) override { options.describe(section); }
  Made build(Given... given) const override {
    if constexpr (std::is_constructible_v<Type, const typename Type::Options&, Given...>) {
      return Made(std::make_unique<Type>(options, given...));
    } else {
      return [this](auto&& first, auto&&... rest) {
        return Made(std::make_unique<Type>(first, options, rest...));
      }(given...);
    }
  }
};

template <class Type, class Settings>
std::unique_ptr<Settings> settings_of() {
  return std::make_unique<OptionsOf<Type, Settings>>();
}

/// The name of a row and its settings. `rows` is the shelf's function registry(); a row has `name`, a static
/// `kind` ("solver") and `settings()`.
template <auto rows>
struct Choice {
  using Row = typename decltype(rows())::value_type;
  using Settings = typename decltype(std::declval<Row>().settings())::element_type;

  std::string name;
  std::shared_ptr<Settings> settings;  // null: the defaults of `name`

  Choice(std::string_view row) : name(row) {}
  Choice(const char* row) : name(row) {}

  void describe(config::Section& s) {
    describe_name(s, fmt::format("which {}", Row::kind));
    use(name);
    settings->describe(s);
  }
  /// The key alone. `also` are names that the caller makes rows of.
  void describe_name(config::Section& s, std::string_view help,
                     std::initializer_list<const char*> also = {}) {
    std::vector<std::string> known(also.begin(), also.end());
    for (const auto& row : rows()) known.emplace_back(row.name);
    s.key("name", &name, help, config::one_of(known));
  }
  /// Makes the settings anew, with their defaults, unless they are those of this row. True: they are new.
  bool use(std::string_view row) {
    if (settings && row == made_for_) return false;
    settings = find(rows(), row, Row::kind).settings();
    made_for_ = row;
    return true;
  }
  template <class... Given>
  auto build(Given&&... given) const {
    Choice copy = *this;
    copy.use(name);
    return copy.settings->build(std::forward<Given>(given)...);
  }

  std::string to_toml() const {
    return config::write([copy = *this](config::Section& s) mutable { copy.describe(s); });
  }

 private:
  std::string made_for_;
};

}  // namespace cvf
