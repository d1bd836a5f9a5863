#include "rollout/batches.hpp"

namespace cvf::rollout {
namespace {

// The counts of all, the worst that happened to one, the steps of the first.
void add_member(std::vector<Frame>& all, const std::vector<Frame>& own) {
  for (std::size_t k = 0; k < own.size(); ++k) {
    all[k].counts.evaluations += own[k].counts.evaluations;
    all[k].counts.accepted += own[k].counts.accepted;
    all[k].counts.rejected += own[k].counts.rejected;
    const auto& status = own[k].row_status;
    all[k].row_status.worsen(status.status, status.time, status.step);
  }
}

// The states [B,T,C,...] of one member, from those of all rows.
StateArray member_of(const StateArray& rows, std::size_t member, std::size_t members) {
  const auto frames = static_cast<std::size_t>(rows.leading[1]);
  StateArray out = nowhere({rows.leading[0] / static_cast<std::int64_t>(members), rows.leading[1]}, rows);
  for (std::size_t i = 0; i < out.rows->rows(); ++i)
    out.rows->copy_row(i, *rows.rows, (i / frames * members + member) * frames + i % frames);
  return out;
}

}  // namespace

Batch for_members(const Batch& states, std::size_t members) {
  if (members == 1) return states;
  std::vector<std::size_t> rows;
  for (std::size_t row = 0; row < states->rows(); ++row) rows.insert(rows.end(), members, row);
  return take_rows(*states, rows);
}

Times for_members(const Times& times, std::size_t members) {
  if (members == 1) return times;
  Times out;
  for (const auto& sample : times) out.insert(out.end(), members, sample);
  return out;
}

Forecast merged(Forecast rows, std::size_t members) {
  if (members == 1) return rows;
  Forecast out;
  out.members.resize(members);
  for (std::size_t row = 0; row < rows.frames.size(); ++row) {
    if (row % members == 0) {
      out.frames.push_back(rows.frames[row]);
    } else {
      add_member(out.frames.back(), rows.frames[row]);
    }
    out.members[row % members].frames.push_back(std::move(rows.frames[row]));
  }
  if (!rows.states.defined()) return out;
  std::vector<StateArray> each;
  for (std::size_t m = 0; m < members; ++m)
    each.push_back(out.members[m].states = member_of(rows.states, m, members));
  rows.states = {};
  auto [mean, spread] = over_members(each);
  out.states = std::move(mean);
  out.spread = std::move(spread);
  return out;
}

void Meeting::take(std::size_t row, std::size_t frame, const StateArray& state) {
  if (members_ == 1) return sink_(row, frame, state, {});
  const auto key = std::make_pair(row / members_, frame);
  auto& here = waiting_.try_emplace(key, Waiting{std::vector<StateArray>(members_), members_}).first->second;
  StateArray& own = here.states[row % members_] = nowhere({}, state);
  own.rows->copy_row(0, *state.rows, 0);
  if (--here.missing > 0) return;
  const auto [mean, spread] = over_members(here.states);
  waiting_.erase(key);
  sink_(key.first, frame, mean, spread);
}

}  // namespace cvf::rollout
