#include "solvers/members.hpp"

#include <cmath>

namespace cvf::solvers {
namespace {

void add(Counts& all, const Counts& own) {
  all.evaluations += own.evaluations;
  all.accepted += own.accepted;
  all.rejected += own.rejected;
}

void worsen(RowStatus& all, const RowStatus& own) {
  all.worsen(own.status, own.time, own.step);
}

template <class T>
void mean_and_spread(Batches members, T* mean, T* spread, std::size_t values) {
  const auto count = static_cast<double>(members.size());
  for (std::size_t i = 0; i < values; ++i) {
    double sum = 0, squares = 0;
    for (const auto& member : members) sum += static_cast<double>(member->data<T>()[i]);
    for (const auto& member : members) {
      const double apart = static_cast<double>(member->data<T>()[i]) - sum / count;
      squares += apart * apart;
    }
    mean[i] = static_cast<T>(sum / count);
    spread[i] = static_cast<T>(std::sqrt(squares / (count - 1)));
  }
}

}  // namespace

Batch for_members(const Batch& states, std::size_t members) {
  if (members == 1) return states;
  std::vector<std::size_t> rows;
  for (std::size_t row = 0; row < states->rows(); ++row) rows.insert(rows.end(), members, row);
  return take_rows(*states, rows);
}

MeanAndSpread over_members(Batches members) {
  const States& like = *members.front();
  const MeanAndSpread out{like.empty(like.rows()), like.empty(like.rows())};
  const std::size_t values = like.rows() * like.values();
  if (like.type() == States::Type::float64) {
    mean_and_spread(members, out.mean->data<double>(), out.spread->data<double>(), values);
  } else {
    mean_and_spread(members, out.mean->data<float>(), out.spread->data<float>(), values);
  }
  return out;
}

void add_member(std::vector<Frame>& all, const std::vector<Frame>& own) {
  for (std::size_t k = 0; k < own.size(); ++k) {
    add(all[k].counts, own[k].counts);
    worsen(all[k].row_status, own[k].row_status);
  }
}

Outcome merged(const Outcome& rows, std::size_t members) {
  if (members == 1) return rows;
  Outcome out;
  for (std::size_t row = 0; row < rows.counts.size(); ++row) {
    if (row % members == 0) {
      out.counts.push_back(rows.counts[row]);
      out.statuses.push_back(rows.statuses[row]);
      out.target_records.push_back(rows.target_records[row]);
      out.steps.push_back(rows.steps[row]);
      continue;
    }
    add(out.counts.back(), rows.counts[row]);
    worsen(out.statuses.back(), rows.statuses[row]);
    for (std::size_t k = 0; k < rows.target_records[row].size(); ++k) {
      add(out.target_records.back()[k].counts, rows.target_records[row][k].counts);
      worsen(out.target_records.back()[k].row_status, rows.target_records[row][k].row_status);
    }
  }
  return out;
}

void Meeting::take(std::size_t row, std::size_t frame, const Batch& state) {
  if (members_ == 1) return sink_(row, frame, state, nullptr);
  const auto key = std::make_pair(row / members_, frame);
  auto& here = waiting_.try_emplace(key, Waiting{std::vector<Batch>(members_), members_}).first->second;
  Batch& own = here.states[row % members_] = state->empty(1);
  own->copy_row(0, *state, 0);
  if (--here.missing > 0) return;
  const auto [mean, spread] = over_members(here.states);
  waiting_.erase(key);
  sink_(key.first, frame, mean, spread);
}

}  // namespace cvf::solvers
