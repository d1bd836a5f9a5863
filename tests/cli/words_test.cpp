// What the program says to somebody who does not know its words yet.
#include <gtest/gtest.h>

#include "support/has.hpp"
#include "support/program.hpp"

namespace cvf {
namespace {

using testing_support::has;
using testing_support::Program;
using testing_support::Ran;
using testing_support::run;
using testing_support::Scratch;

TEST(Words, AVerbThatDoesNotExistIsAnsweredWithTheNearest) {
  const Scratch scratch;
  Ran ran = run(scratch, {"--threads", "1", "trian", "run.toml"});
  EXPECT_EQ(ran.code, 2);
  EXPECT_TRUE(has(ran.err, "cvf has no verb 'trian' (did you mean 'train'?)")) << ran.err;
  ran = run(scratch, {"data", "inspekt", "mine.h5"});
  EXPECT_EQ(ran.code, 2);
  EXPECT_TRUE(has(ran.err, "cvf data has no verb 'inspekt' (did you mean 'inspect'?)")) << ran.err;
  ran = run(scratch, {"data", "inspect", "mine.h5", "--colour"});
  EXPECT_EQ(ran.code, 2);
  EXPECT_TRUE(has(ran.err, "--colour")) << ran.err;
}

TEST(Words, EverySectionOfARunFileIsExplained) {
  const Scratch scratch;
  for (const auto& [section, key] : {std::pair{"data", "dataset"},
                                     {"optimizer", "learning_rate"},
                                     {"schedule", "warmup"},
                                     {"train", "minutes"},
                                     {"validation", "samples"},
                                     {"evaluation", "keep"},
                                     {"checkpoint", "keep"},
                                     {"log", "tensorboard"}}) {
    const Ran ran = run(scratch, {"explain", section});
    EXPECT_EQ(ran.code, 0) << ran.err;
    EXPECT_TRUE(has(ran.out, key)) << section << ": " << ran.out;
  }
}

// What a shell proposes after a line, by the script itself.
TEST(Words, AShellCompletesVerbsAndFlags) {
  const Scratch scratch;
  Ran ran = run(scratch, {"completion", "bash"});
  ASSERT_EQ(ran.code, 0) << ran.err;
  files::write_atomically(scratch.path("cvf.bash"), ran.out);
  const auto proposed = [&](const std::string& words, int last) {
    const std::string line = fmt::format(
        "cd '{}' && source cvf.bash && COMP_WORDS=(cvf {}) COMP_CWORD={} && _cvf && printf '%s ' "
        "\"${{COMPREPLY[@]}}\"",
        scratch.path(""), words, last);  // files of other folders would be proposed, too
    const Ran seen = Program(scratch, {"-c", line}, "/bin/bash").wait();
    EXPECT_EQ(seen.code, 0) << seen.err;
    return seen.out;
  };
  EXPECT_EQ(proposed("tra", 1), "train ");
  EXPECT_EQ(proposed("data insp", 2), "inspect ");
  EXPECT_EQ(proposed("train mine.toml --overw", 3), "--overwrite ");
  EXPECT_EQ(proposed("data inspect mine.h5 --datas", 4), "--dataset ");
  ran = run(scratch, {"completion", "fish"});
  EXPECT_TRUE(has(ran.out, "complete -c cvf -n '__fish_seen_subcommand_from data' -a inspect")) << ran.out;
  EXPECT_TRUE(has(run(scratch, {"completion", "zsh"}).out, "bashcompinit"));
  EXPECT_EQ(run(scratch, {"completion", "tcsh"}).code, 2);
}

}  // namespace
}  // namespace cvf
