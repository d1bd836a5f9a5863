#include "core/config.hpp"

#include "core/config_reader.hpp"
#include "core/files.hpp"
#include "core/log.hpp"

namespace cvf::config {
namespace {

struct BrokenAssertion {};

constexpr std::size_t largest_document = std::size_t{1} << 24;  // bytes

// Keys of run files that were called otherwise once.
constexpr std::pair<std::string_view, std::string_view> renamed_keys[]{
    {"optimizer.rate", "optimizer.learning_rate"},
    {"optimizer.muon.rate", "optimizer.muon.learning_rate"},
    {"train.at_once", "train.micro_batch"},
    {"train.average", "train.ema_decay"}};

struct Place {
  toml::table* table;
  std::string key;
};

Place place_of(toml::table& root, std::string_view path) {
  const auto dot = path.rfind('.');
  toml::node* node = dot == std::string_view::npos ? &root : root.at_path(path.substr(0, dot)).node();
  return {node == nullptr ? nullptr : node->as_table(), std::string(path.substr(dot + 1))};
}

// Brings old names of keys up to date.
void rename_keys(toml::table& root, const std::string& name) {
  for (const auto& [old, now] : renamed_keys) {
    const Place from = place_of(root, old), to = place_of(root, now);
    const toml::node* value = from.table == nullptr ? nullptr : from.table->get(from.key);
    if (value == nullptr || value->is_table()) continue;
    if (to.table->contains(to.key)) {
      throw ConfigError("{}: has both {} and its old name {}; drop the old one", name, now, old);
    }
    log::note("{}: {} is called {} now", name, old, now);
    to.table->insert(to.key, *value);
    from.table->erase(from.key);
  }
}

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
    static_cast<void>(toml::parse(text));
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

std::string current_name(std::string_view key) {
  for (const auto& [old, now] : renamed_keys) {
    if (key == old) return std::string(now);
  }
  return std::string(key);
}

Document::Document() : content_(std::make_unique<Content>()) {}
Document::~Document() = default;
Document::Document(Document&&) noexcept = default;
Document& Document::operator=(Document&&) noexcept = default;

Document Document::from_file(const std::string& path) {
  std::string text;
  try {
    text = files::read_whole(path, largest_document);
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
  rename_keys(document.content_->root, document.content_->name);
  return document;
}

void Document::set(std::string_view assignment) {
  const std::size_t equals = assignment.find('=');
  if (equals == std::string_view::npos || equals == 0) {
    throw UsageError("--set {}: write it as table.key=value", assignment);
  }
  const std::vector<std::string> path = text::split(current_name(assignment.substr(0, equals)), '.');
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

Document Document::only(std::string_view table) const {
  Document out;
  out.content_->name = content_->name;
  if (const auto* found = content_->root.get_as<toml::table>(table)) out.content_->root.insert(table, *found);
  return out;
}

void Document::read(const Describe& describe) const {
  Reader reader(content_->root, content_->name, "");
  describe(reader);
  reader.refuse_unknown_keys();
}

}  // namespace cvf::config
