// Folders that are no model: the sentence of the model room, word for word.
#include <filesystem>

#include "core/files.hpp"
#include "model/tensors.hpp"
#include "runtime/models.hpp"

namespace cvf::runtime {
namespace {

using testing_support::sentence_of;

class Folders : public testing::Test {
 protected:
  Folders() { model::save(model_, folder_); }

  // Files with an honest manifest, so that what is refused is refused for its meaning.
  void replace(std::string_view name, const std::string& content) const {
    auto files = model::read_files(folder_);
    files[std::string(name)] = content;
    model::folder::replace(folder_, files);
  }
  void edit(std::string_view name, const std::string& from, const std::string& to) const {
    std::string text = model::read_files(folder_).at(std::string(name));
    const auto at = text.find(from);
    ASSERT_NE(at, std::string::npos) << from;
    replace(name, text.replace(at, from.size(), to));
  }
  void expect_same_sentence(const std::string& part) const {
    const auto theirs = sentence_of<ModelError>([&] { model::load(folder_); });
    const auto ours = sentence_of<ModelError>([&] { Model::load(folder_); });
    EXPECT_EQ(ours, theirs);
    EXPECT_NE(ours.find(part), std::string::npos) << ours;
  }

  testing_support::Scratch scratch_;
  std::string folder_ = scratch_.path("model");
  model::TrainedModel model_ = test::random_model(test::kinds[4]);
};

TEST_F(Folders, ThatAreMissing) {
  model::folder::remove(folder_);
  expect_same_sentence("there is no folder with a model");
}

TEST_F(Folders, WithoutOneOfTheirFiles) {
  for (const auto* name :
       {"model.toml", "weights.safetensors", "normalizer.safetensors", "run.toml", "SHA256SUMS"}) {
    model::save(model_, folder_);
    std::filesystem::remove(folder_ + "/" + name);
    expect_same_sentence(name);
  }
}

TEST_F(Folders, WithAFlippedBit) {
  for (const auto* name : {"weights.safetensors", "normalizer.safetensors", "model.toml"}) {
    model::save(model_, folder_);
    std::string text = files::read_whole(folder_ + "/" + name);
    text[text.size() / 2] = static_cast<char>(text[text.size() / 2] ^ 1);
    files::write_atomically(folder_ + "/" + name, text);
    expect_same_sentence("SHA-256");
  }
}

TEST_F(Folders, OfAnotherFormat) {
  std::string text = files::read_whole(folder_ + "/SHA256SUMS");
  text.replace(text.find("format 1"), 8, "format 9");
  files::write_atomically(folder_ + "/SHA256SUMS", text);
  expect_same_sentence("format '9'");
}

TEST_F(Folders, WhoseSpecMeansNothing) {
  const std::string toml = model::read_files(folder_).at("model.toml");
  for (const auto& [from, to, part] : std::vector<std::array<const char*, 3>>{
           {"width = 17", "width = 0", "field.width"},
           {"width = 17", "widht = 17", "unknown key"},
           {"patch = 1", "patch = 5", "does not divide"},
           {"dilations = [1, 2]", "dilations = []", "dilations is empty"},
           {"name = \"conv\"", "name = \"mlp\"", "unknown key"},
           {"[\"u\", \"v\"]", "[\"u\", \"u\"]", "same name"},
           {"dt_ref = 0.8", "dt_ref = -1", "dt_ref"},
           {"name = \"separated\"", "name = \"seperated\"", "normalizer.name"},
           {"[state]", "[stat", ""}}) {
    replace("model.toml", toml);
    edit("model.toml", from, to);
    expect_same_sentence(part);
  }
}

TEST_F(Folders, WhoseTensorsDoNotFit) {
  using model::NamedTensors;
  const auto own = model::tensors_of(*model_.field);
  const auto with = [&](const std::function<void(NamedTensors&)>& change) {
    NamedTensors tensors;
    for (const auto& [name, tensor] : own) tensors.emplace_back(name, tensor.detach().clone());
    change(tensors);
    replace("weights.safetensors", model::to_safetensors(tensors));
  };
  with([](NamedTensors& t) { t.erase(t.begin() + 3); });
  expect_same_sentence("is missing");
  with([](NamedTensors& t) { t.emplace_back("blocks.0.mix.wieght", torch::zeros({2})); });
  expect_same_sentence("has no place in this model");
  with([](NamedTensors& t) { t[0].second = torch::zeros({3, 4}); });
  expect_same_sentence("has the shape [3, 4]");
  with([](NamedTensors& t) { t[1].second = t[1].second.to(torch::kDouble); });
  expect_same_sentence("has the type F64");
  replace("weights.safetensors", "hello");
  expect_same_sentence("too few");
  model::save(model_, folder_);
  replace("normalizer.safetensors",
          model::to_safetensors({{"state_mean", torch::zeros({2}, torch::kDouble)}}));
  expect_same_sentence("state_variance");
}

TEST_F(Folders, OfHalfPrecisionAreWidened) {
  model::NamedTensors narrow;
  for (const auto& [name, tensor] : model::tensors_of(*model_.field))
    narrow.emplace_back(
        name, tensor.detach().to(name.find("bias") != std::string::npos ? torch::kBFloat16 : torch::kHalf));
  replace("weights.safetensors", model::to_safetensors(narrow));
  const auto theirs = model::load(folder_);
  const auto ours = Model::load(folder_);
  const auto states = torch::randn({1, 2, 12, 20}, torch::kDouble);
  const auto solver = solvers::make("euler");
  const auto expected =
      rollout::forecast({rollout::on_tensors(theirs), *solver}, rollout::array_of(states), {{0, 0.4}});
  auto mine = test::values_of<double>(states);
  const double dt[]{0.4};
  step(ours, mine.data(), 1, dt, {}, 1);
  EXPECT_LT(test::relative_difference(mine, rollout::tensor_of(expected.states).select(1, 1)), 1e-6);
}

TEST_F(Folders, ThatTheRuntimeCannotTakeSaySo) {
  edit("model.toml", "precision = \"float32\"", "precision = \"float64\"");
  expect_same_sentence("has the type F32");
  auto deep = test::random_model({"deep", test::line, "", "name = \"conv\"\nwidth = 2\ndepth = 64\n"});
  model::save(deep, folder_);
  EXPECT_NE(sentence_of<ModelError>([&] { Model::load(folder_); }).find("192 blocks"), std::string::npos);
}

}  // namespace
}  // namespace cvf::runtime
