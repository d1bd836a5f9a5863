// Several fields of one kind that learned the same data from different random streams. Where they agree the
// data decided; where they do not, the draw of the weights did.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "fields/field.hpp"

namespace cvf::fields {

/// The seed of a member's own streams; the first has that of the run, so it is the field of a run of one.
std::uint64_t member_seed(std::uint64_t seed, std::int64_t member);

/// The member that a parameter of this name ("members.2.input.weight") belongs to; 0 where there is only one.
std::size_t member_of(std::string_view name);
/// Its name in a field of one: "input.weight".
std::string_view name_within_member(std::string_view name);

class Members : public VelocityField {
 public:
  explicit Members(std::vector<FieldPointer> members);

  using VelocityField::forward;
  /// The mean of all members.
  torch::Tensor forward(const Query& query) override;

  bool conditioned() const override { return members_.front()->conditioned(); }
  bool any_grid() const override { return members_.front()->any_grid(); }
  double flops() const override;
  /// They take a training step one after the other, so one at a time holds its activations.
  double training_bytes(double evaluations) const override {
    return members_.front()->training_bytes(evaluations);
  }
  std::int64_t micro_batch_rows(double evaluations) const override {
    return members_.front()->micro_batch_rows(evaluations);
  }
  std::int64_t member_count() const override { return static_cast<std::int64_t>(members_.size()); }
  VelocityField& member(std::int64_t index) override { return *members_.at(static_cast<std::size_t>(index)); }

 private:
  std::vector<FieldPointer> members_;
};

/// As many fields as `members` says, each from its own stream; one: the field itself.
FieldPointer build_members(const Settings& settings, const StateShape& shape, std::uint64_t seed,
                           std::int64_t members);

/// psi of each row by the member that `which` names for it.
torch::Tensor forward_by_member(VelocityField& field, const Query& query,
                                std::span<const std::int64_t> which);

}  // namespace cvf::fields
