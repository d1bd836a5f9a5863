// Between physical units and what the network sees (docs/normalizers.md). States become s~ = (s -
// mu_s)/sigma_s; the network's psi becomes the velocity of s~ by den(psi). The three kinds differ in the
// statistics behind den.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/torch.hpp"
#include "normalizers/kinds.hpp"

namespace cvf::normalizers {

/// Physical and model units are different types: what crosses from one to the other goes through a
/// normalizer.
struct Physical {
  torch::Tensor value;  // [B,C,...]
};

struct Model {
  torch::Tensor value;  // [B,C,...]
};

/// Running mean and variance of each channel.
struct Moments {
  torch::Tensor mean, variance;  // [C], double

  explicit Moments(std::int64_t channels);

  /// The moments of these values [B,C,...], over everything but the channel.
  static Moments of(const torch::Tensor& values);

  /// The moments of several parts of one size together.
  static Moments merged(const std::vector<Moments>& parts);

  /// Moves towards these moments by 1 - decay.
  void follow(const Moments& other, double decay);
};

/// [C] -> [1,C,1,...] in the dtype and on the device of `like` [B,C,...].
torch::Tensor per_channel(const torch::Tensor& values, const torch::Tensor& like);

using NamedTensors = std::vector<std::pair<std::string, torch::Tensor>>;

class Normalizer {
 public:
  Normalizer(std::int64_t channels, const Options& options)
      : state_(channels), velocity_(channels), options_(options) {}
  virtual ~Normalizer() = default;

  Model to_model(const Physical& state) const;
  Physical to_physical(const Model& state) const;

  /// den(psi) = psi * factor + offset, each [C]. For callers that evaluate it very often.
  using Affine = AffineOf<torch::Tensor>;
  virtual Affine den() const = 0;

  /// den(psi): the velocity of the normalised state, ds~/dt.
  torch::Tensor model_velocity(const torch::Tensor& psi) const;
  /// What psi should be for this velocity of the normalised state; the inverse of model_velocity.
  torch::Tensor psi_of(const torch::Tensor& model_velocity) const;
  /// sigma_s * den(psi): the velocity in physical units.
  Physical physical_velocity(const torch::Tensor& psi) const;
  /// What psi should be for this physical velocity; the inverse of physical_velocity.
  torch::Tensor target(const Physical& velocity) const;

  /// v / sigma_s: a physical velocity (or acceleration) as one of the normalised state, ds~/dt.
  Model rate(const Physical& velocity) const;

  /// The moments of states and velocities [B,C,...] as this kind keeps them. Those of several equal parts of
  /// a batch combine by Moments::merged, so ranks that share a batch follow the whole of it.
  struct Measured {
    Moments state, velocity;  // of no velocities: as they are
  };
  Measured measure(const Physical& states, const Physical& velocities) const;

  const Moments& state_moments() const { return state_; }

  /// The NRE of a step from the norms [B] of its rupture and of its velocity, with this normalizer's unit of
  /// time.
  torch::Tensor nre(const torch::Tensor& rupture, const torch::Tensor& velocity) const;

  /// Sets the statistics from a large sample.
  void fit(const Physical& states, const Physical& velocities);
  void fit(const Moments& states);  // the states' alone: what velocities are measured in may depend on them
  void fit(const Measured& measured);
  /// Lets them follow a training batch. Never called in evaluation, which leaves them frozen.
  void follow(const Physical& states, const Physical& velocities) { follow(measure(states, velocities)); }
  void follow(const Measured& measured);

  NamedTensors state() const;              // to be saved with the model
  void load(const NamedTensors& tensors);  // what state() gave; refuses missing names and other shapes

 protected:
  /// The physical velocities in the form whose moments this kind keeps; undefined when it keeps none.
  virtual torch::Tensor measured(const torch::Tensor& velocities) const = 0;

  torch::Tensor sigma_state() const;  // [C] double
  const Options& options() const { return options_; }

  Moments state_, velocity_;

 private:
  Options options_;
};

struct Row {
  std::string_view name;
  std::string_view summary;
  std::unique_ptr<Normalizer> (*make)(std::int64_t channels, const Options& options);
};

/// Every kind of normalizer (normalizer.cpp).
std::span<const Row> registry();

/// (s1 - s0)/dt with dt [B]: the physical secant velocity.
Physical secant(const Physical& s0, const Physical& s1, const torch::Tensor& dt);

}  // namespace cvf::normalizers
