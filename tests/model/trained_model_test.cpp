#include "model/trained_model.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <random>

#include "core/files.hpp"
#include "model/folder.hpp"
#include "model/tensors.hpp"
#include "support/scratch.hpp"

namespace cvf::model {
namespace {

using normalizers::Physical;
using testing_support::Scratch;
using testing_support::sentence_of;

const std::vector<std::string> all_files{"model.toml", "run.toml", "weights.safetensors",
                                         "normalizer.safetensors", "SHA256SUMS"};

ModelSpec small_recipe(const std::string& field = "sit") {
  const std::string sizes =
      field == "sit" ? "patch = 2\nwidth = 8\ndepth = 2\nheads = 2\n" : "width = 8\ndepth = 2\n";
  const std::string grid = field == "mlp" ? "" : "ny = 4\nnx = 6\n";
  return from_toml("[state]\nchannels = [\"u\", \"v\"]\ndt_ref = 0.1\ndelta_min = 0.05\nlargest_dt = 0.8\n" +
                       grid + "[field]\nname = \"" + field + "\"\n" + sizes,
                   "small");
}

torch::Tensor random_like(const torch::Tensor& t) {
  return torch::randn(t.sizes(), t.options().requires_grad(false));
}

TrainedModel trained(const ModelSpec& spec) {
  TrainedModel model = build(spec, 1);
  const torch::NoGradGuard no_gradients;
  for (auto& p : model.field->parameters()) p.copy_(0.3 * random_like(p));  // no layer left at zero
  const auto sides =
      spec.shape().is_vector() ? std::vector<std::int64_t>{9, 2} : std::vector<std::int64_t>{9, 2, 4, 6};
  model.normalizer->fit({torch::randn(sides, torch::kDouble) * 3 + 1},
                        {torch::randn(sides, torch::kDouble) * 7 - 2});
  model.run_toml = "seed = 3\n[solver]\nrtol = 1e-4\n";
  return model;
}

Physical some_state(const TrainedModel& model) {
  const auto shape = model.spec.shape();
  const auto options = model.field->parameters().front().options().requires_grad(false);
  return {shape.is_vector() ? torch::randn({3, 2}, options) : torch::randn({3, 2, 4, 6}, options)};
}

const torch::Tensor steps = torch::tensor({0.0, 0.07, -0.3}, torch::kDouble);

struct Saved {
  Scratch scratch;
  TrainedModel model;
  std::string folder = scratch.path("model");

