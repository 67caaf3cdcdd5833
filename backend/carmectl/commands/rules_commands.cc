// carmectl rules: checks a file with rules about the samples of jobs.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "backend/carmectl/commands/command.h"
#include "backend/carmectl/commands/messages.h"
#include "common/file.h"
#include "common/metric_rules/rule_evaluation.h"
#include "common/metric_rules/rule_set.h"
#include "common/metric_rules/samples_csv.h"
#include "common/status.h"

namespace carme::carmectl {
namespace {

using metric_rules::CitedSamples;
using metric_rules::RuleFinding;

constexpr size_t kMaxRulesBytes = 1 << 20;
constexpr size_t kMaxSamplesBytes = size_t{512} << 20;

constexpr char kTestFooter[] =
    "FILE is a file as docs/admin/metric-rules.md describes it, SAMPLES the "
    "CSV "
    "export of a job (MetricsService.ExportJob). A row whose name is "
    "event:KIND, such as event:xid, is an event.\n\n"
    "Examples:\n"
    "  carmectl rules test /etc/carme/metric-rules.yaml\n"
    "  carmectl rules test metric-rules.yaml job.csv";

struct TestArguments {
  std::string rules;
  std::string samples;
};

std::string Time(int64_t time_ms) {
  return absl::FormatTime("%Y-%m-%dT%H:%M:%SZ", absl::FromUnixMillis(time_ms),
                          absl::UTCTimeZone());
}

void Print(const MessageTemplate& message,
           std::initializer_list<MessageValue> values) {
  std::printf("%s\n", FormatMessage(message, values).c_str());
}

void PrintFinding(const RuleFinding& finding) {
  std::string group;
  for (const auto& [name, value] : finding.group) {
    absl::StrAppend(&group, FormatMessage(command_messages::kFindingGroup,
                                          {{"name", name}, {"value", value}}));
  }
  Print(command_messages::kFinding,
        {{"severity", SeverityName(finding.rule->severity)},
         {"title", finding.rule->title},
         {"rule", finding.rule->name},
         {"group", group}});
  Print(command_messages::kFindingTime,
        {{"from", Time(finding.from_ms)},
         {"to", Time(finding.to_ms)},
         {"held", absl::FormatDuration(absl::Seconds(finding.held_s))}});
  for (const CitedSamples& cited : finding.samples) {
    if (cited.limit.empty()) {
      Print(command_messages::kCitedEvent,
            {{"subject", cited.subject},
             {"time", Time(cited.points.front().first)}});
      continue;
    }
    Print(command_messages::kCitedSamples, {{"subject", cited.subject},
                                            {"mean", absl::StrCat(cited.mean)},
                                            {"min", absl::StrCat(cited.min)},
                                            {"max", absl::StrCat(cited.max)},
                                            {"limit", cited.limit}});
  }
  if (finding.rule->concerns == metric_rules::RuleSubject::kNode) {
    Print(command_messages::kFindingOfNode, {});
  }
  std::printf("  %s\n", finding.rule->remedy.c_str());
}

absl::Status RunTest(const TestArguments& given) {
  ASSIGN_OR_RETURN(const std::string text,
                   ReadFile(given.rules, kMaxRulesBytes));
  ASSIGN_OR_RETURN(const metric_rules::RuleSet rules,
                   metric_rules::ParseRules(text, given.rules));
  Print(command_messages::kRulesValid,
        {{"path", given.rules}, {"count", rules.rules.size()}});
  if (given.samples.empty()) return absl::OkStatus();
  ASSIGN_OR_RETURN(const std::string csv,
                   ReadFile(given.samples, kMaxSamplesBytes));
  ASSIGN_OR_RETURN(const metric_rules::JobSamples samples,
                   metric_rules::ParseSamplesCsv(csv, given.samples));
  const std::vector<RuleFinding> findings =
      metric_rules::EvaluateRules(rules, samples);
  for (const RuleFinding& finding : findings) PrintFinding(finding);
  Print(command_messages::kFindingCount, {{"count", findings.size()}});
  return absl::OkStatus();
}

}  // namespace

void AddRulesCommands(CLI::App* app, Command* chosen) {
  CLI::App* const rules =
      app->add_subcommand("rules", "rules about the samples of jobs");
  rules->require_subcommand(1);
  auto given = std::make_shared<TestArguments>();
  CLI::App* const test = rules->add_subcommand(
      "test", "checks a file with rules, and evaluates it over samples");
  test->footer(kTestFooter);
  test->add_option("FILE", given->rules, "the file with rules")->required();
  test->add_option("SAMPLES", given->samples, "the CSV export of a job");
  test->callback(
      [given, chosen] { *chosen = [given] { return RunTest(*given); }; });
}

}  // namespace carme::carmectl
