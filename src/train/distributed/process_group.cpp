#include "train/distributed/process_group.hpp"

#include <algorithm>

#include "core/errors.hpp"
#include "core/log.hpp"
#include "core/text.hpp"
#include "core/threads.hpp"
#include "train/distributed/c10d.hpp"

namespace cvf::train {

using torch::Tensor;

void ProcessGroupOptions::describe(config::Section& section) {
  section.key(
      "timeout", &timeout,
      "seconds without an answer after which a rank counts as lost; longer than what one rank does alone",
      config::above(0));
  section.key("join_timeout", &join_timeout, "seconds that the ranks wait for each other at the start",
              config::above(0));
  section.key("bucket_megabytes", &bucket_megabytes, "size of the flat pieces that gradients are averaged in",
              config::above(0));
}

struct ProcessGroup::Link {
  c10::intrusive_ptr<Group> group;
  ProcessGroupOptions options;
  torch::Device device;
  int rank, size;
  mutable bool broken = false;  // a rank was lost

  // Threads of gloo may still be hearing of a loss: such a group stays until the process ends, and whoever
  // lost the rank lives to say so.
  ~Link() {
    static auto& kept = *new std::vector<c10::intrusive_ptr<Group>>;
    if (broken) kept.push_back(std::move(group));
  }

  // "[pair.cc:598] Connection closed by peer [127.0.0.1]:41" becomes "Connection closed by peer
  // [127.0.0.1]:41".
  [[noreturn]] void lost(std::string_view doing, std::string_view reason) const {
    broken = true;
    reason = reason.substr(0, reason.find('\n'));
    if (reason.starts_with('[')) reason.remove_prefix(std::min(reason.size(), reason.find(']') + 2));
    throw DistributedError("rank {} of {} lost another rank while {}: {}", rank, size, doing, reason);
  }

  template <class Act>
  auto guarded(std::string_view doing, Act&& act) const {
    try {
      return act();
    } catch (const std::exception& error) {
      lost(doing, error.what());
    }
  }

  void wait(std::string_view doing, Work& work) const {
    guarded(doing, [&] { return work.wait(); });
  }

