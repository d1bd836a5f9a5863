// Whole models: the graph that comes out, and what is refused. Numbers are compared in a real ONNX Runtime
// by tests/python/test_onnx.py.
#include "onnx/model.hpp"

#include "onnx/folders.hpp"
#include "onnx/wire.hpp"
#include "support/program.hpp"

namespace cvf::onnx {
namespace {

using namespace test;
using testing_support::Scratch;
using testing_support::sentence_of;
using Names = std::vector<std::string>;

class Models : public testing::Test {
 protected:
  std::string folder(const std::string& name = "model") const { return scratch_.path(name); }
  std::string refusal() const {
    return sentence_of<ModelError>([&] { model_of(folder()); });
  }
  static bool has(const std::string& text, std::string_view part) {
    return text.find(part) != std::string::npos;
  }

  Scratch scratch_;
};

TEST_F(Models, MlpIsAGraph) {
  write_model(folder(), pendulum, "name = \"mlp\"\nwidth = 16\ndepth = 2\n");
  const Found found(model_of(folder()));
  EXPECT_EQ(found.inputs, (Names{"state", "dt"}));
  EXPECT_EQ(found.outputs, (Names{"velocity", "next"}));
  EXPECT_EQ(found.count("LayerNormalization"), 3);
  EXPECT_EQ(found.count("Gelu"), 2);
  EXPECT_EQ(found.metadata.at("channels"), "angle, velocity");
  EXPECT_EQ(found.metadata.at("grid"), "none");
  EXPECT_EQ(found.metadata.at("dt.longest"), "0.8");
  EXPECT_EQ(found.metadata.at("cvf.checkpoint").size(), 64U);
  EXPECT_EQ(found.constants.at("modulate.weight"), (std::vector<std::uint64_t>{2 * 48 + 32, 16}));
}

TEST_F(Models, EveryPartOfAContextIsAnInput) {
  for (const auto* field :
       {"name = \"conv\"\nwidth = 8\npatch = 2\n", "name = \"sit\"\nwidth = 16\ndepth = 1\nheads = 2\n"}) {
    write_model(folder(), plane, field, everything);
    const Found found(model_of(folder()));
    EXPECT_EQ(found.inputs, (Names{"state", "dt", "parameters", "controls", "static", "control_fields"}));
    EXPECT_EQ(found.metadata.at("controls"), "wind, heat");
    EXPECT_EQ(found.metadata.at("grid"), "12 x 20 (y x x)");
  }
}

TEST_F(Models, OutputsBesideTheStateAreLeftOut) {
  write_model(folder(), plane, "name = \"conv\"\nwidth = 8\npatch = 2\n", everything);
  const Found found(model_of(folder()));
  EXPECT_EQ(found.constants.at("lift.weight"), (std::vector<std::uint64_t>{8, 6 * 4, 3, 3}));
  EXPECT_EQ(found.constants.at("output.weight"), (std::vector<std::uint64_t>{2 * 4, 8, 3, 3}));
}

TEST_F(Models, ALineHasConvolutionsOfOneAxis) {
  write_model(folder(), line, "name = \"conv\"\nwidth = 8\nactivation = \"gelu\"\n");
  const Found found(model_of(folder()));
  EXPECT_EQ(found.constants.at("lift.weight"), (std::vector<std::uint64_t>{8, 1, 3}));
  EXPECT_EQ(found.count("Conv"), 8);
  EXPECT_EQ(found.count("Gelu"), 4);
  EXPECT_EQ(found.count("Concat"), 6) << "one strip pair for each padded layer, and the waves";
}

TEST_F(Models, MembersAreAveraged) {
  write_model(folder(), pendulum, "name = \"mlp\"\nwidth = 16\ndepth = 1\n", "", "members = 3\n");
  const Found found(model_of(folder()));
  EXPECT_TRUE(found.constants.contains("members.2.input.weight"));
  EXPECT_EQ(found.count("LayerNormalization"), 3 * 2);
  EXPECT_EQ(found.metadata.at("members"), "3");
}

TEST_F(Models, TheSameModelIsTheSameFile) {
  write_model(folder(), plane, "name = \"conv\"\nwidth = 8\n");
  EXPECT_EQ(model_of(folder()), model_of(folder()));
}

TEST_F(Models, WhatIsNoModelIsASentence) {
  EXPECT_TRUE(has(refusal(), "there is no folder with a model"));
  write_model(folder(), pendulum, "name = \"mlp\"\nwidth = 16\n", "", "precision = \"float64\"\n");
  EXPECT_TRUE(has(refusal(), "precision = 'float64': an exported model computes in float32")) << refusal();

  write_model(folder(), plane, "name = \"conv\"\nwidth = 8\n");
  auto files = model::read_files(folder());
  const auto toml = files.at("model.toml");
  files["model.toml"] = std::string(toml).replace(toml.find("width = 8"), 9, "width = 9");
  model::folder::replace(folder(), files);
  EXPECT_TRUE(has(refusal(), "weights.safetensors")) << refusal();
  files["model.toml"] = std::string(toml).replace(toml.find("width = 8"), 9, "patch = 5");
  model::folder::replace(folder(), files);
  EXPECT_TRUE(has(refusal(), "does not divide")) << refusal();
  files["model.toml"] = toml;
  files["normalizer.safetensors"].back() ^= 1;
  model::folder::replace(folder(), files);
  EXPECT_FALSE(model_of(folder()).empty()) << "another value is still a model";
  files::write_atomically(folder() + "/normalizer.safetensors", "");
  EXPECT_TRUE(has(refusal(), "SHA-256")) << refusal();
}

class Verb : public Models {
 protected:
  testing_support::Ran exported(const std::string& out) const {
    return testing_support::run(scratch_, {"export", folder(), out});
  }
};

TEST_F(Verb, WritesTheFileAndSaysSo) {
  write_model(folder("model/best"), pendulum, "name = \"mlp\"\nwidth = 16\n");
  const auto ran = exported(folder("a.onnx"));
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_TRUE(has(ran.err, "velocity and next")) << ran.err;
  EXPECT_EQ(files::read_whole(folder("a.onnx")), model_of(folder()));
}

TEST_F(Verb, LeavesNothingWhereItFails) {
  const auto missing = exported(folder("a.onnx"));
  EXPECT_EQ(missing.code, 5) << missing.err;
  EXPECT_FALSE(std::filesystem::exists(folder("a.onnx")));

  write_model(folder(), pendulum, "name = \"mlp\"\nwidth = 16\n");
  files::write_atomically(folder("data.h5"), "precious");
  const auto slip = exported(folder("data.h5"));
  EXPECT_EQ(slip.code, 2) << slip.err;
  EXPECT_TRUE(has(slip.err, "is an ONNX file")) << slip.err;
  EXPECT_EQ(files::read_whole(folder("data.h5")), "precious");

  const auto nowhere = exported(folder("no/where.onnx"));
  EXPECT_EQ(nowhere.code, 4) << nowhere.err;
  std::filesystem::create_directory(folder("taken.onnx"));
  EXPECT_EQ(exported(folder("taken.onnx")).code, 4);
  for (const auto& entry : std::filesystem::directory_iterator(scratch_.path("")))
    EXPECT_FALSE(has(entry.path().string(), ".tmp")) << entry.path();
}

}  // namespace
}  // namespace cvf::onnx
