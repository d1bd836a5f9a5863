#include "rollout/members.hpp"

namespace cvf::rollout {

using torch::Tensor;

std::int64_t member_count(const Setup& setup) {
  return setup.model.field->member_count();
}

Tensor for_members(const Tensor& states, std::int64_t members) {
  return members == 1 ? states : states.repeat_interleave(members, 0);
}

Times for_members(const Times& times, std::int64_t members) {
  if (members == 1) return times;
  Times out;
  for (const auto& sample : times) out.insert(out.end(), static_cast<std::size_t>(members), sample);
  return out;
}

MeanAndSpread over_members(const Tensor& states, std::int64_t axis) {
  const Tensor mean = states.mean(axis, true);
  const Tensor squares = (states - mean).square().sum(axis);
  return {mean.squeeze(axis), (squares / static_cast<double>(states.size(axis) - 1)).sqrt()};
}

// The counts of all, the worst that happened to one, the steps of the first.
std::vector<std::vector<Frame>> merged(std::vector<std::vector<Frame>> rows, std::int64_t members,
                                       std::vector<Forecast>* each) {
  const auto count = static_cast<std::size_t>(members);
  if (count == 1) return rows;
  std::vector<std::vector<Frame>> out;
  for (std::size_t row = 0; row < rows.size(); ++row) {
    if (row % count == 0) {
      out.push_back(rows[row]);
    } else {
      for (std::size_t k = 0; k < rows[row].size(); ++k) {
        Frame& all = out.back()[k];
        const Frame& own = rows[row][k];
        all.counts.evaluations += own.counts.evaluations;
        all.counts.accepted += own.counts.accepted;
        all.counts.rejected += own.counts.rejected;
        all.row_status.worsen(own.row_status.status, own.row_status.time, own.row_status.step);
      }
    }
    if (each != nullptr) {
      each->resize(count);
      (*each)[row % count].frames.push_back(std::move(rows[row]));
    }
  }
  return out;
}

Forecast merged(Forecast rows, std::int64_t members) {
  if (members == 1) return rows;
  Forecast out;
  out.frames = merged(std::move(rows.frames), members, &out.members);
  if (!rows.states.value.defined()) return out;
  auto sizes = rows.states.value.sizes().vec();
  sizes[0] /= members;
  sizes.insert(sizes.begin() + 1, members);
  const Tensor all = rows.states.value.view(sizes);
  for (std::size_t m = 0; m < out.members.size(); ++m)
    out.members[m].states = {all.select(1, static_cast<std::int64_t>(m))};
  const auto [mean, spread] = over_members(all, 1);
  out.states = {mean};
  out.spread = {spread};
  return out;
}

void Meeting::take(std::size_t row, std::size_t frame, const Tensor& state) {
  const auto count = static_cast<std::size_t>(members_);
  if (count == 1) return sink_(row, frame, {state}, {});
  const auto key = std::make_pair(row / count, frame);
  auto& here = waiting_.try_emplace(key, Waiting{std::vector<Tensor>(count), members_}).first->second;
  here.states[row % count] = state.clone();
  if (--here.missing > 0) return;
  const auto [mean, spread] = over_members(torch::stack(here.states), 0);
  waiting_.erase(key);
  sink_(key.first, frame, {mean}, {spread});
}

}  // namespace cvf::rollout
