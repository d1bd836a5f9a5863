// The ranks of a distributed run as one value. In a group of one everything below does nothing, so callers
// need no `if`. Every rank must call the same functions in the same order; each call then has the same effect
// on all.
//
// Sums are formed by Gloo's ring: each piece is added up along the ring in a fixed order by one rank after
// the other and then handed round, so all ranks hold the same bits, and a second run with as many ranks gets
// them again.
//
// Gradients are averaged after the backward pass, not during it: the fused token stream is one node of the
// graph, whose gradients all appear at its end, and the average costs 1-3 % of a step (bench/distributed),
// the most that could be hidden.
//
// A rank that dies or stops answering is a DistributedError in the others, within seconds or within
// `timeout`.
#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/config.hpp"
#include "core/torch.hpp"
#include "train/distributed/membership.hpp"

namespace cvf::train {

// Tensors gathered into flat pieces, so that a collective moves a few large messages instead of many small
// ones.

/// Consecutive tensors of one type on one device. A large contiguous tensor alone in its bucket is not
/// copied.
struct Bucket {
  std::vector<torch::Tensor> members;
  torch::Tensor flat;  // defined by pack()

  void pack();
  void unpack();  // flat back into the members
};

/// How the tensors are dealt out depends on their order, types and sizes only: on every rank the same.
/// Undefined tensors are passed over.
std::vector<Bucket> buckets(std::span<const torch::Tensor> tensors, double bytes);

struct ProcessGroupOptions {
  double timeout = 30;        // seconds
  double join_timeout = 300;  // seconds
  double bucket_megabytes = 4;

  void describe(config::Section& section);
};

/// Averages on their way; the tensors must not be touched until `finish`.
class Averaging {
 public:
  Averaging();
  ~Averaging();
  Averaging(Averaging&&) noexcept;
  Averaging& operator=(Averaging&&) noexcept;
  void finish();

 private:
  friend class ProcessGroup;
  struct State;
  std::unique_ptr<State> state_;
};

class ProcessGroup {
 public:
  ProcessGroup();  // of one
  ~ProcessGroup();
  ProcessGroup(ProcessGroup&&) noexcept;
  ProcessGroup& operator=(ProcessGroup&&) noexcept;

  /// Connects this rank with the others through `folder`, which all ranks share (train/distributed/rendezvous);
  /// a group of one leaves it alone. Also gives this process its share of threads when `--local-ranks` started
  /// it, and keeps the log of every rank but 0 to warnings. On a GPU (`device`) NCCL carries the tensors when
  /// it was built in.
  static ProcessGroup join(const std::string& folder, const ProcessGroupOptions& options = {},
                           const Membership& membership = train::membership(),
                           torch::Device device = torch::kCPU);

  int rank() const { return membership_.rank; }
  int size() const { return membership_.size; }
  bool leads() const { return rank() == 0; }
  const Membership& membership() const { return membership_; }

  /// Each tensor becomes its mean over the ranks, in place. Undefined tensors (a parameter without gradient)
  /// are passed over; they must be so on every rank.
  void average(std::span<const torch::Tensor> tensors);
  /// The same without waiting: the flat buckets travel while the caller computes something else.
  Averaging begin_average(std::span<const torch::Tensor> tensors);
  /// Each tensor becomes that of rank `from`, in place.
  void broadcast(std::span<const torch::Tensor> tensors, int from = 0);

  double sum(double value);
  std::vector<double> sum(std::vector<double> values);
  std::vector<double> gather(double value);  // one of each rank, in their order
  bool any(bool value);                      // e.g. whether a signal reached one of us
  void barrier();

  std::string broadcast(std::string text, int from = 0);  // that of rank `from`

  /// A ConfigError on every rank, the same one, that names the first key in which a rank differs from rank 0.
  using Settings = std::map<std::string, std::string>;
  void check_same(const Settings& settings);

 private:
  friend class Averaging;
  struct Link;
  Membership membership_;
  std::unique_ptr<Link> link_;  // null in a group of one
};

}  // namespace cvf::train