  explicit Saved(const ModelSpec& spec = small_recipe()) : model(trained(spec)) { save(model, folder); }
  std::string file(const std::string& name) const { return folder + "/" + name; }
  std::string refusal() const {
    return sentence_of<ModelError>([this] { load(folder); });
  }
  // Another content for one file, with a manifest that fits: what a hostile or careless hand could do.
  void forge(const std::string& name, const std::string& content) const {
    folder::Files files;
    for (const auto& each : all_files) {
      if (each != folder::manifest_name) files[each] = files::read_whole(file(each));
    }
    files[name] = content;
    folder::replace(folder, files);
  }
  void forge_recipe(const std::string& from, const std::string& to) const {
    std::string text = files::read_whole(file("model.toml"));
    const auto place = text.find(from);
    ASSERT_NE(place, std::string::npos) << from;
    forge("model.toml", text.replace(place, from.size(), to));
  }
};

TEST(TrainedModel, EveryFieldComesBackToTheBitInBothPrecisions) {
  for (const auto& row : fields::registry()) {
    for (const std::string precision : {"float32", "float64"}) {
      ModelSpec spec = small_recipe(std::string(row.name));
      spec.precision = precision;
      const Saved saved(spec);
      const TrainedModel loaded = load(saved.folder);
      const Physical state = some_state(saved.model);
      EXPECT_TRUE(loaded.velocity(state, steps).value.equal(saved.model.velocity(state, steps).value))
          << row.name << ", " << precision;
      EXPECT_EQ(to_safetensors(tensors_of(*loaded.field)), to_safetensors(tensors_of(*saved.model.field)));
      EXPECT_EQ(loaded.run_toml, saved.model.run_toml);
      EXPECT_FALSE(loaded.field->is_training());
    }
  }
}

TEST(TrainedModel, EveryNormalizerComesBack) {
  for (const auto& row : normalizers::registry()) {
    ModelSpec spec = small_recipe();
    spec.normalizer = row.name;
    spec.normalizer_options.decay = 0.5;
    const Saved saved(spec);
    const TrainedModel loaded = load(saved.folder);
    const Physical state = some_state(saved.model);
    EXPECT_TRUE(loaded.velocity(state, steps).value.equal(saved.model.velocity(state, steps).value));
    EXPECT_EQ(loaded.spec.normalizer_options.decay, 0.5);
  }
}

TEST(TrainedModel, TheRecipeComesBackWithItsStrangestWords) {
  ModelSpec spec = small_recipe();
  spec.state.set_names(Role::state, {"\xcf\x81 \"density\"", "back\\slash\ttab"});
  spec.state.axes[0].coordinates = {0, 2};
  spec.state.axes[1].coordinates = {-1.5, 1.0 / 3};
  spec.state.set_boundary("y: wall/outflow, x: periodic");
  spec.state.data_hash = "abc";
  spec.provenance = {{"note", "two\nlines = \x1b[1m"}, {"empty", ""}, {"seed", "4"}};
  const Saved saved(spec);
  const ModelSpec loaded = load(saved.folder).spec;
  EXPECT_EQ(to_toml(loaded), to_toml(spec));
  EXPECT_EQ(loaded.state.channels, spec.state.channels);
  EXPECT_EQ(loaded.state.axes, spec.state.axes);
  EXPECT_EQ(loaded.state.data_hash, "abc");
  EXPECT_EQ(loaded.state.dt_ref, 0.1);
  EXPECT_EQ(loaded.state.delta_min, 0.05);
  EXPECT_EQ(loaded.state.largest_dt, 0.8);
  EXPECT_EQ(loaded.state.step_bound(), 0.8) << "older models do not say what is usual";
  EXPECT_EQ(loaded.provenance, spec.provenance);
}

TEST(TrainedModel, OfConvWithoutAnActivationHasGelu) {
  const std::string text =
      "[state]\nchannels = [\"u\"]\nny = 4\nnx = 4\n[field]\nname = \"conv\"\nwidth = 4\n";
  EXPECT_NE(to_toml(from_toml(text, "old")).find("activation = \"gelu\""), std::string::npos);
  EXPECT_NE(to_toml(from_toml(text + "activation = \"silu\"\n", "new")).find("activation = \"silu\""),
            std::string::npos);
}

TEST(TrainedModel, SavingTwiceGivesTheSameBytes) {
  const Saved saved;
  save(load(saved.folder), saved.scratch.path("again"));
  for (const auto& name : all_files) {
    EXPECT_EQ(files::read_whole(saved.scratch.path("again/" + name)), files::read_whole(saved.file(name)))
        << name;
  }
}

// sigma_s * (sigma_v psi + mu_v) at s~ = (s - mu_s)/sigma_s, written out from the saved statistics
TEST(TrainedModel, VelocityIsInPhysicalUnits) {
  ModelSpec spec = small_recipe();
  spec.precision = "float64";
  spec.normalizer_options.relative_epsilon = 0;
  const TrainedModel model = trained(spec);
  std::map<std::string, torch::Tensor> n;
  for (const auto& [name, tensor] : model.normalizer->state()) n[name] = tensor.view({1, 2, 1, 1});
  const auto sigma_s = (n["state_variance"] + 1e-8).sqrt(), sigma_v = (n["velocity_variance"] + 1e-12).sqrt();
  const Physical state = some_state(model);
  const auto psi = model.field->forward((state.value - n["state_mean"]) / sigma_s, steps);
  const auto expected = sigma_s * (sigma_v * psi + n["velocity_mean"]);
  const auto found = model.velocity(state, steps).value;
  EXPECT_LT((found - expected).abs().max().item<double>(), 1e-12 * expected.abs().max().item<double>());
  EXPECT_FALSE(found.requires_grad());
}

TEST(TrainedModel, VelocityAnswersInTheTypeOfTheState) {
  const TrainedModel model = trained(small_recipe());  // float32
  const Physical state = some_state(model);
  const auto wide = model.velocity({state.value.to(torch::kDouble)}, steps).value;
  EXPECT_EQ(wide.scalar_type(), torch::kDouble);
  EXPECT_TRUE(torch::allclose(wide.to(torch::kFloat), model.velocity(state, steps).value, 1e-4, 1e-4));
}

// 100 bits anywhere; in the manifest two of every byte, one of them that between a and A.
std::vector<std::size_t> bits_to_flip(const std::string& name, std::size_t size) {
  std::mt19937 random(1);
  std::vector<std::size_t> bits;
  if (name != folder::manifest_name) {
    for (int i = 0; i < 100; ++i) bits.push_back(random() % (size * 8));
  } else {
    for (std::size_t i = 0; i < size; ++i) bits.insert(bits.end(), {i * 8 + 5, i * 8 + random() % 8});
  }
  return bits;
}

TEST(TrainedModel, EveryFlippedBitIsFound) {
  const Saved saved;
  for (const auto& name : all_files) {
    const std::string good = files::read_whole(saved.file(name));
    for (const std::size_t bit : bits_to_flip(name, good.size())) {
      std::string bad = good;
      bad[bit / 8] = static_cast<char>(bad[bit / 8] ^ (1 << bit % 8));
      std::ofstream(saved.file(name), std::ios::binary) << bad;
      EXPECT_THROW(load(saved.folder), ModelError) << name << ", bit " << bit;
    }
    std::ofstream(saved.file(name), std::ios::binary) << good;
  }
  EXPECT_NO_THROW(load(saved.folder));
}

TEST(TrainedModel, EveryTruncationIsFound) {
  const Saved saved;
  for (const auto& name : all_files) {
    const std::string good = files::read_whole(saved.file(name));
    for (const std::size_t length : {std::size_t{0}, good.size() / 2, good.size() - 1}) {
      files::write_atomically(saved.file(name), std::string_view(good).substr(0, length));
      EXPECT_THROW(load(saved.folder), ModelError) << name << " cut to " << length;
    }
    std::filesystem::remove(saved.file(name));
    EXPECT_EQ(saved.refusal(), saved.file(name) + ": the file is missing");
    files::write_atomically(saved.file(name), good);
  }
}

struct Forgery {
  std::string from, to, sentence;
};

TEST(TrainedModel, AConfigurationThatDoesNotFitIsNamed) {
  const std::string toml = "/model.toml: ", weights = "/weights.safetensors: ";
  const std::vector<Forgery> forgeries{
      {"width = 8", "width = 16",
       weights + "tensor 'patch.weight' has the shape [8, 8], not [16, 8] as the configuration asks for"},
      {"depth = 2", "depth = 3",
       weights + "tensor 'blocks.2.qkv.weight' is missing; it should be F32 [24, 8]"},
      {"depth = 2", "depth = 1", weights + "tensor 'blocks.1."},
      {"precision = \"float32\"", "precision = \"float64\"",
       weights + "tensor 'patch.weight' has the type F32, not F64"},
      {"patch = 2", "patch = 3",
       toml + "field.patch = 3 does not divide the grid of 4 x 6 (y x x): 1, 2 would"},
      {"heads = 2", "head = 2", toml + "unknown key 'field.head' (did you mean 'heads'?)"},
      {"name = \"sit\"", "name = \"mlp\"", toml + "unknown key 'field."},
      {"name = \"cascaded\"", "name = \"cascade\"", toml + "normalizer.name = 'cascade' is not one of"},
      {"dt_ref = 0.1", "dt_ref = inf", toml + "a step of inf makes no model"},
      {"channels = [\"u\", \"v\"]", "channels = []", toml + "the model has no channels"},
      {"channels = [\"u\", \"v\"]", "channels = [\"u\", \"u\"]", toml + "two channels have the same name"},
      {"channels = [\"u\", \"v\"]", "channels = [\"u\"]", weights + "tensor 'patch.weight' has the shape"},
      {"ny = 4", "ny = 4000000000000000000", toml + "field 'sit' would have 4.8e+19 parameters"},
      {"width = 8", "width = [", toml + "line "},
  };
  for (const auto& forgery : forgeries) {
    const Saved saved;
    saved.forge_recipe(forgery.from, forgery.to);
    const std::string sentence = saved.refusal();
    EXPECT_NE(sentence.find(forgery.sentence), std::string::npos) << sentence;
    EXPECT_EQ(sentence.find('\n'), std::string::npos) << sentence;
  }
}

TEST(TrainedModel, StatisticsThatDoNotFitAreNamed) {
  const Saved saved;
  auto state = saved.model.normalizer->state();
  state[0].second = torch::zeros(3, torch::kDouble);
  saved.forge("normalizer.safetensors", to_safetensors(state));
  EXPECT_NE(saved.refusal().find("normalizer.safetensors: tensor 'state_mean' has the shape [3], not [2]"),
            std::string::npos);
}

TEST(TrainedModel, WhatCouldNotBeReadBackIsNotSaved) {
  const Saved saved;
  TrainedModel model = load(saved.folder);
  model.spec.state.data_hash = "not \xff UTF-8";
  EXPECT_THROW(save(model, saved.folder), ModelError);
  model.spec = saved.model.spec;
  model.spec.provenance = {{"a=b", "c"}};
  EXPECT_THROW(save(model, saved.folder), ModelError);
  EXPECT_NO_THROW(load(saved.folder));  // the old one stands
}

TEST(TrainedModel, AFieldBeyondMemoryIsRefusedBeforeItIsBuilt) {
  const auto expect = [](const std::string& field, const std::string& from, const std::string& to,
                         const std::string& words) {
    const Scratch scratch;
    auto files = files_of(build(small_recipe(field), 1));
    std::string& text = files.at("model.toml");
    text.replace(text.find(from), from.size(), to);
    folder::replace(scratch.path("m"), files);  // with a manifest that fits
    const std::string said = sentence_of<ModelError>([&] { load(scratch.path("m")); });
    EXPECT_NE(said.find("model.toml"), std::string::npos) << said;
    EXPECT_NE(said.find(words), std::string::npos) << said;
  };
  expect("mlp", "width = 8", "width = 1000000", "parameters, which need about ");
  expect("mlp", "expansion = 1", "expansion = 2000000000", "parameters, which need about ");
  expect("mlp", "depth = 2", "depth = 1000000", "field.depth = 1000000");
  expect("sit", "width = 8", "width = 1000000", "parameters, which need about ");
  expect("sit", "depth = 2", "depth = 1000000", "field.depth = 1000000");
  expect("sit", "ny = 4", "ny = 4000000000000", "parameters, which need about ");
  ModelSpec wide =
      from_toml("[state]\nchannels = [\"u\"]\n[field]\nname = \"mlp\"\nwidth = 1000000\n", "wide");
  EXPECT_NE(sentence_of<ConfigError>([&] { build(wide, 0); }).find("a smaller field or grid would fit"),
            std::string::npos);
}

}  // namespace
}  // namespace cvf::model
