#include "backend/metrics/findings/job_findings.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/message.h"
#include "common/metric_rules/rule_evaluation.h"
#include "common/printable.h"

namespace carme::metrics {
namespace {

using archive::v1::ArchivedSeries;
using archive::v1::JobArchive;
using metric_rules::JobSamples;

// In the history of a node.
constexpr MessageTemplate kNodeFindingTitle{"{title} ({parts})"};
constexpr size_t kMaxParts = 120;

constexpr int64_t kMinStep_s = 10;
// Series that are sampled less often are not evaluated between two samples.
constexpr int64_t kMaxStep_s = 600;

std::map<std::string, std::string> LabelsOf(const ArchivedSeries& series) {
  std::map<std::string, std::string> labels(series.labels().begin(),
                                            series.labels().end());
  labels["node"] = series.node();
  return labels;
}

// A value of the archive is for the time since the point before: it is placed
// into the middle of that time. Adds the points; returns the shortest distance
// of two of them in seconds, 0 if there is none.
int64_t AddPoints(const ArchivedSeries& series,
                  metric_rules::SeriesSamples* samples) {
  const archive::v1::Resolution& points = series.resolutions(0);
  const int64_t step_ms = int64_t{points.step_s()} * 1000;
  int64_t at_ms = points.first_ms();
  int64_t shortest_ms = 0, last_ms = 0;
  for (const double value : points.values()) {
    if (!std::isnan(value)) {
      samples->points.emplace_back(
          std::max(points.first_ms(), at_ms - step_ms / 2), value);
      const int64_t distance_ms = at_ms - last_ms;
      if (last_ms != 0 && (shortest_ms == 0 || distance_ms < shortest_ms)) {
        shortest_ms = distance_ms;
      }
      last_ms = at_ms;
    }
    at_ms += step_ms;
  }
  return (shortest_ms + 999) / 1000;
}

// The times of events are of the clocks of nodes, which may be wrong: they do
// not make the job longer.
void AddEvents(const JobArchive& archive, absl::Time now, JobSamples* samples) {
  if (samples->from_ms == 0) {
    const v1::MeasuredJob& job = archive.job();
    if (job.started_at_ms() == 0) return;
    samples->from_ms = job.started_at_ms();
    samples->to_ms =
        job.ended_at_ms() != 0 ? job.ended_at_ms() : absl::ToUnixMillis(now);
  }
  for (const v1::NodeEvent& event : archive.events()) {
    samples->events.push_back({event.time_ms(),
                               event.kind(),
                               {event.labels().begin(), event.labels().end()}});
  }
}

JobSamples SamplesIn(const JobArchive& archive,
                     const std::set<std::string>& names, absl::Time now) {
  JobSamples samples;
  samples.step_s = kMinStep_s;
  for (const ArchivedSeries& series : archive.series()) {
    if (series.resolutions().empty() || !names.contains(series.name())) {
      continue;
    }
    const archive::v1::Resolution& points = series.resolutions(0);
    metric_rules::SeriesSamples& one = samples.series.emplace_back();
    one.name = series.name();
    one.labels = LabelsOf(series);
    const int64_t distance_s = AddPoints(series, &one);
    samples.step_s =
        std::max<int64_t>({samples.step_s, int64_t{points.step_s()},
                           std::min(distance_s, kMaxStep_s)});
    const int64_t last_ms =
        points.first_ms() +
        int64_t{points.step_s()} * 1000 * std::max(points.values_size() - 1, 0);
    if (samples.from_ms == 0 || points.first_ms() < samples.from_ms) {
      samples.from_ms = points.first_ms();
    }
    samples.to_ms = std::max(samples.to_ms, last_ms);
  }
  AddEvents(archive, now, &samples);
  return samples;
}

// "code 79, gpu 0": the labels but the node.
std::string PartOfNode(const v1::JobFinding& finding) {
  const std::map<std::string, std::string> labels(finding.labels().begin(),
                                                  finding.labels().end());
  std::string part;
  for (const auto& [name, value] : labels) {
    if (name == "node") continue;
    absl::StrAppend(&part, part.empty() ? "" : ", ", name, " ", value);
  }
  return part;
}

v1::JobFinding::Severity SeverityOf(metric_rules::RuleSeverity severity) {
  switch (severity) {
    case metric_rules::RuleSeverity::kInfo:
      return v1::JobFinding::SEVERITY_INFO;
    case metric_rules::RuleSeverity::kWarning:
      return v1::JobFinding::SEVERITY_WARNING;
    case metric_rules::RuleSeverity::kError:
      return v1::JobFinding::SEVERITY_ERROR;
  }
  return v1::JobFinding::SEVERITY_UNSPECIFIED;
}

}  // namespace

std::vector<v1::JobFinding> FindIn(const JobArchive& archive,
                                   const metric_rules::RuleSet& rules,
                                   absl::Time now) {
  const JobSamples samples = SamplesIn(archive, rules.Series(), now);
  std::vector<v1::JobFinding> findings;
  for (const metric_rules::RuleFinding& found :
       metric_rules::EvaluateRules(rules, samples)) {
    v1::JobFinding& finding = findings.emplace_back();
    finding.set_rule(found.rule->name);
    finding.set_title(found.rule->title);
    finding.set_severity(SeverityOf(found.rule->severity));
    for (const auto& [label, value] : found.group) {
      (*finding.mutable_labels())[label] = value;
    }
    finding.set_from_ms(found.from_ms);
    finding.set_to_ms(found.to_ms);
    finding.set_held_s(found.held_s);
    finding.set_remedy(found.rule->remedy);
    for (const auto& [language, texts] : found.rule->translations) {
      v1::RuleTexts& row = (*finding.mutable_translations())[language];
      row.set_title(texts.title);
      row.set_remedy(texts.remedy);
    }
    for (const metric_rules::CitedSamples& cited : found.samples) {
      v1::CitedSamples* row = finding.add_samples();
      row->set_subject(cited.subject);
      row->set_limit(cited.limit);
      row->set_mean(cited.mean);
      row->set_min(cited.min);
      row->set_max(cited.max);
      for (const auto& [time_ms, value] : cited.points) {
        row->add_times_ms(time_ms);
        row->add_values(value);
      }
    }
  }
  return findings;
}

v1::RecordNodeFindingsRequest NodeFindingsOf(
    const std::string& job, const std::vector<v1::JobFinding>& findings,
    const metric_rules::RuleSet& rules) {
  struct Found {
    const v1::JobFinding* finding = nullptr;
    std::string parts;
  };
  std::map<std::pair<std::string, std::string>, Found> found;
  for (const v1::JobFinding& finding : findings) {
    const metric_rules::Rule* const rule = rules.Find(finding.rule());
    const auto node = finding.labels().find("node");
    if (rule == nullptr || rule->concerns != metric_rules::RuleSubject::kNode) {
      continue;
    }
    Found& one =
        found[{node == finding.labels().end() ? std::string() : node->second,
               finding.rule()}];
    one.finding = &finding;
    const std::string part = PartOfNode(finding);
    if (part.empty()) continue;
    absl::StrAppend(&one.parts, one.parts.empty() ? "" : "; ", part);
  }
  v1::RecordNodeFindingsRequest request;
  request.set_job_id(job);
  for (const auto& [key, one] : found) {
    v1::NodeFinding* const row = request.add_findings();
    row->set_node(key.first);
    row->set_rule(key.second);
    row->set_severity(one.finding->severity());
    row->set_title(
        one.parts.empty()
            ? one.finding->title()
            : FormatMessage(kNodeFindingTitle,
                            {{"title", one.finding->title()},
                             {"parts", Readable(one.parts, kMaxParts)}}));
  }
  return request;
}

}  // namespace carme::metrics
