// The look at a file by another process. What that process may do is played by scripts.
#include <sys/stat.h>

#include "core/files.hpp"
#include "core/interrupt.hpp"
#include "data/source.hpp"
#include "support/scratch.hpp"
#include "support/tiny_files.hpp"

namespace cvf::data {
namespace {

using testing_support::read_file;
using testing_support::Scratch;
using testing_support::sentence_of;
using testing_support::write_file;

class ProbeTest : public testing::Test {
 protected:
  ProbeTest() {
    testing_support::write_counting(hdf5::File::create(file_).root().create_group("0"), "data", {4, 2});
  }
  ~ProbeTest() override {
    use_probe("");
    interrupt::clear();
  }
  void play(const std::string& script) {
    write_file(scratch_.path("probe"), "#!/bin/sh\n" + script + "\n");
    chmod(scratch_.path("probe").c_str(), 0700);
    use_probe(scratch_.path("probe"));
  }
  std::string refusal() const {
    return sentence_of([&] { open(file_); });
  }
  Scratch scratch_;
  std::string file_ = scratch_.path("a.h5");
};

TEST_F(ProbeTest, IsToldTheFileAndWhatTheUserSaysAboutIt) {
  play("printf '%s|' \"$@\" > " + scratch_.path("told"));
  open(file_, {"0/data", "t,c", 0.5});
  EXPECT_EQ(read_file(scratch_.path("told")), file_ + "|0/data|t,c|0.5|");
}

TEST_F(ProbeTest, LooksOnceAtAFileThatStaysAsItIs) {
  play("echo look >> " + scratch_.path("looks"));
  for (int i = 0; i < 3; ++i) open(file_);
  EXPECT_EQ(read_file(scratch_.path("looks")), "look\n");
  { hdf5::File::extend(file_).root().set("note", "longer than before"); }
  open(file_);
  EXPECT_EQ(read_file(scratch_.path("looks")), "look\nlook\n");
}

TEST_F(ProbeTest, WhateverEndsItIsASentenceAboutTheFile) {
  play("kill -SEGV $$");
  EXPECT_EQ(refusal(),
            file_ +
                ": is damaged, or made to do harm: the process that looked at it was killed by signal 11 "
                "(Segmentation fault)");
  play("exit 1");
  EXPECT_EQ(refusal(),
            file_ + ": is damaged, or made to do harm: the process that looked at it ended with exit code 1");
  play("printf 'a.h5: has no frames'; exit 4");
  EXPECT_EQ(refusal(), "a.h5: has no frames");
}

TEST_F(ProbeTest, AStopEndsTheLookToo) {
  play("exec sleep 600");
  interrupt::request();
  EXPECT_THROW(open(file_), Interrupted);
}

TEST_F(ProbeTest, ArraysOfNumPyNeedNone) {
  play("exit 1");
  write_file(scratch_.path("a.npy"), "\x93NUMPY");
  EXPECT_EQ(sentence_of([&] { open(scratch_.path("a.npy")); }).find("looked at it"), std::string::npos);
}

}  // namespace
}  // namespace cvf::data
