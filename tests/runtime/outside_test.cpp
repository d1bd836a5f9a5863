// Projects that know nothing of ours but what is installed: built, run, and their numbers compared.
#include <filesystem>
#include <sstream>

#include "runtime/models.hpp"
#include "support/program.hpp"

namespace cvf::runtime {
namespace {

namespace fs = std::filesystem;
using testing_support::Program;
using testing_support::Scratch;

class Outside : public testing::Test {
 protected:
  testing_support::Ran shell(const std::string& command) const {
    return Program(scratch_, {"-c", command}, "/bin/sh").wait();
  }
  void must(const std::string& command) const {
    const auto ran = shell(command);
    ASSERT_EQ(ran.code, 0) << command << "\n" << ran.out << ran.err;
  }
  void install() const {
    must(fmt::format("{} --install {} --component runtime --prefix {}", CVF_CMAKE, CVF_BUILD_DIR, prefix_));
  }

  Scratch scratch_;
  std::string prefix_ = scratch_.path("prefix");
};

using Lines = std::vector<std::pair<std::string, double>>;

// What examples/installed/step prints, from the runtime itself.
Lines expected_lines(const Model& model) {
  Lines out;
  const auto add = [&](const char* word, const std::vector<double>& values) {
    for (const double value : values) out.emplace_back(word, value);
  };
  const std::size_t values = model.values();
  std::vector<double> states(3 * values), forecast_states(3 * 2 * values);
  for (std::size_t i = 0; i < states.size(); ++i) states[i] = std::sin(0.37 * static_cast<double>(i + 1));
  const double dt[]{0.1, 0.2, 0.3}, longer[]{0.9, 0.8, 0.7};
  add("nre", nre(model, states.data(), 3, dt, {}, 1));
  step(model, states.data(), 3, dt, {}, 1);
  add("step", states);
  const auto trace = advance(model, states.data(), 3, longer, {}, 1);
  add("advance", states);
  for (const auto& counts : trace.outcome.counts)
    out.emplace_back("evaluations", static_cast<double>(counts.evaluations));
  forecast<double>(model, states.data(), 3, {{0.25, 0.5}}, {}, 1,
                   [&](std::size_t sample, std::size_t target, const double* state, const double*) {
                     std::copy_n(state, values, forecast_states.data() + (sample * 2 + target) * values);
                   });
  add("forecast", forecast_states);
  return out;
}

void expect_lines(const std::string& printed, const Lines& lines, const std::string& program) {
  std::istringstream in(printed);
  for (const auto& [word, value] : lines) {
    std::string name, text;
    ASSERT_TRUE(in >> name >> text) << program << " ends before " << word;
    ASSERT_EQ(name, word) << program;
    const double number = std::strtod(text.c_str(), nullptr);  // takes "Infinity", too
    if (std::isinf(value)) {
      ASSERT_EQ(number, value) << program << ", " << word;
    } else {
      ASSERT_NEAR(number, value, 1e-8 * (1 + std::abs(value))) << program << ", " << word;
    }
  }
  std::string more;
  EXPECT_FALSE(in >> more) << program << " says more: " << more;
}

// What examples/installed/forecast prints of a model of several members.
Lines expected_of_forecast(const Model& model) {
  Lines out{{"members", static_cast<double>(model.members())}};
  const auto add = [&](const char* word, const std::vector<double>& values) {
    for (const double value : values) out.emplace_back(word, value);
  };
  const auto go = [](const Model& with, const std::vector<double>& times, std::vector<double>& states,
                     std::vector<double>& spread) {
    std::vector<double> start(2 * with.values());
    for (std::size_t i = 0; i < start.size(); ++i) start[i] = std::sin(0.37 * static_cast<double>(i + 1));
    states.resize(start.size() * times.size());
    spread.resize(states.size());
    return forecast<double>(
        with, start.data(), 2, {times}, {}, 1,
        [&](std::size_t sample, std::size_t target, const double* state, const double* apart) {
          const std::size_t place = (sample * times.size() + target) * with.values();
          std::copy_n(state, with.values(), states.data() + place);
          std::copy_n(apart, with.values(), spread.data() + place);
        });
  };
  std::vector<double> states, spread;
  const auto trace = go(model, {0.3, 0.5, 1.1}, states, spread);
  add("spread", spread);
  add("forecast", states);
  const auto calibration = calibration_of(model);
  for (std::size_t k = 0; k < 2; ++k) {
    out.emplace_back("evaluations", static_cast<double>(trace.outcome.counts[k].evaluations));
    out.emplace_back("accepted", static_cast<double>(trace.outcome.counts[k].accepted));
    const auto errors = trace.largest_errors(k);
    add("nre", {errors.begin() + 1, errors.end()});
    for (const auto& step : trace.outcome.steps[k]) add("step", {step.time, step.step, step.error});
    const auto bars =
        calibration.bars(calibration.factor(0.5), trace.doubts(calibration.score, k), trace.times[k]);
    add("bar", {bars.begin() + 1, bars.end()});
  }
  out.emplace_back("code", 2);
  const auto larger = model.on_grid(static_cast<std::int64_t>(model.state().size_along("y")) + 3,
                                    static_cast<std::int64_t>(model.state().size_along("x")) + 1, 0, 0);
  go(larger, {0.3}, states, spread);
  add("larger", states);
  return out;
}

TEST_F(Outside, ProjectsInCAndCppAndFortranUseTheInstalledPackage) {
  install();
  const test::Pair pair(test::kinds[7]), members(test::kinds[4], {}, 3);
  test::calibrate(*members.plain, metrics::Signal::spread);
  const std::string folder = pair.scratch.path("run"), build = scratch_.path("build");
  fs::copy(fs::path(CVF_SOURCE_DIR) / "examples/installed", scratch_.path("project"),
           fs::copy_options::recursive);
  must(fmt::format("{0} -S {1} -B {2} -DCMAKE_PREFIX_PATH={3} -DCMAKE_BUILD_TYPE=Release && {0} --build {2}",
                   CVF_CMAKE, scratch_.path("project"), build, prefix_));
  for (const std::string program : {"step_c", "step_cpp", "step_static", "step_fortran"}) {
    if (program == "step_fortran" && !fs::exists(build + "/" + program)) continue;  // no compiler for it here
    const auto ran = shell(build + "/" + program + " " + folder);
    ASSERT_EQ(ran.code, 0) << program << ": " << ran.err;
    expect_lines(ran.out, expected_lines(*pair.plain), program);
    const auto lost = shell(build + "/" + program + " " + scratch_.path("nowhere"));
    EXPECT_EQ(lost.code, 5) << program;
    EXPECT_NE(lost.err.find("there is no folder with a model"), std::string::npos) << program << lost.err;
  }
  if (!fs::exists(build + "/forecast_fortran")) return;
  const auto ran = shell(build + "/forecast_fortran " + members.scratch.path("run"));
  ASSERT_EQ(ran.code, 0) << ran.err;
  expect_lines(ran.out, expected_of_forecast(*members.plain), "forecast_fortran");
  const auto alone = shell(build + "/forecast_fortran " + folder);  // neither calibrated nor conv
  EXPECT_EQ(alone.code, 0) << alone.err;
  EXPECT_EQ(alone.out.substr(0, 10), "members 1\n");
  EXPECT_NE(alone.err.find("error bars need this calibration"), std::string::npos) << alone.err;
  EXPECT_NE(alone.err.find("the state "), std::string::npos) << alone.err;
}

TEST_F(Outside, APkgConfigFileSaysHowToCompile) {
  if (shell("command -v pkg-config && command -v cc").code != 0) GTEST_SKIP() << "no pkg-config here";
  install();
  const test::Pair pair(test::kinds[0]);
  must(fmt::format(
      "cc {}/examples/installed/step.c -o {} $(PKG_CONFIG_PATH=$(dirname $(find {} -name cvf.pc)) "
      "pkg-config --cflags --libs cvf) -lm",
      CVF_SOURCE_DIR, scratch_.path("step"), prefix_));
  const auto ran = shell(fmt::format("LD_LIBRARY_PATH=$(dirname $(find {} -name libcvf.so)) {} {}", prefix_,
                                     scratch_.path("step"), pair.scratch.path("run")));
  ASSERT_EQ(ran.code, 0) << ran.err;
  expect_lines(ran.out, expected_lines(*pair.plain), "step");
}

TEST_F(Outside, TheLibraryIsSmallAndShowsItsOwnNamesOnly) {
  install();
  const auto library = shell(fmt::format("find {} -name libcvf.so", prefix_)).out;
  const std::string path = library.substr(0, library.find('\n'));
  EXPECT_LE(fs::file_size(path), 5'000'000U);
  const auto needed = shell("ldd " + path);
  ASSERT_EQ(needed.code, 0) << needed.err;
  for (const auto* heavy : {"torch", "libc10", "blas", "lapack", "mkl", "hdf5", "not found"})
    EXPECT_EQ(needed.out.find(heavy), std::string::npos) << needed.out;
  std::istringstream names(shell("nm -D --defined-only " + path).out);
  int count = 0;
  for (std::string place, kind, name; names >> place >> kind >> name; ++count)
    EXPECT_TRUE(name.starts_with("cvf_")) << name;
  EXPECT_GT(count, 20);
}

}  // namespace
}  // namespace cvf::runtime
