// The PDF of gssr-analyze: its structure is checked, not how it looks.
#include "slurm-hooks/gssr/analyze/pdf_report.h"

#include <stdlib.h>
#include <sys/wait.h>

#include <catch2/catch.hpp>
#include <filesystem>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "common/file.h"
#include "slurm-hooks/gssr/analyze/recordings.h"
#include "slurm-hooks/gssr/analyze/timeline.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace carme::gssr {
namespace {

size_t CountOf(const std::string& text, const std::string& part) {
  size_t count = 0;
  for (size_t at = text.find(part); at != std::string::npos;
       at = text.find(part, at + 1)) {
    ++count;
  }
  return count;
}

// Of so many GPUs and seconds.
Recordings Record(int gpus, int seconds) {
  Recordings recordings;
  for (int gpu = 0; gpu < gpus; ++gpu) {
    GpuSeries& series = recordings.series.emplace_back();
    series.job_id = "7";
    series.step_id = "0";
    series.process_id = "0";
    series.gpu_id = absl::StrCat(gpu);
    for (int second = 0; second < seconds; ++second) {
      series.samples.push_back(
          {.time_s = static_cast<double>(second),
           .values = {{"gpu_utilization", 10.0 * gpu + second},
                      {"sm_active", 0.5}}});
    }
  }
  return recordings;
}

TEST_CASE("gssr-analyze: quantiles are those of the public tool", "[gssr]") {
  // 0, 10, …, 100 at time 0, linear between neighbours
  const auto timelines = Timelines(Record(11, 1), kMaxPlotPoints);
  REQUIRE(timelines.size() == 1);
  CHECK(timelines[0].gpus == 11);
  const QuantilePoint& point = timelines[0].metrics.at("gpu_utilization")[0];
  CHECK(point.q10 == Approx(10));
  CHECK(point.q50 == Approx(50));
  CHECK(point.q90 == Approx(90));
  const auto two = Timelines(Record(2, 1), kMaxPlotPoints);
  CHECK(two[0].metrics.at("gpu_utilization")[0].q10 == Approx(1));
}

TEST_CASE("gssr-analyze: a long run has at most so many points", "[gssr]") {
  const auto timelines = Timelines(Record(1, 100), 30);
  const auto& points = timelines[0].metrics.at("gpu_utilization");
  REQUIRE(points.size() == 25);
  CHECK(points[0].q10 == 0);
  CHECK(points[0].q50 == Approx(1.5));
  CHECK(points[0].q90 == 3);
  CHECK(points[24].time_s == 96);
}

TEST_CASE("gssr-analyze: writes a PDF with text and plots", "[gssr]") {
  const Recordings recordings = Record(4, 60);
  const auto pdf =
      FormatPdf(Summarize(recordings), Timelines(recordings, kMaxPlotPoints));
  REQUIRE_THAT(pdf, IsOk());
  CHECK(absl::StartsWith(*pdf, "%PDF-1."));
  CHECK(absl::StrContains(pdf->substr(pdf->size() - 16), "%%EOF"));
  CHECK(CountOf(*pdf, "/Type /Page\n") == 2);  // a text, and its plots
  CHECK(absl::StrContains(*pdf, "/BaseFont /Helvetica"));
}

TEST_CASE("gssr-analyze: a PDF takes hostile text and long lines", "[gssr]") {
  Recordings recordings = Record(1, 1);
  recordings.series[0].job_id =
      "\x1b[2J(\\)\n\xc3\xa9\xff" + std::string(500, 'x');
  recordings.series[0].driver = std::string(3000, '(');
  for (int i = 0; i < 200; ++i) {
    recordings.series[0].samples[0].values[absl::StrCat("metric_", i)] = 1e300;
  }
  const auto pdf =
      FormatPdf(Summarize(recordings), Timelines(recordings, kMaxPlotPoints));
  REQUIRE_THAT(pdf, IsOk());
  CHECK(CountOf(*pdf, "/Type /Page\n") >= 4);
}

// As in the README of the public tool.
int RunAnalyze(const TempDir& directory, const std::string& program,
               const std::string& arguments) {
  std::error_code error;
  std::filesystem::create_directories(
      directory.File("gr-sleep-test/alps_31/step_0"), error);
  REQUIRE_THAT(
      WriteFile(directory.File("gr-sleep-test/alps_31/step_0/proc_0.csv"),
                "timestamp,gpuId,DCGM_FI_DEV_GPU_UTIL_avg\n1,0,40\n2,0,60\n",
                0600),
      IsOk());
  std::filesystem::create_symlink(CARME_GSSR_ANALYZE, directory.File(program),
                                  error);
  return WEXITSTATUS(
      system(absl::StrCat("cd ", directory.path(), " && ./", program, " ",
                          arguments, " > out 2> error")
                 .c_str()));
}

TEST_CASE("gssr-analyze: wrong use exits with 2", "[gssr]") {
  const TempDir directory;
  CHECK(RunAnalyze(directory, "gssr-analyze", "") == 2);
  CHECK(RunAnalyze(directory, "gssr-analyze", "gr-sleep-test -o") == 2);
  CHECK(RunAnalyze(directory, "gssr-analyze", "gr-sleep-test --export x") == 2);
  CHECK(RunAnalyze(directory, "gssr-analyze", "none") == 1);
  CHECK_FALSE(std::filesystem::exists(directory.File("gssr-report.pdf")));
}

TEST_CASE("gssr-analyze: the published commands write a PDF", "[gssr]") {
  const TempDir directory;
  for (const char* const output :
       {"-o gr-sleep-test-report.pdf", "--output gr-sleep-test-report.pdf",
        "--output=gr-sleep-test-report.pdf"}) {
    const std::string path = directory.File("gr-sleep-test-report.pdf");
    CHECK(RunAnalyze(directory, "gssr-analyze.py",
                     absl::StrCat("gr-sleep-test ", output)) == 0);
    CHECK(absl::StartsWith(ReadFile(path).value_or(""), "%PDF-1."));
    std::filesystem::remove(path);
  }
  CHECK(RunAnalyze(directory, "gssr-analyze", "gr-sleep-test") == 0);
  CHECK(absl::StartsWith(
      ReadFile(directory.File("gssr-report.pdf")).value_or(""), "%PDF-1."));
  CHECK(absl::StrContains(ReadFile(directory.File("out")).value_or(""),
                          "Saved PDF report to gssr-report.pdf"));
}

TEST_CASE("gssr-analyze: writes what is asked for, and no more", "[gssr]") {
  const TempDir directory;
  CHECK(RunAnalyze(directory, "gssr-analyze", "--text-only gr-sleep-test") ==
        0);
  CHECK(RunAnalyze(directory, "gssr-analyze", "--export x.csv gr-sleep-test") ==
        0);
  CHECK(RunAnalyze(directory, "gssr-analyze", "-o x.html gr-sleep-test") == 0);
  CHECK_FALSE(std::filesystem::exists(directory.File("gssr-report.pdf")));
  CHECK(absl::StartsWith(ReadFile(directory.File("x.html")).value_or(""),
                         "<!DOCTYPE html>"));
}

}  // namespace
}  // namespace carme::gssr
