#include "model/safetensors/header.hpp"

#include <limits>
#include <nlohmann/json.hpp>
#include <set>

#include "core/errors.hpp"

namespace cvf::model::safetensors {
namespace {

using Json = nlohmann::json;

// Events of the parser instead of a tree: a tree would keep the last of two equal keys and say nothing, and a
// deep nest is refused at its first bracket too many, before it can cost anything.
class Listener : public nlohmann::json_sax<Json> {
 public:
  explicit Listener(std::string_view path) : path_(path) {}
  Header take() { return std::move(header_); }

  bool start_object(std::size_t) override {
    if (place_ == Place::outside) return enter(Place::file);
    if (place_ != Place::file) refuse_value("an object");
    if (name_ == "__metadata__") return enter(Place::metadata);
    header_.entries.push_back({.name = name_});
    seen_.clear();
    return enter(Place::tensor);
  }

  bool end_object() override {
    if (place_ == Place::tensor && seen_.size() != 3) {
      fail("{} needs dtype, shape and data_offsets", subject());
    }
    return enter(place_ == Place::file ? Place::outside : Place::file);
  }

  bool start_array(std::size_t) override {
    if (place_ != Place::tensor || key_ == "dtype") refuse_value("a list");
    return enter(Place::list);
  }

  bool end_array() override {
    if (key_ == "data_offsets" && entry().offsets.size() != 2) {
      fail("{} has {} data_offsets instead of 2", subject(), entry().offsets.size());
    }
    return enter(Place::tensor);
  }

  bool key(std::string& word) override {
    if (place_ == Place::file) {
      name_ = word;
      if (!names_.insert(word).second) fail("{} appears twice in the header", shown(word));
      return true;
    }
    key_ = word;
    if (place_ == Place::metadata) return true;
    if (word != "dtype" && word != "shape" && word != "data_offsets") {
      fail("{} has an unknown key {}", subject(), shown(word));
    }
    if (!seen_.insert(word).second) fail("{} has the key {} twice", subject(), shown(word));
    return true;
  }

  bool string(std::string& word) override {
    if (place_ == Place::metadata) {
      if (!header_.metadata.emplace(key_, word).second) fail("__metadata__ has {} twice", shown(key_));
      return true;
    }
    if (place_ != Place::tensor || key_ != "dtype") refuse_value("a text");
    const auto dtype = dtype_named(word);
    if (!dtype) fail("{} has the unknown type {}", subject(), shown(word));
    entry().dtype = *dtype;
    return true;
  }

  bool number_unsigned(std::uint64_t number) override {
    if (place_ != Place::list) refuse_value("a number");
    if (number > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
      fail("{} has {} in its {}, which is too large", subject(), number, key_);
    }
    (key_ == "shape" ? entry().shape : entry().offsets).push_back(static_cast<std::int64_t>(number));
    return true;
  }

  bool number_integer(std::int64_t number) override {
    if (place_ != Place::list) refuse_value("a number");
    fail("{} has {} in its {}, which must not be negative", subject(), number, key_);
  }

  bool number_float(double, const std::string& digits) override {
    if (place_ != Place::list) refuse_value("a number");
    fail("{} has {} in its {}, which is no whole number that fits", subject(), shown(digits), key_);
  }

  bool null() override { refuse_value("null"); }
  bool boolean(bool) override { refuse_value("true or false"); }
  bool binary(Json::binary_t&) override { refuse_value("binary data"); }

  bool parse_error(std::size_t position, const std::string&, const Json::exception&) override {
    fail("the header is not valid JSON at its byte {}", position);
  }

 private:
  enum class Place { outside, file, metadata, tensor, list };

  bool enter(Place place) {
    place_ = place;
    return true;
  }
  HeaderEntry& entry() { return header_.entries.back(); }
  std::string subject() const { return "tensor " + shown(name_); }

  template <class... Args>
  [[noreturn]] void fail(fmt::format_string<Args...> format, Args&&... args) const {
    throw ModelError("{}: {}", path_, fmt::format(format, std::forward<Args>(args)...));
  }

  [[noreturn]] void refuse_value(std::string_view what) const {
    if (place_ == Place::file) fail("{} is {} instead of an object", shown(name_), what);
    if (place_ == Place::metadata) fail("__metadata__ {} is {} instead of a text", shown(key_), what);
    fail("{} has {} where its {} belongs", subject(), what, key_);
  }

  std::string_view path_;
  Header header_;
  Place place_ = Place::outside;
  std::string name_, key_;
  std::set<std::string> names_, seen_;  // keys of the file, keys of the present tensor
};

}  // namespace

Header parse_header(std::string_view json, std::string_view path) {
  if (json.empty() || json.front() != '{') {
    throw ModelError("{}: the header does not begin with a JSON object", path);
  }
  if (json.find('\0') != std::string_view::npos) {  // the parser takes a zero byte for the end of its input
    throw ModelError("{}: the header has a zero byte", path);
  }
  Listener listener(path);
  Json::sax_parse(json.begin(), json.end(), &listener);
  return listener.take();
}

}  // namespace cvf::model::safetensors
