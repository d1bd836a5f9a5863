#include "model/tensors.hpp"

#include <gtest/gtest.h>

#include "support/scratch.hpp"

namespace cvf::model {
namespace {

using testing_support::sentence_of;

struct Small : torch::nn::Module {
  explicit Small(std::int64_t width = 3) {
    auto blocks = register_module("blocks", std::make_shared<torch::nn::Module>());
    auto first = blocks->register_module("0", std::make_shared<torch::nn::Module>());
    first->register_module("qkv", torch::nn::Linear(width, 2));
    register_buffer("steps", torch::tensor({7, 8}, torch::kLong));
  }
};

void expect_equal(const NamedTensors& a, const NamedTensors& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(a[i].first, b[i].first);
    EXPECT_EQ(a[i].second.scalar_type(), b[i].second.scalar_type()) << a[i].first;
    EXPECT_TRUE(a[i].second.equal(b[i].second)) << a[i].first;
  }
}

std::string refusal(const NamedTensors& stored, const NamedTensors& expected) {
  return sentence_of<ModelError>([&] { from_safetensors(to_safetensors(stored), "f", expected); });
}

const torch::Tensor ones = torch::ones({2, 3});

TEST(Tensors, AModuleComesBackToTheBitInFloatAndDouble) {
  for (const auto type : {torch::kFloat, torch::kDouble}) {
    Small saved, loaded;
    saved.to(type);
    loaded.to(type);
    const std::string file = to_safetensors(tensors_of(saved));
    load_into(loaded, file, "f");
    expect_equal(tensors_of(loaded), tensors_of(saved));
    EXPECT_EQ(to_safetensors(tensors_of(loaded)), file);
  }
}

TEST(Tensors, NamesArePlain) {
  std::vector<std::string> names;
  const std::string file = to_safetensors(tensors_of(Small()));
  for (const auto& tensor : safetensors::parse(file, "f").tensors) names.push_back(tensor.name);
  EXPECT_EQ(names, (std::vector<std::string>{"steps", "blocks.0.qkv.bias", "blocks.0.qkv.weight"}));
}

TEST(Tensors, AStridedTensorIsSavedInRowOrder) {
  const auto turned = torch::arange(6, torch::kFloat).view({2, 3}).t();
  const auto read = from_safetensors(to_safetensors({{"a", turned}}), "f", {{"a", torch::empty({3, 2})}});
  EXPECT_TRUE(read[0].second.equal(turned));
}

TEST(Tensors, HalfPrecisionIsWidened) {
  const auto values = torch::tensor({1.5F, -0.25F, 1024.0F});
  for (const auto narrow : {torch::kHalf, torch::kBFloat16}) {
    for (const auto wide : {torch::kFloat, torch::kDouble}) {
      const auto read =
          from_safetensors(to_safetensors({{"a", values.to(narrow)}}), "f", {{"a", torch::empty(3, wide)}});
      EXPECT_EQ(read[0].second.scalar_type(), wide);
      EXPECT_TRUE(read[0].second.equal(values.to(wide)));
    }
  }
}

TEST(Tensors, WhatDoesNotFitIsNamed) {
  EXPECT_EQ(refusal({}, {{"a.weight", ones}}), "f: tensor 'a.weight' is missing; it should be F32 [2, 3]");
  EXPECT_EQ(refusal({{"a.weight", ones}, {"zzzzzzzzz", ones}}, {{"a.weight", ones}}),
            "f: tensor 'zzzzzzzzz' has no place in this model");
  EXPECT_EQ(refusal({{"a.weight", ones}, {"a.weights", ones}}, {{"a.weight", ones}}),
            "f: tensor 'a.weights' has no place in this model (it has 'a.weight')");
  EXPECT_EQ(refusal({{"a", ones.t()}}, {{"a", ones}}),
            "f: tensor 'a' has the shape [3, 2], not [2, 3] as the configuration asks for");
  EXPECT_EQ(refusal({{"a", ones.to(torch::kDouble)}}, {{"a", ones}}),
            "f: tensor 'a' has the type F64, not F32");
  EXPECT_EQ(refusal({{"a", ones.to(torch::kInt)}}, {{"a", ones}}), "f: tensor 'a' has the type I32, not F32");
  EXPECT_EQ(sentence_of<ModelError>([] {
              to_safetensors({{"a", ones.to(torch::kComplexFloat)}});
            }),
            "tensor 'a' has the type ComplexFloat, which is not saved");
}

TEST(Tensors, AFailedLoadLeavesTheModuleAsItWas) {
  Small module;
  const std::string before = to_safetensors(tensors_of(module));
  NamedTensors others = tensors_of(Small());
  others.back().second = torch::zeros(3, torch::kLong);  // the last one does not fit
  EXPECT_THROW(load_into(module, to_safetensors(others), "f"), ModelError);
  EXPECT_EQ(to_safetensors(tensors_of(module)), before);
}

}  // namespace
}  // namespace cvf::model
