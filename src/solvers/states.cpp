#include "solvers/states.hpp"

#include <algorithm>
#include <array>
#include <cstring>

namespace cvf::solvers {
namespace {

template <class Work>
void with_type(States::Type type, Work&& work) {
  if (type == States::Type::float64) {
    work(double{});
  } else {
    work(float{});
  }
}

template <class T>
struct TermList {
  std::array<loops::Term<T>, loops::most_terms> all{};
  std::size_t count = 0;

  TermList(Batches k, std::span<const double> weights) {
    for (std::size_t j = 0; j < weights.size(); ++j) {
      if (weights[j] != 0) all.at(count++) = {k[j]->template data<T>(), weights[j]};
    }
  }
  std::span<const loops::Term<T>> terms() const { return {all.data(), count}; }
};

std::size_t bytes_of(States::Type type) {
  return type == States::Type::float64 ? sizeof(double) : sizeof(float);
}

class HostStates : public States {
 public:
  HostStates(std::size_t rows, std::size_t values, Type type)
      : HostStates(rows, values, type, allocate(rows * values * bytes_of(type))) {}
  HostStates(std::size_t rows, std::size_t values, Type type, std::shared_ptr<void> memory)
      : States({rows, values}, type, memory.get()), memory_(std::move(memory)) {}

  Batch empty(std::size_t rows) const override {
    return std::make_shared<HostStates>(rows, values(), type());
  }
  Batch narrow(std::size_t first, std::size_t count) const override {
    void* begin = data<char>() + first * values() * bytes_of(type());
    return std::make_shared<HostStates>(count, values(), type(), std::shared_ptr<void>(memory_, begin));
  }

 private:
  static std::shared_ptr<void> allocate(std::size_t bytes) {
    return std::shared_ptr<void>(::operator new(bytes + 1), [](void* p) { ::operator delete(p); });
  }
  std::shared_ptr<void> memory_;
};

template <class T>
constexpr States::Type type_of() {
  return sizeof(T) == sizeof(double) ? States::Type::float64 : States::Type::float32;
}

}  // namespace

void States::combine(const States& base, std::span<const double> scale, Batches k,
                     std::span<const double> weights) {
  with_type(type_, [&]<class T>(T) {
    const TermList<T> list(k, weights);
    if (list.count == 0) {
      std::copy_n(base.data<T>(), rows() * values(), data<T>());
      return;
    }
    loops::combine<T>(data<T>(), base.data<T>(), scale.data(), list.terms(), base.extent_);
  });
}

std::vector<char> States::finite_rows() const {
  std::vector<char> out(rows());
  with_type(type_, [&]<class T>(T) { loops::find_finite<T>(out.data(), data<T>(), extent_); });
  return out;
}

void States::copy_row(std::size_t to, const States& from, std::size_t row) {
  const std::size_t bytes = values() * bytes_of(type_);
  std::memcpy(data<char>() + to * bytes, from.data<char>() + row * bytes, bytes);
}

Numbers States::row_squares(Batches k, std::span<const double> weights, const ErrorScale* scale,
                            loops::Reduce reduce) const {
  Numbers sums(rows());
  with_type(type_, [&]<class T>(T) {
    loops::Tolerance<T> by;
    if (scale != nullptr) by = {scale->absolute, scale->relative, scale->a.data<T>(), scale->b.data<T>()};
    const TermList<T> list(k, weights);
    loops::reduce_squares<T>(sums.data(), list.terms(), by, reduce, extent_);
  });
  return sums;
}

Numbers row_squares(Batches k, std::span<const double> weights, const ErrorScale* scale,
                    loops::Reduce reduce) {
  return k[0]->row_squares(k, weights, scale, reduce);
}

Batch take_rows(const States& from, std::span<const std::size_t> rows) {
  Batch out = from.empty(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) out->copy_row(i, from, rows[i]);
  return out;
}

void keep_rows(Batch& states, std::span<const std::size_t> rows) {
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i] != i) states->copy_row(i, *states, rows[i]);
  }
  states = states->narrow(0, rows.size());
}

template <class T>
Batch host_states(std::size_t rows, std::size_t values) {
  return std::make_shared<HostStates>(rows, values, type_of<T>());
}

template <class T>
Batch host_states(T* data, std::size_t rows, std::size_t values) {
  return std::make_shared<HostStates>(rows, values, type_of<T>(), std::shared_ptr<void>(data, [](void*) {}));
}

template Batch host_states<float>(std::size_t, std::size_t);
template Batch host_states<double>(std::size_t, std::size_t);
template Batch host_states<float>(float*, std::size_t, std::size_t);
template Batch host_states<double>(double*, std::size_t, std::size_t);

}  // namespace cvf::solvers
