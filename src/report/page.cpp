#include "core/errors.hpp"
#include "report/report.hpp"

namespace cvf::report {
namespace {

std::string_view file_named(std::string_view name) {
  for (const auto& file : page_files()) {
    if (file.name == name) return file.content;
  }
  throw DataError("the page has no file {}", name);
}

std::string all_scripts() {
  std::string out;
  for (const auto& file : page_files()) {
    if (file.name.ends_with(".js")) out += file.content;
  }
  return out;
}

// "a {{mark}} b" with the mark replaced; what is put in is not looked at again.
std::string filled(std::string_view form,
                   const std::vector<std::pair<std::string_view, std::string>>& values) {
  std::string out;
  for (std::size_t at = 0; at < form.size();) {
    const auto begin = form.find("{{", at), end = form.find("}}", begin);
    out += form.substr(at, begin - at);
    if (end == std::string_view::npos) break;
    const auto name = form.substr(begin + 2, end - begin - 2);
    for (const auto& [known, value] : values) out += known == name ? value : "";
    at = end + 2;
  }
  return out;
}

}  // namespace

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::string json_for_script(const Json& document) {
  const std::string plain = document.dump(-1, ' ', false, Json::error_handler_t::replace);
  std::string out;
  out.reserve(plain.size());
  for (const char c : plain) {
    if (c == '<') {
      out += "\\u003c";  // in JSON, '<' stands in strings only
    } else {
      out += c;
    }
  }
  return out;
}

std::string page_of(const Json& document) {
  // The title goes through JSON's own repair of broken UTF-8 first.
  const Json repaired = Json::parse(json_for_script(document));
  return filled(file_named("page.html"), {{"title", escaped(text_in(repaired, "title"))},
                                          {"style", std::string(file_named("page.css"))},
                                          {"document", json_for_script(document)},
                                          {"script", all_scripts()}});
}

}  // namespace cvf::report
