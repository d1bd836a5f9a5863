// What acts on a sample beside its first state: parameters, static fields and controls, written, gone on
// from, read, converted and audited.
#include "data/context.hpp"

#include <cmath>

#include "core/files.hpp"
#include "core/text.hpp"
#include "data/audit.hpp"
#include "data/convert.hpp"
#include "data/groups_writer.hpp"
#include "data/source.hpp"
#include "support/has.hpp"
#include "support/scratch.hpp"
#include "support/tiny_files.hpp"

namespace cvf::data {
namespace {

using testing_support::has;
using testing_support::sentence_of;
using testing_support::write_counting;
using Names = std::vector<std::string>;
using Values = std::vector<float>;

GroupsPlan plan_with_context() {
  GroupsPlan plan{state_of({"h"}, {{"y", 2, {0, 1}}, {"x", 4, {0, 1, 2, 3}}}),
                  {{0, 1}, {0, 1, 2}, {0, 2}},
                  {"nu", "steps"},
                  {{"a", "b"}}};
  plan.state.set_boundary("periodic");
  plan.state.set_names(Role::parameter, {"nu"})
      .set_names(Role::static_field, {"bottom", "mask"})
      .set_names(Role::control, {"force"})
      .set_names(Role::control_field, {"wind", "rain"});
  return plan;
}

Values bottom_of(std::size_t sample) {
  Values out;
  for (int i = 0; i < 8; ++i) out.push_back(static_cast<float>(1000 + 100 * static_cast<int>(sample) + i));
  return out;
}

Values force_of(std::size_t sample, std::size_t frames) {
  Values out;
  for (std::size_t t = 0; t < frames; ++t) out.push_back(7.5F + static_cast<float>(10 * sample + t));
  return out;
}

Values wind_of(std::size_t sample, std::size_t frames) {
  Values out;
  for (std::size_t i = 0; i < 8 * frames; ++i) out.push_back(5000.5F + static_cast<float>(100 * sample + i));
  return out;
}

void make(GroupsWriter& writer, std::size_t sample) {
  const std::size_t frames = writer.plan().times[sample].size();
  for (std::size_t frame = 0; frame < frames; ++frame)
    writer.write_frame(sample, frame, Values(8, static_cast<float>(frame) + 0.25F));
  writer.write_scalars(sample, std::vector<double>{0.5 + static_cast<double>(sample), 3});
  writer.write_static(sample, 0, bottom_of(sample));
  writer.write_static(sample, 1, Values(8, 1.0F));
  writer.write_control(sample, 0, force_of(sample, frames));
  writer.write_control_field(sample, 0, wind_of(sample, frames));
  writer.write_control_field(sample, 1, Values(8 * frames, 2.0F));
  writer.finish_sample(sample);
}

class Context : public testing::Test {
 protected:
  std::string complete(const std::string& name) {
    GroupsWriter writer(scratch_.path(name), plan_with_context());
    resumed_ = writer.completed();
    for (std::size_t sample = 0; sample < 3; ++sample) {
      if (!writer.complete(sample)) make(writer, sample);
    }
    writer.finish();
    return scratch_.path(name);
  }
  std::size_t resumed_ = 0;
  testing_support::Scratch scratch_;
};

void expect_context(const Source& source, std::size_t sample, std::size_t original) {
  EXPECT_EQ(source.description().state.names(Role::parameter), Names{"nu"});
  EXPECT_EQ(source.description().state.names(Role::static_field), (Names{"bottom", "mask"}));
  EXPECT_EQ(source.description().state.names(Role::control), Names{"force"});
  EXPECT_EQ(parameters_of(source, sample), std::vector<double>{0.5 + static_cast<double>(original)});
  EXPECT_EQ(source.static_field(sample, "bottom"), bottom_of(original));
  const std::size_t frames = source.description().frames[sample];
  EXPECT_EQ(source.control(sample, "force"), force_of(original, frames));
  auto fields = source.description().state.names(Role::control_field);  // an NPZ has them in order of name
  std::sort(fields.begin(), fields.end());
  EXPECT_EQ(fields, (Names{"rain", "wind"}));
  EXPECT_EQ(source.control(sample, "wind"), wind_of(original, frames));
  EXPECT_EQ(source.control(sample, "rain"), Values(8 * frames, 2.0F));
}

TEST_F(Context, IsReadAsItWasWritten) {
  const auto source = open(complete("a.h5"));
  for (std::size_t sample = 0; sample < 3; ++sample) expect_context(*source, sample, sample);
  EXPECT_EQ(source->description().attributes.at("static"), "bottom,mask");
}

TEST_F(Context, IsCoveredByTheChecksumsOfAnUnfinishedFile) {
  const std::string whole = files::read_whole(complete("whole.h5")), part = scratch_.path("a.h5.part");
  const auto damaged_by = [&](float mark) {
    {
      GroupsWriter writer(scratch_.path("a.h5"), plan_with_context());
      for (const std::size_t sample : {0U, 2U}) make(writer, sample);
      writer.flush();
    }
    std::string bytes = files::read_whole(part);
    const auto place = bytes.find(std::string(reinterpret_cast<const char*>(&mark), sizeof mark));
    EXPECT_NE(place, std::string::npos);
    if (mark != 0) bytes.at(place) ^= 1;
    testing_support::write_file(part, bytes);
    EXPECT_EQ(files::read_whole(complete("a.h5")), whole);
    std::filesystem::remove(scratch_.path("a.h5"));
    return resumed_;
  };
  EXPECT_EQ(damaged_by(0), 2U);
  EXPECT_EQ(damaged_by(bottom_of(2)[5]), 1U) << "a static field";
  EXPECT_EQ(damaged_by(force_of(0, 2)[1]), 1U) << "a control";
  EXPECT_EQ(damaged_by(wind_of(2, 2)[9]), 1U) << "a control field";
}

TEST_F(Context, OfAnotherPlanIsNotGoneOnFrom) {
  { GroupsWriter writer(scratch_.path("a.h5"), plan_with_context()); }
  GroupsPlan other = plan_with_context();
  other.state.set_names(Role::control, {"torque"});
  EXPECT_PRED2(has, sentence_of([&] { GroupsWriter(scratch_.path("a.h5"), other); }),
               "begun with other settings");
}

TEST_F(Context, SurvivesConversionOfSomeSamples) {
  const auto source = open(complete("a.h5"));
  convert(*source, scratch_.path("b.h5"), {{2, 1}, 4});
  const auto converted = open(scratch_.path("b.h5"));
  expect_context(*converted, 0, 2);
  expect_context(*converted, 1, 1);
}

TEST_F(Context, SurvivesConversionToAnArrayOfOneLength) {
  const auto source = open(complete("a.h5"));
  const auto to_npz = [&](const std::vector<std::size_t>& samples) {
    convert_to_npz(*source, scratch_.path("b.npz"), {samples});
  };
  EXPECT_PRED2(has, sentence_of([&] { to_npz({}); }), "an array needs one length");
  EXPECT_FALSE(std::filesystem::exists(scratch_.path("b.npz")));
  to_npz({1});
  expect_context(*open(scratch_.path("b.npz")), 0, 1);
}

TEST_F(Context, IsAveragedWithTheGrid) {
  const std::shared_ptr<const Source> source = open(complete("a.h5"));
  const auto coarse = averaged(with_channels(source, {"h"}), 2);
  EXPECT_EQ(coarse->static_field(1, "bottom"), (Values{1102.5F, 1104.5F}));
  EXPECT_EQ(coarse->control(1, "force"), force_of(1, 3));
  EXPECT_EQ(coarse->control(1, "wind"), (Values{5103, 5105, 5111, 5113, 5119, 5121}));
  convert(*coarse, scratch_.path("b.h5"));
  EXPECT_EQ(open(scratch_.path("b.h5"))->static_field(1, "bottom"), (Values{1102.5F, 1104.5F}));
}

TEST_F(Context, OfAControlFieldIsOneOfAModelToo) {
  const std::shared_ptr<const Source> source = open(complete("a.h5"));
  const auto with = with_context(source, {{}, {}, {"rain", "force", "wind"}});
  EXPECT_EQ(with->description().context.controls, Names{"force"});
  EXPECT_EQ(with->description().context.control_fields, (Names{"rain", "wind"}));
  const auto context = with->context(1);
  EXPECT_EQ(context->times, (std::vector<double>{0, 1, 2}));
  const auto wind = wind_of(1, 3);
  for (std::size_t t = 0; t < 3; ++t) {
    EXPECT_EQ(context->control_fields.at(t * 16 + 3), 2.0F);
    EXPECT_EQ(context->control_fields.at(t * 16 + 8 + 3), wind[t * 8 + 3]);
  }
  EXPECT_PRED2(has, sentence_of([&] {
                 with_context(source, {{}, {}, {"winds"}});
               }),
               "has no 'winds' (did you mean 'wind'?)");
}

TEST_F(Context, ThatIsNotThereIsNamed) {
  const auto source = open(complete("a.h5"));
  EXPECT_PRED2(has, sentence_of([&] { source->static_field(0, "botom"); }),
               "a.h5: has no static field 'botom' (did you mean 'bottom'?)");
  EXPECT_PRED2(has, sentence_of([&] { source->control(0, "bottom"); }), "a.h5: has no control 'bottom'");
  EXPECT_PRED2(has, sentence_of([&] { source->control(9, "force"); }), "sample 9 was asked for");
}

/// A file of two samples of a grid of 2 x 3, to which `add` adds.
template <class Add>
std::unique_ptr<Source> two_samples(const std::string& path, Add add) {
  auto file = hdf5::File::create(path);
  auto root = file.root();
  for (const char* key : {"0000", "0001"}) {
    auto group = root.create_group(key);
    write_counting(group, "data", {4, 2, 3, 1});
    add(root, group, key[3] == '1');
  }
  file.close();
  return open(path);
}

TEST_F(Context, IsFoundInAFileThatDoesNotDeclareItsFields) {
  const auto source = two_samples(scratch_.path("a.h5"), [](auto&, auto& group, bool) {
    write_counting(group.create_group("static"), "mask", {2, 3});
    write_counting(group.create_group("controls"), "wind", {4});
    group.create_group("scalars").write_number("nu", 1);
  });
  EXPECT_EQ(source->description().state.names(Role::static_field), Names{"mask"});
  EXPECT_EQ(source->description().state.names(Role::control), Names{"wind"});
  EXPECT_EQ(source->description().state.names(Role::parameter), Names{}) << "a scalar may be anything";
  EXPECT_EQ(source->control(1, "wind"), (Values{0, 1, 2, 3}));
}

TEST_F(Context, OfAStrangerMayMeanSomethingElse) {
  const auto source = two_samples(
      scratch_.path("a.h5"), [](auto& root, auto&, bool) { root.set("parameters", "see paper, table 2"); });
  EXPECT_EQ(source->description().state.names(Role::parameter), Names{});
  EXPECT_PRED2(has, text::join(source->description().notes), "attribute 'parameters' names table 2");
}

TEST_F(Context, ThatDoesNotFitIsRefusedWithASentence) {
  const auto source = two_samples(scratch_.path("a.h5"), [](auto& root, auto& group, bool second) {
    root.set("parameters", "nu");
    group.create_group("scalars").write_number("nu", second ? NAN : 1);
    const auto fields = group.create_group("static");
    write_counting(fields, "wide", second ? hdf5::Extents{2, 4} : hdf5::Extents{2, 3});
    write_counting(fields, "flat", second ? hdf5::Extents{6} : hdf5::Extents{2, 3});
    const auto series = group.create_group("controls");
    write_counting(series, "short", {second ? 3U : 4U});
    testing_support::write_list(series, "broken", {1, 2, second ? NAN : 3, 4});
    if (!second) write_counting(fields, "once", {2, 3});
    const auto moving = group.create_group("control_fields");
    write_counting(moving, "rain", second ? hdf5::Extents{3, 2, 3} : hdf5::Extents{4, 2, 3});
    write_counting(moving, "hail", second ? hdf5::Extents{4, 6} : hdf5::Extents{4, 2, 3});
  });
  const auto said = [&](const char* name, bool control) {
    return sentence_of([&] { control ? source->control(1, name) : source->static_field(1, name); });
  };
  EXPECT_PRED2(has, said("wide", false), "a.h5: '/0001/static/wide': has 4 entries along x");
  EXPECT_PRED2(has, said("flat", false),
               "a.h5: '/0001/static/flat': has 1 axes, but a static field has 2 (y,x)");
  EXPECT_PRED2(has, said("once", false), "/0001/static/once");
  EXPECT_PRED2(has, said("short", true),
               "a.h5: '/0001/controls/short': has 3 values, but the sample has 4 frames");
  EXPECT_PRED2(has, said("rain", true), "a.h5: '/0001/control_fields/rain': has 3 entries along t");
  EXPECT_PRED2(has, said("hail", true),
               "a.h5: '/0001/control_fields/hail': has 2 axes, but a control field has 3 (t,y,x)");
  EXPECT_PRED2(has, said("broken", true), "a.h5: '/0001/controls/broken': value 2 is nan");
  EXPECT_PRED2(has, sentence_of([&] { parameters_of(*source, 1); }), "a.h5: parameter nu of sample 1 is nan");
  EXPECT_NO_THROW(source->static_field(0, "wide"));
}

TEST_F(Context, TellsSamplesApartThatBeginAlike) {
  const auto findings = [&](double nu, std::size_t wind) {
    const auto source = two_samples(scratch_.path("a.h5"), [&](auto& root, auto& group, bool second) {
      root.set("parameters", "nu");
      group.create_group("scalars").write_number("nu", second ? nu : 1);
      testing_support::write_list(group.create_group("controls"), "wind",
                                  {0, 1, 2, second ? static_cast<double>(wind) : 3});
    });
    return audit(*source, {{0}, {}, {1}}).leaked_test;
  };
  EXPECT_EQ(findings(1, 3), 1U);
  EXPECT_EQ(findings(1.0001, 3), 1U) << "as near as frames may be";
  EXPECT_EQ(findings(1.1, 3), 0U);
  EXPECT_EQ(findings(1, 4), 0U);
}

}  // namespace
}  // namespace cvf::data
