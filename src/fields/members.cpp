#include "fields/members.hpp"

#include <algorithm>
#include <charconv>

#include "core/errors.hpp"
#include "core/random.hpp"

namespace cvf::fields {
namespace {

using torch::Tensor;

constexpr std::string_view shelf = "members.";

}  // namespace

std::uint64_t member_seed(std::uint64_t seed, std::int64_t member) {
  return member == 0 ? seed : RandomStream(seed, "member", static_cast<std::uint64_t>(member)).bits();
}

std::size_t member_of(std::string_view name) {
  std::size_t out = 0;
  if (name.starts_with(shelf)) std::from_chars(name.data() + shelf.size(), name.data() + name.size(), out);
  return out;
}

std::string_view name_within_member(std::string_view name) {
  return name.starts_with(shelf) ? name.substr(name.find('.', shelf.size()) + 1) : name;
}

Members::Members(std::vector<FieldPointer> members)
    : VelocityField(members.at(0)->shape()), members_(std::move(members)) {
  auto all = register_module("members", std::make_shared<torch::nn::Module>());
  for (std::size_t i = 0; i < members_.size(); ++i) all->register_module(fmt::format("{}", i), members_[i]);
}

Tensor Members::forward(const Query& query) {
  Tensor sum = members_.front()->forward(query);
  for (std::size_t i = 1; i < members_.size(); ++i) sum = sum + members_[i]->forward(query);
  return sum / static_cast<double>(members_.size());
}

double Members::flops() const {
  return members_.front()->flops() * static_cast<double>(members_.size());
}

FieldPointer build_members(const Settings& settings, const StateShape& shape, std::uint64_t seed,
                           std::int64_t members) {
  if (members == 1) return settings.build(shape, seed);
  std::vector<FieldPointer> all;
  for (std::int64_t i = 0; i < members; ++i) all.push_back(settings.build(shape, member_seed(seed, i)));
  return std::make_shared<Members>(std::move(all));
}

Tensor forward_by_member(VelocityField& field, const Query& query, std::span<const std::int64_t> which) {
  if (field.member_count() == 1) return field.forward(query);
  std::vector<Tensor> answers, places;
  for (std::int64_t m = 0; m < field.member_count(); ++m) {
    std::vector<std::int64_t> rows;
    for (std::size_t k = 0; k < which.size(); ++k) {
      if (which[k] == m) rows.push_back(static_cast<std::int64_t>(k));
    }
    if (rows.empty()) continue;
    const Tensor place = torch::tensor(rows);
    places.push_back(place);
    answers.push_back(field.member(m).forward(
        {query.state.index_select(0, place), query.dt.index_select(0, place), query.context.select(place)}));
  }
  Tensor out = torch::empty_like(query.state);
  for (std::size_t i = 0; i < answers.size(); ++i) out.index_copy_(0, places[i], answers[i]);
  return out;
}

}  // namespace cvf::fields