  c10::intrusive_ptr<Work> begin_sum(std::string_view doing, const Tensor& flat) const {
    std::vector<Tensor> one{flat};
    return guarded(doing, [&] { return group->allreduce(one); });
  }
};

struct Averaging::State {
  struct Flight {
    Bucket bucket;
    c10::intrusive_ptr<Work> work;
  };
  const ProcessGroup::Link* link;
  std::vector<Flight> flights;
};

Averaging::Averaging() = default;
Averaging::~Averaging() = default;
Averaging::Averaging(Averaging&&) noexcept = default;
Averaging& Averaging::operator=(Averaging&&) noexcept = default;

void Averaging::finish() {
  if (!state_) return;
  const torch::NoGradGuard no_grad;
  for (auto& [bucket, work] : state_->flights) {
    state_->link->wait("averaging", *work);
    bucket.flat.div_(state_->link->size);
    bucket.unpack();
  }
  state_.reset();
}

ProcessGroup::ProcessGroup() = default;
ProcessGroup::~ProcessGroup() = default;
ProcessGroup::ProcessGroup(ProcessGroup&&) noexcept = default;
ProcessGroup& ProcessGroup::operator=(ProcessGroup&&) noexcept = default;

ProcessGroup ProcessGroup::join(const std::string& folder, const ProcessGroupOptions& options,
                                const Membership& membership, torch::Device device) {
  ProcessGroup group;
  group.membership_ = membership;
  if (membership.threads > 0) threads::use(membership.threads);
  if (membership.rank > 0) log::set_level(log::Level::quiet);
  if (membership.size > 1) {
    group.link_.reset(
        new Link{connect(membership, folder, options, device), options, device, membership.rank, membership.size});
  }
  return group;
}

Averaging ProcessGroup::begin_average(std::span<const Tensor> tensors) {
  Averaging out;
  if (!link_) return out;
  const torch::NoGradGuard no_grad;
  out.state_ = std::make_unique<Averaging::State>(Averaging::State{link_.get(), {}});
  for (auto& bucket : buckets(tensors, link_->options.bucket_megabytes * 1e6)) {
    bucket.pack();
    auto work = link_->begin_sum("averaging", bucket.flat);
    out.state_->flights.push_back({std::move(bucket), std::move(work)});
  }
  return out;
}

void ProcessGroup::average(std::span<const Tensor> tensors) {
  begin_average(tensors).finish();
}

void ProcessGroup::broadcast(std::span<const Tensor> tensors, int from) {
  if (!link_) return;
  const torch::NoGradGuard no_grad;
  ::c10d::BroadcastOptions options;
  options.rootRank = from;
  for (auto& bucket : buckets(tensors, link_->options.bucket_megabytes * 1e6)) {
    bucket.pack();
    std::vector<Tensor> one{bucket.flat};
    const auto work = link_->guarded("broadcasting", [&] { return link_->group->broadcast(one, options); });
    link_->wait("broadcasting", *work);
    bucket.unpack();
  }
}

std::vector<double> ProcessGroup::sum(std::vector<double> values) {
  if (!link_ || values.empty()) return values;
  const auto flat = torch::tensor(values, torch::kDouble).to(link_->device);
  link_->wait("adding up", *link_->begin_sum("adding up", flat));
  const auto here = flat.cpu();
  return {here.data_ptr<double>(), here.data_ptr<double>() + here.numel()};
}

double ProcessGroup::sum(double value) {
  return sum(std::vector{value})[0];
}

std::vector<double> ProcessGroup::gather(double value) {
  std::vector<double> all(static_cast<std::size_t>(size()), 0);
  all[static_cast<std::size_t>(rank())] = value;
  return sum(all);
}

bool ProcessGroup::any(bool value) {
  return sum(value ? 1.0 : 0.0) > 0;
}

void ProcessGroup::barrier() {
  sum(0.0);
}

std::string ProcessGroup::broadcast(std::string text, int from) {
  const auto length = static_cast<std::int64_t>(sum(rank() == from ? static_cast<double>(text.size()) : 0));
  text.resize(static_cast<std::size_t>(length));
  if (length == 0) return text;
  const Tensor bytes = torch::from_blob(text.data(), {length}, torch::kByte).clone();
  const Tensor there = link_ ? bytes.to(link_->device) : bytes;
  broadcast(std::vector{there}, from);
  const Tensor here = there.cpu();
  return {reinterpret_cast<const char*>(here.data_ptr<std::uint8_t>()), text.size()};
}

namespace {

// Keys and values contain no line breaks.
std::string lines_of(const ProcessGroup::Settings& settings) {
  std::string out;
  for (const auto& [key, value] : settings) out += key + "\n" + value + "\n";
  return out;
}

ProcessGroup::Settings settings_in(const std::string& lines) {
  const auto words = text::split(lines, '\n');
  ProcessGroup::Settings out;
  for (std::size_t i = 0; i + 1 < words.size(); i += 2) out[words[i]] = words[i + 1];
  return out;
}

std::string first_difference(int rank, const ProcessGroup::Settings& ours,
                             const ProcessGroup::Settings& leaders) {
  ProcessGroup::Settings all = ours;
  all.insert(leaders.begin(), leaders.end());
  const auto value = [](const ProcessGroup::Settings& in, const std::string& key) {
    const auto found = in.find(key);
    return found == in.end() ? "not set" : found->second;
  };
  for (const auto& [key, any] : all) {
    const std::string here = value(ours, key), there = value(leaders, key);
    if (here != there) {
      return fmt::format(
          "rank {} has {} = {}, and rank 0 has {}: start every rank with the same settings and the same data",
          rank, key, here, there);
    }
  }
  return "";
}

}  // namespace

void ProcessGroup::check_same(const Settings& settings) {
  if (!link_) return;
  const std::string difference =
      first_difference(rank(), settings, settings_in(broadcast(lines_of(settings))));
  const auto all = gather(difference.empty() ? 0 : 1);
  const auto other = std::find(all.begin(), all.end(), 1.0) - all.begin();
  if (other == size()) return;
  throw ConfigError("{}", broadcast(difference, static_cast<int>(other)));
}

void Bucket::pack() {
  if (members.size() == 1 && members[0].is_contiguous()) {
    flat = members[0].detach().view({-1});
    return;
  }
  std::vector<Tensor> lines;
  for (const auto& member : members) lines.push_back(member.detach().reshape({-1}));
  flat = torch::cat(lines);
}

void Bucket::unpack() {
  if (members.size() == 1 && flat.data_ptr() == members[0].data_ptr()) return;
  std::int64_t at = 0;
  for (auto& member : members) {
    member.copy_(flat.narrow(0, at, member.numel()).view(member.sizes()));
    at += member.numel();
  }
}

std::vector<Bucket> buckets(std::span<const Tensor> tensors, double bytes) {
  std::vector<Bucket> out;
  double filled = 0;
  for (const auto& tensor : tensors) {
    if (!tensor.defined() || tensor.numel() == 0) continue;
    const double size = static_cast<double>(tensor.nbytes());
    const bool joins = !out.empty() && filled + size <= bytes &&
                       out.back().members[0].dtype() == tensor.dtype() &&
                       out.back().members[0].device() == tensor.device();
    if (!joins) {
      out.emplace_back();
      filled = 0;
    }
    out.back().members.push_back(tensor);
    filled += size;
  }
  return out;
}

}  // namespace cvf::train
