#include "backend/metrics/findings/score_report.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"

namespace carme::metrics {
namespace {

using archive::v1::JobArchive;
using Labels = std::map<std::string, std::string>;

constexpr int64_t kStart_ms = 1'800'000'000'000;

// Series in steps of 10 s.
class SampledJob {
 public:
  SampledJob& Add(const std::string& name, const Labels& labels,
                  const std::vector<double>& values,
                  const std::string& node = "n1") {
    archive::v1::ArchivedSeries* series = archive_.add_series();
    series->set_name(name);
    series->set_node(node);
    series->mutable_labels()->insert(labels.begin(), labels.end());
    archive::v1::Resolution* points = series->add_resolutions();
    points->set_step_s(10);
    points->set_first_ms(kStart_ms);
    *points->mutable_values() = {values.begin(), values.end()};
    return *this;
  }

  // A GPU that has all that a score needs.
  SampledJob& AddGpu(const std::string& gpu, const std::vector<double>& scores,
                     const std::string& node = "n1") {
    const auto add = [&](const char* name, double factor) {
      std::vector<double> values = scores;
      for (double& value : values) value *= factor;
      Add(absl::StrCat("carme_gpu_", name, "_ratio"), {{"gpu", gpu}}, values,
          node);
    };
    add("saturation", 1);
    add("sm_active", 1);
    add("sm_occupancy", 0.5);
    add("tensor_active", 0.4);
    add("fp16_active", 0.2);
    add("fp32_active", 0.1);
    add("fp64_active", 0);
    return *this;
  }

  SampledJob& AddEvent(const std::string& kind, int64_t after_s) {
    v1::NodeEvent* event = archive_.add_events();
    event->set_kind(kind);
    event->set_time_ms(kStart_ms + after_s * 1000);
    return *this;
  }

  v1::JobReceipt Receipt() const {
    v1::JobReceipt receipt;
    AddScores(archive_, &receipt);
    return receipt;
  }

