#include "backend/carmectl/commands/node_history_commands.h"

#include <google/protobuf/struct.pb.h>
#include <google/protobuf/util/json_util.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <iostream>
#include <iterator>
#include <map>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "backend/carmectl/commands/messages.h"
#include "backend/node_history/rules/node_rules.h"
#include "carme/v1/node_history.pb.h"
#include "common/crypto/hash.h"
#include "common/encoding.h"
#include "common/file.h"
#include "common/printable.h"
#include "common/status.h"

namespace carme::carmectl {
namespace {

constexpr size_t kMaxNodeRulesBytes = 1 << 20;
constexpr size_t kMaxVetBytes = size_t{16} << 20;
constexpr size_t kRunIdDigits = 32;
constexpr int kMaxHistoryPage = 500;

// "NODE_RULE_STATE_DRAINED" as "drained".
std::string Lower(const std::string& name, const char* prefix) {
  return absl::AsciiStrToLower(absl::StripPrefix(name, prefix));
}

std::string StateText(v1::NodeRuleState state) {
  return Lower(v1::NodeRuleState_Name(state), "NODE_RULE_STATE_");
}

void PrintLine(const MessageTemplate& message,
               std::initializer_list<MessageValue> values) {
  std::puts(Readable(FormatMessage(message, values), 4096).c_str());
}

absl::Status ShowHistory(const NodeOptions& options, PortalClient& client) {
  v1::GetNodeHistoryRequest request;
  request.set_node(options.node);
  request.set_page_size(
      static_cast<int>(std::min<int64_t>(options.max, kMaxHistoryPage)));
  ASSIGN_OR_RETURN(auto history,
                   client.Call<v1::GetNodeHistoryResponse>(
                       "NodeHistoryService/GetNodeHistory", request));
  while (history.entries_size() < options.max &&
         !history.next_page_token().empty()) {
    request.set_page_token(history.next_page_token());
    ASSIGN_OR_RETURN(const auto page,
                     client.Call<v1::GetNodeHistoryResponse>(
                         "NodeHistoryService/GetNodeHistory", request));
    history.mutable_entries()->MergeFrom(page.entries());
    history.set_next_page_token(page.next_page_token());
  }
  if (options.json) return Print(options, history, {});
  std::string state = StateText(history.state());
  if (!history.rule().empty()) {
    absl::StrAppend(&state, FormatMessage(command_messages::kNodeStateOfRule,
                                          {{"rule", history.rule()}}));
  }
  PrintLine(command_messages::kNodeStateNow,
            {{"node", options.node}, {"state", state}});
  if (!history.slurm_state().empty()) {
    PrintLine(command_messages::kNodeReason,
              {{"state", history.slurm_state()},
               {"reason", history.slurm_reason().empty()
                              ? ""
                              : absl::StrCat(", ", history.slurm_reason())}});
  }
  TableRows rows = {
      {"TIME", "SOURCE", "SEVERITY", "NAME", "JOB", "USER", "TEXT"}};
  for (const v1::NodeHistoryEntry& entry : history.entries()) {
    const std::string slurm_job =
        entry.slurm_job_id() == 0 ? "" : absl::StrCat(entry.slurm_job_id());
    rows.push_back(
        {TimeText(entry.at()),
         Lower(v1::NodeEntrySource_Name(entry.source()), "NODE_ENTRY_SOURCE_"),
         Lower(v1::NodeEntrySeverity_Name(entry.severity()),
               "NODE_ENTRY_SEVERITY_"),
         entry.name(), entry.job_id().empty() ? slurm_job : entry.job_id(),
         entry.user(), entry.text()});
  }
  return Print(options, history, rows);
}

std::string FieldOf(const google::protobuf::Struct& line, const char* name) {
  const auto found = line.fields().find(name);
  return found == line.fields().end() ? "" : found->second.string_value();
}

// The lines with a verdict or about a link have no evaluation.
absl::StatusOr<v1::RecordVetRunRequest> ReadVetLines(const std::string& text,
                                                     const std::string& path) {
  std::map<std::string, v1::NodeVetReport> reports;
  int number = 0;
  for (const absl::string_view line : absl::StrSplit(text, '\n')) {
    ++number;
    if (absl::StripAsciiWhitespace(line).empty()) continue;
    google::protobuf::Struct parsed;
    if (!google::protobuf::util::JsonStringToMessage(std::string(line), &parsed)
             .ok()) {
      return MakePlainError(command_messages::kNotAVetLine,
                            {{"path", path}, {"line", number}});
    }
    const std::string host = FieldOf(parsed, "host");
    const std::string evaluation = FieldOf(parsed, "evaluation");
    const std::string status = FieldOf(parsed, "status");
    if (host.empty() || evaluation.empty()) continue;
    // Slurm's names of nodes are short.
    const std::string node = host.substr(0, host.find('.'));
    v1::NodeVetReport& report = reports[node];
    report.set_node(node);
    if (status == "passed") {
      report.add_passed(evaluation);
    } else if (status != "skipped") {
      v1::VetFailure* const failure = report.add_failures();
      failure->set_evaluation(evaluation);
      failure->set_reason(FieldOf(parsed, "reason"));
    }
  }
  if (reports.empty()) {
    return MakePlainError(command_messages::kNoVetLines, {{"path", path}});
  }
  v1::RecordVetRunRequest request;
  // The same output counts once.
  request.set_run_id(HexEncode(Sha256(text)).substr(0, kRunIdDigits));
  for (auto& [node, report] : reports) {
    *request.add_nodes() = std::move(report);
  }
  return request;
}

absl::StatusOr<std::string> ReadVetOutput(const std::string& path) {
  if (path != "-") return ReadFile(path, kMaxVetBytes);
  return std::string(std::istreambuf_iterator<char>(std::cin), {});
}

absl::Status RecordVet(const NodeOptions& options, PortalClient& client) {
  ASSIGN_OR_RETURN(const std::string text, ReadVetOutput(options.file));
  ASSIGN_OR_RETURN(const v1::RecordVetRunRequest request,
                   ReadVetLines(text, options.file));
  ASSIGN_OR_RETURN(const auto response,
                   client.Call<v1::RecordVetRunResponse>(
                       "NodeHistoryService/RecordVetRun", request));
  if (options.json) return Print(options, response, {});
  PrintLine(
      command_messages::kVetRunRecorded,
      {{"nodes", request.nodes_size()}, {"failed", response.failed_size()}});
  for (const v1::NodeRuleStateOf& failed : response.failed()) {
    PrintLine(command_messages::kNodeStateNow,
              {{"node", failed.node()}, {"state", StateText(failed.state())}});
  }
  return absl::OkStatus();
}

absl::Status CheckNodeRules(const std::string& path) {
  ASSIGN_OR_RETURN(const std::string text, ReadFile(path, kMaxNodeRulesBytes));
  ASSIGN_OR_RETURN(const backend::NodeRules rules,
                   backend::ParseNodeRules(text, path));
  PrintLine(command_messages::kRulesValid,
            {{"path", path}, {"count", rules.rules.size()}});
  for (const backend::NodeRule& rule : rules.rules) {
    PrintLine(command_messages::kNodeRule,
              {{"rule", rule.name},
               {"action", backend::NodeRuleActionName(rule.action)},
               {"count", rule.count},
               {"window", absl::FormatDuration(rule.window)}});
  }
  return absl::OkStatus();
}

}  // namespace

void AddNodeHistoryVerbs(CLI::App* node,
                         const std::shared_ptr<NodeOptions>& options,
                         Command* chosen) {
  CLI::App* const history = AddVerb(
      node, "history", "what happened on a node, and what rules did about it",
      options.get(), chosen, [options](PortalClient& client) {
        return ShowHistory(*options, client);
      });
  history->add_option("node", options->node, "Slurm's name")->required();
  history->add_option("--max", options->max, "the newest entries, at most")
      ->check(CLI::Range(1, 100'000))
      ->capture_default_str();
  CLI::App* const vet = AddVerb(
      node, "vet",
      "record what \"carme vet --json\" printed as a run by the site",
      options.get(), chosen,
      [options](PortalClient& client) { return RecordVet(*options, client); });
  vet->add_option("FILE", options->file, "the output; \"-\": standard input")
      ->required();
  CLI::App* const rules = node->add_subcommand(
      "rules", "check a file with rules about nodes; needs no portal");
  rules->add_option("FILE", options->file, "the file with rules")->required();
  rules->callback([options, chosen] {
    *chosen = [options] { return CheckNodeRules(options->file); };
  });
}

}  // namespace carme::carmectl
