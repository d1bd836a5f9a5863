#include "solvers/parts/algebra.hpp"

#include <array>
#include <cstring>

#include "core/errors.hpp"

namespace cvf::solvers {
namespace {

using torch::Tensor;

template <class Work>
void with_type(const Tensor& tensor, Work&& work) {
  if (tensor.scalar_type() == torch::kDouble) {
    work(double{});
  } else {
    work(float{});
  }
}

loops::Extent extent_of(const Tensor& t) {
  const auto rows = static_cast<std::size_t>(t.size(0));
  return {rows, rows == 0 ? 0 : static_cast<std::size_t>(t.numel()) / rows};
}

template <class T>
struct TermList {
  std::array<loops::Term<T>, loops::most_terms> all{};
  std::size_t count = 0;

  TermList(Tensors k, std::span<const double> weights) {
    for (std::size_t j = 0; j < weights.size(); ++j) {
      if (weights[j] != 0) all.at(count++) = {k[j].data_ptr<T>(), weights[j]};
    }
  }
  std::span<const loops::Term<T>> terms() const { return {all.data(), count}; }
};

// [R] numbers -> [R,1,...] beside `like`
Tensor wide(std::span<const double> numbers, const Tensor& like) {
  std::vector<std::int64_t> shape(static_cast<std::size_t>(like.dim()), 1);
  shape[0] = like.size(0);
  return torch::tensor(Numbers(numbers.begin(), numbers.end()), torch::kDouble)
      .to(like.options())
      .view(shape);
}

Tensor composed_sum(Tensors k, std::span<const double> weights) {
  Tensor sum = weights[0] * k[0];
  for (std::size_t j = 1; j < weights.size(); ++j) {
    if (weights[j] != 0) sum = sum + weights[j] * k[j];
  }
  return sum;
}

Numbers to_host(const Tensor& numbers) {
  const Tensor host = numbers.to(torch::kCPU, torch::kDouble).contiguous();
  return {host.data_ptr<double>(), host.data_ptr<double>() + host.numel()};
}

Numbers composed_squares(Tensors k, std::span<const double> weights, const ErrorScale* scale,
                         loops::Reduce reduce) {
  Tensor x = composed_sum(k, weights);
  if (scale != nullptr) {
    x = x / (scale->absolute + scale->relative * torch::maximum(scale->a.abs(), scale->b.abs()));
  }
  const Tensor squares = x.flatten(1).to(torch::kDouble).square();
  return to_host(reduce == loops::Reduce::sum ? squares.sum(1) : squares.amax(1));
}

}  // namespace

bool applies(const Tensor& t) {
  return t.device().is_cpu() && t.is_contiguous() &&
         (t.scalar_type() == torch::kFloat || t.scalar_type() == torch::kDouble);
}

void combine(Tensor& out, const Tensor& base, std::span<const double> scale, Tensors k,
             std::span<const double> weights) {
  if (!applies(base)) {
    out = base + wide(scale, base) * composed_sum(k, weights);
    return;
  }
  with_type(base, [&]<class T>(T) {
    const TermList<T> list(k, weights);
    if (list.count == 0) {
      out.copy_(base);
      return;
    }
    loops::combine<T>(out.data_ptr<T>(), base.data_ptr<T>(), scale.data(), list.terms(), extent_of(base));
  });
}

Numbers row_squares(Tensors k, std::span<const double> weights, const ErrorScale* scale,
                    loops::Reduce reduce) {
  if (!applies(k[0])) return composed_squares(k, weights, scale, reduce);
  Numbers sums(static_cast<std::size_t>(k[0].size(0)));
  with_type(k[0], [&]<class T>(T) {
    loops::Tolerance<T> by;
    if (scale != nullptr) {
      by = {scale->absolute, scale->relative, scale->a.data_ptr<T>(), scale->b.data_ptr<T>()};
    }
    const TermList<T> list(k, weights);
    loops::reduce_squares<T>(sums.data(), list.terms(), by, reduce, extent_of(k[0]));
  });
  return sums;
}

std::vector<char> finite_rows(const Tensor& states) {
  std::vector<char> out(static_cast<std::size_t>(states.size(0)));
  if (applies(states)) {
    with_type(states, [&]<class T>(T) {
      loops::find_finite<T>(out.data(), states.data_ptr<T>(), extent_of(states));
    });
    return out;
  }
  const Numbers finite = to_host(torch::isfinite(states).flatten(1).all(1));
  for (std::size_t r = 0; r < out.size(); ++r) out[r] = finite[r] != 0 ? 1 : 0;
  return out;
}

void copy_row(Tensor& to, std::size_t to_row, const Tensor& from, std::size_t from_row) {
  const auto i = static_cast<std::int64_t>(to_row), j = static_cast<std::int64_t>(from_row);
  if (!applies(to) || !applies(from)) {
    to[i].copy_(from[j]);
    return;
  }
  const std::size_t bytes = extent_of(from).values * from.element_size();
  std::memcpy(static_cast<char*>(to.data_ptr()) + to_row * bytes,
              static_cast<const char*>(from.data_ptr()) + from_row * bytes, bytes);
}

void keep_rows(Tensor& tensor, std::span<const std::int64_t> rows) {
  if (!applies(tensor)) {
    tensor = take_rows(tensor, rows);
    return;
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto from = static_cast<std::size_t>(rows[i]);
    if (from != i) copy_row(tensor, i, tensor, from);
  }
  tensor = tensor.narrow(0, 0, static_cast<std::int64_t>(rows.size()));
}

Tensor take_rows(const Tensor& from, std::span<const std::int64_t> rows) {
  const Tensor index =
      torch::tensor(std::vector<std::int64_t>(rows.begin(), rows.end()), torch::kLong).to(from.device());
  return from.index_select(0, index);
}

}  // namespace cvf::solvers