 private:
  JobArchive archive_;
};

TEST_CASE("score report: a score without its components is not given",
          "[metrics]") {
  SampledJob job;
  CHECK_FALSE(job.Receipt().has_report());
  job.Add("carme_gpu_saturation_ratio", {{"gpu", "0"}}, {0.5});
  CHECK_FALSE(job.Receipt().has_score());
  CHECK_FALSE(job.Receipt().has_report());
}

TEST_CASE("score report: components are of the samples of the score",
          "[metrics]") {
  SampledJob job;
  job.AddGpu("0", {0.2, NAN, 0.6});
  // A sample without the others.
  job.Add("carme_gpu_sm_active_ratio", {{"gpu", "1"}}, {1, 1, 1});
  const v1::ScoreSummary score = job.Receipt().score();
  CHECK(score.mean() == Approx(0.4));
  CHECK(score.min() == Approx(0.2));
  CHECK(score.max() == Approx(0.6));
  CHECK(score.components().sm_active() == Approx(0.4));
  CHECK(score.components().sm_occupancy() == Approx(0.2));
  CHECK(score.components().tensor_active() == Approx(0.16));
  CHECK(score.components().fp16_active() == Approx(0.08));
  CHECK(score.components().fp32_active() == Approx(0.04));
  CHECK(score.components().fp64_active() == 0);
  CHECK(score.components().flop_active() == Approx(0.28));
}

TEST_CASE("score report: has a row for each GPU in its order", "[metrics]") {
  SampledJob job;
  job.AddGpu("10", {0.8}).AddGpu("2", {0.4}).AddGpu("0", {0.6}, "n2");
  const v1::ScoreReport report = job.Receipt().report();
  REQUIRE(report.gpus_size() == 3);
  CHECK(report.gpus(0).gpus(0) == "2");
  CHECK(report.gpus(0).score().mean() == Approx(0.4));
  CHECK(report.gpus(1).gpus(0) == "10");
  CHECK(report.gpus(2).node() == "n2");
  CHECK(report.ranks().empty());
  CHECK(report.phases().empty());
  CHECK(job.Receipt().score().mean() == Approx(0.6));
}

TEST_CASE("score report: of many GPUs those with small scores remain",
          "[metrics]") {
  SampledJob job;
  for (int i = 0; i < 300; ++i) {
    job.AddGpu(absl::StrCat(i), {i < 100 ? 0.9 : 0.1 + i * 0.001});
  }
  const v1::ScoreReport report = job.Receipt().report();
  REQUIRE(report.gpus_size() == 256);
  CHECK(report.omitted_gpus() == 44);
  CHECK(report.gpus(0).gpus(0) == "0");
  CHECK(report.gpus(56).gpus(0) == "100");
  CHECK(report.gpus(255).gpus(0) == "299");
}

TEST_CASE("score report: rates use by the published limits", "[metrics]") {
  SampledJob job;
  const Labels gpu = {{"gpu", "0"}};
  job.Add("carme_gpu_utilization_ratio", gpu, {0, 0.6, 0.9});
  job.Add("carme_gpu_power_watts", gpu, {100, 120, 140});
  const auto without_limit = job.Receipt().ratings();
  CHECK(without_limit.utilization().value() == Approx(50));
  CHECK(without_limit.utilization().rating() == v1::RatedUse::RATING_IMPROVE);
  CHECK_FALSE(without_limit.has_power());
  CHECK_FALSE(without_limit.has_compute());
  // The limits of a board of 350 W are half of those of 700 W: 50, 100, 250.
  job.Add("carme_gpu_power_limit_watts", gpu, {350, 350, 350});
  const auto ratings = job.Receipt().ratings();
  CHECK(ratings.power().value() == Approx(120));
  CHECK(ratings.power().rating() == v1::RatedUse::RATING_ACCEPTABLE);
  CHECK(ratings.power_limit_watts() == Approx(350));
}

TEST_CASE("score report: rates the pipes only if all were sampled",
          "[metrics]") {
  SampledJob job;
  const Labels gpu = {{"gpu", "0"}};
  job.AddGpu("0", {0.5, 0.5});
  job.Add("carme_gpu_hmma_active_ratio", gpu, {0.1, 0.1});
  job.Add("carme_gpu_imma_active_ratio", gpu, {0, 0});
  job.Add("carme_gpu_dfma_active_ratio", gpu, {0, 0});
  CHECK_FALSE(job.Receipt().ratings().has_compute());
  job.Add("carme_gpu_int_active_ratio", gpu, {0.02, 0.02});
  // 0.1 + 0.02 + 0.5 * (0.2 + 0.1)
  const auto compute = job.Receipt().ratings().compute();
  CHECK(compute.value() == Approx(0.27));
  CHECK(compute.rating() == v1::RatedUse::RATING_GOOD);
}

TEST_CASE("score report: a rank has the GPUs of its processes", "[metrics]") {
  const auto info = [](const char* gpu, const char* rank) {
    return Labels{{"gpu", gpu}, {"step", "0"}, {"rank", rank}};
  };
  SampledJob job;
  job.AddGpu("0", {0.1, 0.3, 0.5, 0.9}).AddGpu("1", {0.2, 0.2, 0.2, 0.2});
  // Seen from 10 s to 20 s.
  job.Add("carme_gpu_rank_info", info("0", "10"), {NAN, 1, 1, NAN});
  job.Add("carme_gpu_rank_info", info("1", "2"), {1, NAN, NAN, 1});
  job.Add("carme_gpu_rank_info", info("7", "3"), {1, 1, 1, 1});
  const v1::ScoreReport report = job.Receipt().report();
  REQUIRE(report.ranks_size() == 2);
  CHECK(report.ranks(0).rank() == "2");
  CHECK(report.ranks(0).step() == "0");
  CHECK(report.ranks(0).node() == "n1");
  CHECK(report.ranks(0).score().mean() == Approx(0.2));
  CHECK_FALSE(report.ranks(0).is_shared());
  CHECK(report.ranks(1).rank() == "10");
  CHECK(report.ranks(1).gpus(0) == "0");
  CHECK(report.ranks(1).score().mean() == Approx(0.4));
}

TEST_CASE("score report: says that ranks share a GPU", "[metrics]") {
  const auto info = [](const char* rank) {
    return Labels{{"gpu", "0"}, {"step", "0"}, {"rank", rank}};
  };
  SampledJob job;
  job.AddGpu("0", {0.1, 0.3, 0.5, 0.9});
  job.Add("carme_gpu_rank_info", info("0"), {1, 1, NAN, NAN});
  job.Add("carme_gpu_rank_info", info("1"), {NAN, 1, 1, NAN});
  job.Add("carme_gpu_rank_info", info("2"), {NAN, NAN, NAN, 1});
  const v1::ScoreReport report = job.Receipt().report();
  REQUIRE(report.ranks_size() == 3);
  CHECK(report.ranks(0).is_shared());
  CHECK(report.ranks(1).is_shared());
  CHECK_FALSE(report.ranks(2).is_shared());
}

TEST_CASE("score report: the first step divides a job in two", "[metrics]") {
  SampledJob job;
  job.AddGpu("0", {0, 0.1, 0.8, 0.6});
  job.AddEvent("oom", 5).AddEvent("first_step", 25).AddEvent("first_step", 15);
  const v1::ScoreReport report = job.Receipt().report();
  REQUIRE(report.phases_size() == 2);
  CHECK(report.phases(0).phase() == v1::ScoreRow::PHASE_BEFORE_FIRST_STEP);
  CHECK(report.phases(0).score().mean() == Approx(0.05));
  CHECK(report.phases(0).length_s() == 15);
  CHECK(report.phases(1).phase() == v1::ScoreRow::PHASE_FROM_FIRST_STEP);
  CHECK(report.phases(1).score().mean() == Approx(0.7));
  CHECK(report.phases(1).length_s() == 15);
}

TEST_CASE("score report: has the phases that a program reports", "[metrics]") {
  SampledJob job;
  job.AddGpu("0", {0.1, 0.2, 0.3, 0.4, 0.5, 0.6});
  const auto add = [&](const char* name, const std::vector<double>& values) {
    job.Add("carme_program_phase", {{"name", name}, {"origin", "socket"}},
            values);
  };
  add("train", {NAN, 1, 1, NAN, 1, NAN});
  // Begins while "train" has not ended, which ends it.
  add("test", {NAN, NAN, NAN, 1, NAN, NAN});
  // Began and ended within one step.
  add("save", {NAN, NAN, NAN, NAN, NAN, 0.5});
  job.Add("carme_program_phase", {}, {1, 1, 1, 1, 1, 1});  // has no name
  const v1::ScoreReport report = job.Receipt().report();
  REQUIRE(report.phases_size() == 3);
  const auto& train = report.phases(0);
  CHECK(train.phase() == v1::ScoreRow::PHASE_OF_PROGRAM);
  CHECK(train.phase_name() == "train");
  CHECK(train.score().mean() == Approx((0.2 + 0.3 + 0.5) / 3));
  CHECK(train.length_s() == 30);
  CHECK(report.phases(1).phase_name() == "test");
  CHECK(report.phases(1).score().mean() == Approx(0.4));
  CHECK(report.phases(2).phase_name() == "save");
  CHECK(report.phases(2).score().mean() == Approx(0.6));
}

TEST_CASE("score report: a phase ends with 0", "[metrics]") {
  SampledJob job;
  job.AddGpu("0", {0.1, 0.3, 0.5, 0.9});
  job.Add("carme_program_phase", {{"name", "load"}}, {NAN, 1, NAN, 0});
  const v1::ScoreReport report = job.Receipt().report();
  REQUIRE(report.phases_size() == 1);
  CHECK(report.phases(0).score().mean() == Approx(0.4));
}

}  // namespace
}  // namespace carme::metrics
