// `cvf report` on folders made by hand: what reaches the page, what is missing, what must not break out.
#include "report/report.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string_view>

#include "core/interrupt.hpp"
#include "support/small_study.hpp"

namespace cvf::report {
namespace {

namespace fs = std::filesystem;
using testing_support::Scratch;
using testing_support::sentence_of;
using testing_support::SmallStudy;
using testing_support::write_text;

const Json& scene_of(const Json& document, std::string_view data) {
  for (const auto& scene : document["scenes"]) {
    if (scene["data"] == data) return scene;
  }
  throw DataError("no scene of {}", data);
}

std::size_t decoded_size(const Json& base64) {
  const auto text = base64.get<std::string>();
  const auto padding = static_cast<std::size_t>(std::count(text.begin(), text.end(), '='));
  return text.size() / 4 * 3 - padding;
}

TEST(Report, GathersEverythingOfAStudy) {
  const Scratch scratch;
  const Json document = document_of(SmallStudy(scratch).folder());
  EXPECT_EQ(document["kind"], "study");
  EXPECT_EQ(document["title"], "A small study");
  EXPECT_EQ(document["question"], "Which one?");
  EXPECT_EQ(document["cells"].size(), 8U);
  EXPECT_EQ(document["curves"].size(), 8U);
  EXPECT_EQ(document["scenes"].size(), 2U);
  EXPECT_EQ(document["floors"]["waves"]["default"]["sm"], 0.01);
  EXPECT_EQ(document["tables"][0]["name"], "main");
  EXPECT_TRUE(document["notes"].empty()) << document["notes"];
  const Json& off = document["cells"][0]["evaluations"]["off"];
  EXPECT_EQ(off["solver"], "gcs");
  EXPECT_EQ(off["time_informed"]["rollout_rmse"]["value"], 0.4);
  EXPECT_EQ(off["time_informed"]["rollout_rmse"]["per_frame"]["frame"], Json({1, 2}));
  EXPECT_EQ(off["time_informed"]["trust"]["reliability"].size(), 2U);
}

TEST(Report, ThinsTheJournalAndForgivesATornLine) {
  const Scratch scratch;
  const Json document = document_of(SmallStudy(scratch).folder());
  const Json& curve = document["curves"][0];
  EXPECT_EQ(curve["train"]["loss"].size(), 400U);
  EXPECT_EQ(curve["train"]["step"].front(), 1);
  EXPECT_EQ(curve["train"]["step"].back(), 1000);
  EXPECT_FALSE(curve["train"].contains("samples_per_s"));
  EXPECT_EQ(curve["validation"]["rollout_error"], Json({0.5}));
}

TEST(Report, ASceneHoldsTruthPredictionErrorAndSteps) {
  const Scratch scratch;
  const Json document = document_of(SmallStudy(scratch).folder());
  const Json& scene = scene_of(document, "waves");
  const std::size_t bytes = 9 * 2 * 6 * 8;
  EXPECT_EQ(scene["grid"], Json({6, 8}));
  EXPECT_EQ(scene["times"].size(), 9U);
  EXPECT_EQ(decoded_size(scene["truth"]["fields"]), bytes);
  ASSERT_EQ(scene["methods"].size(), 2U);
  for (const auto& method : scene["methods"]) {
    EXPECT_EQ(decoded_size(method["fields"]), bytes);
    EXPECT_EQ(decoded_size(method["errors"]), bytes);
    EXPECT_EQ(method["rms"][0], 0);
    EXPECT_GT(method["rms"][8], 0.05);
    EXPECT_EQ(method["projection"].size(), 9U);
    EXPECT_EQ(method["steps"]["step"], Json({0.5, 0.5, 3}));
    EXPECT_TRUE(method["steps"]["nre"][1].is_null());
  }
  const Json& spring = scene_of(document, "spring");
  EXPECT_EQ(spring["truth"]["values"].size(), 2U);
  EXPECT_EQ(spring["truth"]["values"][0].size(), 40U);
  EXPECT_FALSE(spring["methods"][0].contains("fields"));
}

// What was scored is what is shown: forecasts of each evaluation, sample by sample.
TEST(Report, AnEvaluationHasScenesOfItsOwnProtocol) {
  const Scratch scratch;
  const SmallStudy study(scratch);
  study.bring_up_to_date();
  const Json document = document_of(study.folder());
  EXPECT_TRUE(document["notes"].empty()) << document["notes"];
  ASSERT_EQ(document["scenes"].size(), 8U) << "2 data sets, 2 evaluations, 2 samples";
  std::map<std::string, double> errors;
  for (const auto& scene : document["scenes"]) {
    EXPECT_EQ(scene["protocol"], scene["evaluation"] == "off" ? "time_informed" : "direct");
    EXPECT_EQ(scene["methods"].size(), 2U);
    if (scene["data"] == "waves" && scene["sample"] == 1)
      errors[scene["evaluation"]] = scene["methods"][0]["rms"][8].get<double>();
  }
  EXPECT_LT(errors["far"], 0.7 * errors["off"]) << "the forecasts of another protocol are other forecasts";
  const Json& off = document["cells"][0]["evaluations"]["off"];
  EXPECT_EQ(off["training"], Json({0, 1}));
  EXPECT_EQ(off["time_informed"]["rollout_rmse"]["per_frame"]["time"], Json({0.5, 1}));
  EXPECT_EQ(off["time_informed"]["rollout_rmse"]["parts"]["v"], 0.8);
  EXPECT_EQ(off["time_informed"]["baselines"]["persistence"]["rollout_rmse"]["value"], 2);
  EXPECT_EQ(document["evaluated_on"]["machines"], Json({"A small computer"}));
  EXPECT_FALSE(document["made_on"]["date"].get<std::string>().empty());
}

TEST(Report, ARunHasTheForecastsBesideItsEvaluation) {
  const Scratch scratch;
  const SmallStudy study(scratch);
  const std::string run = study.in("runs/waves/default/cvf/seed-0");
  write_text(run + "/evaluation.json", testing_support::small_evaluation(0.2, 3).dump());
  testing_support::write_waves(run + "/evaluation.direct.h5", {}, 0.1, true, 1, "direct");
  const Json document = document_of(run);
  ASSERT_EQ(document["scenes"].size(), 1U);
  EXPECT_EQ(document["scenes"][0]["evaluation"], "evaluation");
  EXPECT_EQ(document["scenes"][0]["protocol"], "direct");
  EXPECT_EQ(document["scenes"][0]["note"], "");
}

TEST(Report, ASceneNamesTheParametersOfItsSample) {
  const Scratch scratch;
  const SmallStudy study(scratch);
  const std::string run = study.in("runs/waves/default/cvf/seed-0");
  write_text(run + "/evaluation.json", testing_support::small_evaluation(0.2, 3).dump());
  testing_support::write_waves(run + "/evaluation.direct.h5", {}, 0.1, true, 1, "direct", "nu");
  EXPECT_EQ(document_of(run)["scenes"][0]["note"], "Parameters: nu = 0.5. ");
}

TEST(Report, TellsWhatTheSettingsOfMethodsSayDifferently) {
  const Scratch scratch;
  const SmallStudy study(scratch);
  write_text(study.in("study.toml"), "[method.sm]\nset = [\"objective.name=sm\"]\n");
  const std::string sm = study.in("runs/waves/default/sm/seed-0/run.toml");
  write_text(sm, "seed = 9\n[data]\nfile = \"elsewhere.h5\"\n[objective]\nname = \"sm\"\nlambda = 2\n");
  const Json document = document_of(study.folder());
  ASSERT_EQ(document["differences"].size(), 1U) << "spring's runs are set alike: " << document["differences"];
  const Json& waves = document["differences"][0];
  EXPECT_EQ(waves["data"], "waves");
  EXPECT_EQ(waves["keys"], Json({"objective.lambda", "objective.name"}));
  EXPECT_EQ(waves["values"]["sm"], Json({"2", "sm"}));
  EXPECT_EQ(waves["values"]["cvf"], Json({"", "cvf"}));
  EXPECT_EQ(document["methods"][0],
            Json({{"name", "sm"}, {"objective", "sm"}, {"set", "objective.name=sm"}}));
  write_text(sm, "[objective\n");
  const Json damaged = document_of(study.folder());
  EXPECT_TRUE(damaged["differences"].empty());
  EXPECT_EQ(damaged["notes"].size(), 1U) << damaged["notes"];
}

TEST(Report, AForecastMayLieElsewhereThanItsRun) {
  const Scratch scratch;
  const SmallStudy study(scratch);
  Json line = Json::parse(study.lines().substr(0, study.lines().find('\n')));
  fs::create_directories(study.in("cells"));
  fs::rename(study.in(line["run"].get<std::string>() + "/forecast.h5"), study.in("cells/forecast.h5"));
  line["forecast"] = "cells/forecast.h5";
  write_text(study.in("results.jsonl"), line.dump() + "\n");
  EXPECT_EQ(document_of(study.folder())["scenes"].size(), 1U);
}

TEST(Report, ASignalEndsItInsteadOfBecomingANote) {
  const Scratch scratch;
  const SmallStudy study(scratch);
  interrupt::request();
  const std::string said = sentence_of<Interrupted>([&] { document_of(study.folder()); });
  interrupt::clear();
  EXPECT_TRUE(said.starts_with("interrupted; ")) << said;
}

TEST(Report, SaysWhatIsMissingInsteadOfFailing) {
  const Scratch scratch;
  const SmallStudy study(scratch);
  fs::remove(scratch.path("waves.h5"));
  fs::remove(study.in("study.toml"));
  fs::remove_all(study.in("runs/spring/default/sm"));
  write_text(study.in("runs/spring/default/cvf/seed-0/forecast.h5"), "not a forecast");
  write_text(study.in("results.jsonl"),
             study.lines() + R"({"data":"waves","method":"tm","status":"failed","sentence":"lost"})");
  const Json document = document_of(study.folder());
  EXPECT_TRUE(scene_of(document, "waves")["truth"].is_null());
  EXPECT_NE(scene_of(document, "waves")["note"].get<std::string>().find("waves.h5' is gone"),
            std::string::npos);
  EXPECT_FALSE(scene_of(document, "waves")["methods"][0].contains("errors"));
  EXPECT_EQ(document["cells"].size(), 9U);
  EXPECT_EQ(document["cells"][8]["failed"], true);
  EXPECT_EQ(document["cells"][8]["sentence"], "lost");
  EXPECT_EQ(document["notes"].size(), 2U) << document["notes"];  // study.toml, the broken forecast
}

TEST(Report, AFramesTimeDecidesWhichTruthItIsHeldAgainst) {
  const Scratch scratch;
  const SmallStudy study(scratch);
  testing_support::write_waves(scratch.path("waves.h5"), {.frames = 5}, 0, false);  // the truth ends early
  const Json document = document_of(study.folder());
  const Json& rms = scene_of(document, "waves")["methods"][0]["rms"];
  EXPECT_TRUE(rms[4].is_number());
  EXPECT_TRUE(rms[5].is_null());
}

TEST(Report, FindsTheTruthByAPathThatWasRightInAFolderAbove) {
  const Scratch scratch;
  const SmallStudy study(scratch);
  for (const std::string method : {"sm", "cvf"}) {
    write_text(study.in("runs/waves/default/" + method + "/seed-0/run.toml"),
               "[data]\nfile = \"waves.h5\"\n");
  }
  EXPECT_FALSE(scene_of(document_of(study.folder()), "waves")["truth"].is_null());
  EXPECT_FALSE(document_of(study.in("runs/waves/default/cvf/seed-0"))["scenes"][0]["truth"].is_null());
}

TEST(Report, ShowsASingleRun) {
  const Scratch scratch;
  const SmallStudy study(scratch);
  const std::string run = study.in("runs/waves/default/cvf/seed-0");
  write_text(run + "/evaluation-test.json", testing_support::small_evaluation(0.2, 3).dump());
  const Json document = document_of(run);
  EXPECT_EQ(document["kind"], "run");
  EXPECT_EQ(document["title"], "cvf on waves");
  ASSERT_EQ(document["cells"].size(), 1U);
  EXPECT_EQ(document["cells"][0]["seed"], 3);
  EXPECT_EQ(document["cells"][0]["train"]["steps"], 1000);
  EXPECT_EQ(document["cells"][0]["evaluations"]["test"]["time_informed"]["nfe"]["value"], 3);
  EXPECT_EQ(document["curves"].size(), 1U);
  EXPECT_EQ(document["scenes"].size(), 1U);
}

TEST(Report, BeginsWithTheWarningOfARunThatIsWorseThanTheBaselines) {
  const Scratch scratch;
  const SmallStudy study(scratch);
  const std::string run = study.in("runs/waves/default/cvf/seed-0");
  auto evaluation = testing_support::small_evaluation(0.2, 3);
  write_text(run + "/evaluation-test.json", evaluation.dump());
  EXPECT_EQ(document_of(run)["warning"], "");
  evaluation["warning"] = "this model is worse than <persistence>";
  write_text(run + "/evaluation-test.json", evaluation.dump());
  const Json document = document_of(run);
  EXPECT_EQ(document["warning"], "this model is worse than <persistence>");
  const std::string page = page_of(document);
  EXPECT_LT(page.find("warningLine()].filter"), page.find("    header(),")) << "above the head";
  EXPECT_EQ(document_of(study.folder())["warning"], "") << "a study compares, whatever is worse";
}

TEST(Report, ARunWithNothingButItsTomlStillMakesAPage) {
  const Scratch scratch;
  write_text(scratch.path("run/run.toml"), "seed = 1\n");
  EXPECT_GT(write_report(scratch.path("run"), scratch.path("page.html"), false), 10'000U);
}

TEST(Report, RefusesWhatItCannotShowInOneSentence) {
  const Scratch scratch;
  const SmallStudy study(scratch);
  const auto sentence = [](const std::string& folder) {
    return sentence_of<DataError>([&] { document_of(folder); });
  };
  EXPECT_NE(sentence(scratch.path("nowhere")).find("no such folder"), std::string::npos);
  EXPECT_NE(sentence(scratch.path("waves.h5")).find("is a file"), std::string::npos);
  fs::create_directories(scratch.path("empty"));
  EXPECT_NE(sentence(scratch.path("empty")).find("neither results.jsonl"), std::string::npos);
  write_text(study.in("results.jsonl"), study.lines() + "{\"data\": \"wav");
  EXPECT_NE(sentence(study.folder()).find("line 9 is not a JSON object"), std::string::npos);
  const std::string deep = std::string(200000, '[') + std::string(200000, ']');
  write_text(study.in("results.jsonl"), "{\"data\": \"d\", \"method\": \"m\", \"train\": " + deep + "}\n");
  EXPECT_NE(sentence(study.folder()).find("line 1 is not a JSON object, or is nested too deeply"),
            std::string::npos);
  write_text(study.in("results.jsonl"), "{\"data\": 3, \"method\": \"cvf\"}\n");
  EXPECT_NE(sentence(study.folder()).find("line 1 has no text"), std::string::npos);
  write_text(study.in("results.jsonl"), "\n");
  EXPECT_NE(sentence(study.folder()).find("is empty"), std::string::npos);
}

}  // namespace
}  // namespace cvf::report
