#include "solvers/tensors/integrate.hpp"

namespace cvf::solvers {
namespace {

using torch::Tensor;

class TensorStates : public States {
 public:
  explicit TensorStates(Tensor values)
      : States(extent_of(values), type_of(values), memory_of(values)), tensor(std::move(values)) {}

  Batch empty(std::size_t rows) const override {
    auto shape = tensor.sizes().vec();
    shape[0] = static_cast<std::int64_t>(rows);
    return std::make_shared<TensorStates>(torch::empty(shape, tensor.options()));
  }
  Batch narrow(std::size_t first, std::size_t count) const override {
    return std::make_shared<TensorStates>(
        tensor.narrow(0, static_cast<std::int64_t>(first), static_cast<std::int64_t>(count)));
  }
  void combine(const States& base, std::span<const double> scale, Batches k,
               std::span<const double> weights) override;
  std::vector<char> finite_rows() const override;
  void copy_row(std::size_t to, const States& from, std::size_t row) override;
  Numbers row_squares(Batches k, std::span<const double> weights, const ErrorScale* scale,
                      loops::Reduce reduce) const override;

  Tensor tensor;

 private:
  static loops::Extent extent_of(const Tensor& t) {
    return {static_cast<std::size_t>(t.size(0)),
            static_cast<std::size_t>(c10::multiply_integers(t.sizes().slice(1)))};
  }
  static Type type_of(const Tensor& t) {
    return t.scalar_type() == torch::kDouble  ? Type::float64
           : t.scalar_type() == torch::kFloat ? Type::float32
                                              : Type::other;
  }
  static void* memory_of(const Tensor& t) {
    return t.device().is_cpu() && t.is_contiguous() && type_of(t) != Type::other ? t.data_ptr() : nullptr;
  }
};

// [R] numbers -> [R,1,...] beside `like`
Tensor wide(std::span<const double> numbers, const Tensor& like) {
  std::vector<std::int64_t> shape(static_cast<std::size_t>(like.dim()), 1);
  shape[0] = like.size(0);
  return torch::tensor(Numbers(numbers.begin(), numbers.end()), torch::kDouble)
      .to(like.options())
      .view(shape);
}

Tensor composed_sum(Batches k, std::span<const double> weights) {
  Tensor sum = weights[0] * tensor_of(*k[0]);
  for (std::size_t j = 1; j < weights.size(); ++j) {
    if (weights[j] != 0) sum = sum + weights[j] * tensor_of(*k[j]);
  }
  return sum;
}

Numbers to_host(const Tensor& numbers) {
  const Tensor host = numbers.to(torch::kCPU, torch::kDouble).contiguous();
  return {host.data_ptr<double>(), host.data_ptr<double>() + host.numel()};
}

Numbers composed_squares(Batches k, std::span<const double> weights, const ErrorScale* scale,
                         loops::Reduce reduce) {
  Tensor x = composed_sum(k, weights);
  if (scale != nullptr) {
    x = x / (scale->absolute +
             scale->relative * torch::maximum(tensor_of(scale->a).abs(), tensor_of(scale->b).abs()));
  }
  const Tensor squares = x.flatten(1).to(torch::kDouble).square();
  return to_host(reduce == loops::Reduce::sum ? squares.sum(1) : squares.amax(1));
}

void TensorStates::combine(const States& base, std::span<const double> scale, Batches k,
                           std::span<const double> weights) {
  if (base.plain()) return States::combine(base, scale, k, weights);
  const Tensor& from = tensor_of(base);
  tensor.copy_(from + wide(scale, from) * composed_sum(k, weights));
}

std::vector<char> TensorStates::finite_rows() const {
  if (plain()) return States::finite_rows();
  std::vector<char> out;
  for (const double finite : to_host(torch::isfinite(tensor).flatten(1).all(1)))
    out.push_back(finite != 0 ? 1 : 0);
  return out;
}

void TensorStates::copy_row(std::size_t to, const States& from, std::size_t row) {
  if (plain() && from.plain()) return States::copy_row(to, from, row);
  tensor[static_cast<std::int64_t>(to)].copy_(tensor_of(from)[static_cast<std::int64_t>(row)]);
}

Numbers TensorStates::row_squares(Batches k, std::span<const double> weights, const ErrorScale* scale,
                                  loops::Reduce reduce) const {
  return plain() ? States::row_squares(k, weights, scale, reduce)
                 : composed_squares(k, weights, scale, reduce);
}

}  // namespace

Batch tensor_states(const Tensor& tensor) {
  return std::make_shared<TensorStates>(tensor);
}

const Tensor& tensor_of(const States& states) {
  return static_cast<const TensorStates&>(states).tensor;
}

}  // namespace cvf::solvers
