#include "slurm-hooks/gssr/analyze/report.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "common/printable.h"

namespace carme::gssr {
namespace {

void AppendRow(const char* name, const std::optional<gpu::Distribution>& values,
               std::string* text) {
  if (!values) return;
  absl::StrAppendFormat(text, "  %-22s %12.4g %12.4g %12.4g %12.4g\n", name,
                        values->mean, values->median, values->min, values->max);
}

void AppendSummary(const Summary& summary, std::string* text) {
  absl::StrAppendFormat(text, "%s\n  %-22s %12s %12s %12s %12s\n",
                        Readable(summary.scope, 200), "", "mean", "median",
                        "min", "max");
  if (summary.score) {
    AppendRow("saturation score S", summary.score, text);
    AppendRow("  A: SM active", summary.sm_active, text);
    AppendRow("  O: SM occupancy", summary.sm_occupancy, text);
    AppendRow("  F: FLOP activity", summary.flop_active, text);
  } else {
    absl::StrAppend(text,
                    "  saturation score S     unavailable: activity of SMs or "
                    "pipes was not recorded\n");
  }
  for (const auto& [name, values] : summary.metrics) {
    AppendRow(Readable(name, 22).c_str(), values, text);
  }
  if (summary.energy_wh) {
    absl::StrAppendFormat(text, "  %-22s %12.4g\n", "energy, Wh",
                          *summary.energy_wh);
  }
  *text += "\n";
}

void AppendRating(const char* name, const std::optional<gpu::RatedValue>& rated,
                  std::string* text) {
  if (!rated) {
    absl::StrAppendFormat(text, "  %-32s not rated\n", name);
    return;
  }
  absl::StrAppendFormat(text, "  %-32s %10.4g  %s\n", name, rated->value,
                        gpu::RatingName(rated->rating));
}

void AppendPart(const char* title, const gpu::EvaluationPart& part,
                std::string* text) {
  absl::StrAppend(text, "  ", title, "\n");
  AppendRating("  GPU utilization, %", part.gpu_util, text);
  AppendRating("  compute activity", part.compute, text);
  AppendRating("  power, W", part.power, text);
}

}  // namespace

std::string FormatJob(const JobSummary& job) {
  std::string text;
  AppendSummary(job.job, &text);
  if (!job.label.empty()) {
    absl::StrAppend(&text, "name: ", Readable(job.label, 200), "\n");
  }
  if (!job.command.empty()) {
    absl::StrAppend(&text, "command: ", Readable(job.command, 1000), "\n");
  }
  if (!job.hosts.empty()) {
    absl::StrAppend(
        &text, "nodes: ", Readable(absl::StrJoin(job.hosts, ", "), 1000), "\n");
  }
  if (job.started) {
    absl::StrAppend(&text, "started: ",
                    absl::FormatTime("%Y-%m-%d %H:%M:%S UTC", *job.started,
                                     absl::UTCTimeZone()),
                    "\n");
  }
  absl::StrAppend(&text, "driver: ",
                  job.drivers.empty()
                      ? std::string("not recorded")
                      : Readable(absl::StrJoin(job.drivers, ", "), 200),
                  "\n\n");
  for (const auto& [step, evaluation] : job.evaluations) {
    absl::StrAppend(&text, "Evaluation of step ", Readable(step, 100),
                    " (experimental)\n");
    AppendRating("run after GPU use of 50 %, %", evaluation.gpu_start, &text);
    AppendPart("total runtime", evaluation.total, &text);
    if (evaluation.after_start) {
      AppendPart("after GPU use exceeds 50 %", *evaluation.after_start, &text);
    }
  }
  if (job.load_balance) {
    absl::StrAppendFormat(&text, "  %-32s %10.4g\n",
                          "load balance, lowest/highest", *job.load_balance);
  }
  return text + "\n";
}

std::string FormatReport(const std::vector<JobSummary>& jobs) {
  std::string text;
  for (const JobSummary& job : jobs) {
    text += FormatJob(job);
    for (const Summary& rank : job.ranks) AppendSummary(rank, &text);
    for (const Summary& gpu : job.gpus) AppendSummary(gpu, &text);
  }
  return text;
}

std::string FormatHtml(const std::string& report) {
  return absl::StrCat(
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
      "<title>GPU saturation report</title><style>@page{size:A4}"
      "pre{font-size:8.5pt;orphans:4;widows:4}</style></head>\n<body>"
      "<h1>GPU saturation report</h1>\n<p>The score is indicative: it does "
      "not compare two algorithms.</p>\n<pre>",
      absl::StrReplaceAll(report,
                          {{"&", "&amp;"}, {"<", "&lt;"}, {">", "&gt;"}}),
      "</pre></body></html>\n");
}

}  // namespace carme::gssr
