#include "train/distributed/buckets.hpp"

namespace cvf::train {

using torch::Tensor;

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
