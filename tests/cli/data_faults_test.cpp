// Data verbs against hostile files, full disks and other writers, as a user meets them.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <filesystem>
#include <memory>

#include "core/files.hpp"
#include "data/groups_writer.hpp"
#include "data/hdf5.hpp"
#include "support/has.hpp"
#include "support/program.hpp"
#include "support/scratch.hpp"

namespace cvf::cli {
namespace {

using testing_support::has;
using testing_support::Program;
using testing_support::Ran;
using testing_support::run;
using testing_support::Scratch;

std::string pendulum_file(const Scratch& scratch, const std::string& name) {
  const std::string file = scratch.path(name);
  EXPECT_EQ(run(scratch, {"data", "generate", "pendulum", "--out", file, "--samples", "3"}).code, 0);
  return file;
}

TEST(DataFaults, AConversionOntoItsOwnInputIsRefused) {
  const Scratch scratch;
  const std::string file = pendulum_file(scratch, "a.h5"), before = files::read_whole(file);
  std::filesystem::create_symlink("a.h5", scratch.path("b.h5"));
  for (const std::string& out : {file, scratch.path("./a.h5"), scratch.path("b.h5")}) {
    const Ran ran = run(scratch, {"data", "convert", file, out, "--samples", "0:1", "--overwrite"});
    EXPECT_EQ(ran.code, 2) << ran.err;
    EXPECT_TRUE(has(ran.err, "is a file that this command reads")) << ran.err;
    EXPECT_EQ(files::read_whole(file), before);
  }
}

TEST(DataFaults, TwoThatGenerateTogetherBothEndWithTheSameFile) {
  const Scratch scratch;
  const std::string alone = files::read_whole(pendulum_file(scratch, "alone.h5"));
  std::vector<Scratch> outputs(3);
  std::vector<Program> all;
  for (const auto& output : outputs)
    all.emplace_back(output, std::vector<std::string>{"data", "generate", "pendulum", "--out",
                                                      scratch.path("a.h5"), "--samples", "3"});
  for (auto& program : all) {
    const Ran ran = program.wait();
    EXPECT_TRUE(ran.code == 0 || has(ran.err, "exists already")) << ran.code << ran.err;
  }
  EXPECT_EQ(files::read_whole(scratch.path("a.h5")), alone);
}

TEST(DataFaults, ALimitOnTheSizeOfFilesIsASentence) {
  const Scratch scratch;
  const std::string file = pendulum_file(scratch, "a.h5"), out = scratch.path("out.h5");
  rlimit before = {};
  getrlimit(RLIMIT_FSIZE, &before);
  const rlimit small{6000, before.rlim_max};
  setrlimit(RLIMIT_FSIZE, &small);  // for the programs that are started from here
  const Ran made = run(scratch, {"data", "generate", "pendulum", "--out", out, "--samples", "3"});
  const Ran converted = run(scratch, {"--quiet", "data", "convert", file, out});
  setrlimit(RLIMIT_FSIZE, &before);
  for (const Ran& ran : {made, converted}) {
    EXPECT_EQ(ran.code, 4) << ran.err;
    EXPECT_TRUE(has(ran.err, "out.h5") && has(ran.err, "File too large")) << ran.err;
    EXPECT_EQ(std::count(ran.err.begin(), ran.err.end(), '\n'), 1) << ran.err;
  }
  for (const char* rest : {"out.h5", "out.h5.part", "out.h5.journal", "out.h5.lock"})
    EXPECT_FALSE(std::filesystem::exists(scratch.path(rest))) << rest;
}

TEST(DataFaults, NumbersThatDoNotFitAreRefused) {
  const Scratch scratch;
  const std::string file = pendulum_file(scratch, "a.h5");
  const auto refused = [&](std::vector<std::string> words, int code, const std::string& part) {
    const Ran ran = run(scratch, std::move(words));
    EXPECT_EQ(ran.code, code) << ran.err;
    EXPECT_TRUE(has(ran.err, part)) << ran.err;
  };
  refused({"data", "generate", "wave", "--out", "x", "--grid", "4294967312"}, 3, "each between 4 and 16384");
  refused({"data", "generate", "wave", "--out", "x", "--set", "frames=4294967298"}, 3,
          "must be at most 2147483647");
  refused({"data", "generate", "wave", "--out", "x", "--frames", "4294967298"}, 2, "--frames");
  refused({"data", "generate", "wave", "--out", "x", "--samples", "18446744073709551617"}, 2,
          "too large a number");
  refused({"data", "picture", file, "--out", "x.png", "--sample", "-1"}, 2, "--sample: -1 is negative");
  refused({"data", "convert", file, scratch.path("o.h5"), "--average", "18446744073709551617"}, 2,
          "too large a number");
  for (const std::string word : {"nan", "inf", "-inf", "1e999"}) {
    for (const std::string option : {"--until", "--times", "--memory", "--dt"}) {
      refused({"rollout", "run", "--out", "x.h5", option + "=" + word}, 2,
              option + ": " + word + " is not a finite number");
    }
    refused({"data", "inspect", file, "--dt=" + word}, 2, "--dt: " + word + " is not a finite number");
    refused({"data", "audit", file, "--near=" + word}, 2, "--near: " + word + " is not a finite number");
  }
  for (const std::string word : {"-1", "0"}) {
    refused({"data", "inspect", file, "--dt=" + word}, 2, "--dt: " + word + " is not a positive number");
    refused({"rollout", "run", "--out", "x.h5", "--memory=" + word}, 2,
            "--memory: " + word + " is not a positive number");
  }
}

TEST(DataFaults, TextFromAFileCannotCommandTheTerminal) {
  const Scratch scratch;
  const std::string evil = "\x1b[2J\x07\xc2\x9b\xff", file = scratch.path("a.h5");
  {
    data::GroupsWriter writer(file, {state_of({"u" + evil}), {{0, 1}}, {"s" + evil}, {{"k", "v" + evil}}});
    const std::vector<float> state{1};
    for (const std::size_t frame : {0U, 1U}) writer.write_frame(0, frame, state);
    const std::vector<double> scalars{1};
    writer.write_scalars(0, scalars);
    writer.finish_sample(0);
    writer.finish();
    auto made = data::hdf5::File::extend(file);
    made.root().set("boundary", "b" + evil);
    made.close();
  }
  const std::vector<std::vector<std::string>> verbs{
      {"data", "inspect", file},
      {"data", "inspect", file, "--json"},
      {"data", "audit", file},
      {"data", "audit", file, "--json"},
      {"data", "convert", file, scratch.path("o.h5"), "--channels", "w"}};
  for (const auto& verb : verbs) {
    const Ran ran = run(scratch, verb);
    EXPECT_NE(ran.code, 1) << ran.err;
    for (const char byte : {'\x1b', '\x07', '\x9b', '\xff'}) {
      EXPECT_EQ(ran.out.find(byte), std::string::npos) << ran.out;
      EXPECT_EQ(ran.err.find(byte), std::string::npos) << ran.err;
    }
  }
}

TEST(DataFaults, AFileThatCrashesLibhdf5CostsOneSentence) {
  const Scratch scratch;
  const std::string file = scratch.path("a.h5");
  {
    data::GroupsWriter writer(file, {state_of({"u", "v"}, {{"y", 6}, {"x", 6}}), {{0, 1, 2, 3}}});
    for (std::size_t frame = 0; frame < 4; ++frame) writer.write_frame(0, frame, std::vector<float>(72, 1));
    writer.finish_sample(0);
    writer.finish();
  }
  EXPECT_EQ(run(scratch, {"data", "inspect", file}).code, 0);
  std::string bytes = files::read_whole(file);
  const std::string chunk("\x01\0\0\0\x06\0\0\0\x06\0\0\0\x02\0\0\0\x04\0\0\0",
                          20);  // 1 x 6 x 6 x 2 of 4 bytes
  const std::size_t place = bytes.find(chunk);
  ASSERT_NE(place, std::string::npos);
  bytes[place + 13] = '\xff';  // now 65282 channels, of which the file has none
  files::write_atomically(file, std::string_view(bytes));
  for (const char* verb : {"inspect", "audit"}) {
    const Ran ran = run(scratch, {"data", verb, file});
    EXPECT_EQ(ran.code, 4) << ran.err;
    EXPECT_TRUE(has(ran.err, "a.h5")) << ran.err;
    EXPECT_EQ(std::count(ran.err.begin(), ran.err.end(), '\n'), 1) << ran.err;
  }
}

TEST(DataFaults, WhatTheFileSystemRefusesIsADataError) {
  const Scratch scratch;
  const std::string file = pendulum_file(scratch, "a.h5"), impossible = scratch.path(std::string(300, 'x'));
  for (const auto& words :
       std::vector<std::vector<std::string>>{{"data", "generate", "pendulum", "--out", impossible},
                                             {"data", "generate", "pendulum", "--out", file + "/inside.h5"},
                                             {"data", "convert", file, impossible},
                                             {"data", "picture", file, "--out", impossible},
                                             {"data", "inspect", impossible},
                                             {"report", impossible}}) {
    const Ran ran = run(scratch, words);
    EXPECT_EQ(ran.code, 4) << ran.err;
    EXPECT_FALSE(has(ran.err, "unexpected")) << ran.err;
  }
}

}  // namespace
}  // namespace cvf::cli
