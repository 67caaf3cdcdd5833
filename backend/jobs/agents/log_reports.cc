#include "backend/jobs/agents/log_reports.h"

#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "backend/jobs/agents/messages.h"
#include "backend/jobs/agents/node_root.h"
#include "common/log.h"
#include "common/name_rules.h"
#include "common/protobuf/message_error.h"
#include "common/status.h"

namespace carme::backend {
namespace {

constexpr int kMaxReportedLines = 100;
constexpr char kAgentService[] = "carme-agent";
constexpr char kBuildService[] = "image-build";

absl::Status CheckNumberOfLines(const v1::ReportLogRequest& request) {
  if (request.lines_size() <= kMaxReportedLines) return absl::OkStatus();
  return MakeError(
      job_agent_messages::kTooManyLogLines,
      {{"lines", request.lines_size()}, {"max", kMaxReportedLines}});
}

v1::LogSeverity SeverityOf(const v1::ReportedLogLine& line) {
  return line.severity() == v1::LOG_SEVERITY_WARNING ? v1::LOG_SEVERITY_WARNING
                                                     : v1::LOG_SEVERITY_ERROR;
}

// One for each job and hook.
NodeEntry EntryOf(const LogRow& row) {
  return {.node = row.node,
          .source = v1::NODE_ENTRY_SOURCE_HOOK,
          .severity = v1::NODE_ENTRY_SEVERITY_WARNING,
          .name = row.service,
          .run = absl::StrCat(row.slurm_job_id),
          .job_id = row.job_id,
          .slurm_job_id = row.slurm_job_id,
          .user = row.user,
          .text = row.message};
}

LogRow RowOf(const Job& job, const char* service) {
  return {.source = absl::StrCat("user:", job.owner),
          .service = service,
          .node = job.nodes.empty() ? "" : job.nodes[0],
          .job_id = job.id.value(),
          .slurm_job_id = job.slurm_id.value(),
          .user = job.owner};
}

}  // namespace

absl::Status LogReports::AddOfAgent(const v1::ReportLogRequest& request,
                                    const Job& job) {
  RETURN_IF_ERROR(CheckNumberOfLines(request));
  LogRow row = RowOf(job, kAgentService);
  if (kRequestIdRule.Allows(request.request_id())) {
    row.request_id = request.request_id();
  }
  for (const v1::ReportedLogLine& line : request.lines()) {
    row.severity = SeverityOf(line);
    row.message = line.message();
    parts_.logs->Append(row);
  }
  parts_.logs->CountDropped(row, request.dropped());
  return absl::OkStatus();
}

absl::Status LogReports::AddOfHooks(const v1::ReportLogRequest& request,
                                    Uid uid, const std::string& peer_address) {
  RETURN_IF_ERROR(
      CheckNodeRoot(*parts_.scheduler, request.node(), uid, peer_address));
  RETURN_IF_ERROR(CheckNumberOfLines(request));
  const LogRow of_node{.source = absl::StrCat("node:", request.node()),
                       .service = "carme-hooks",
                       .node = request.node()};
  // A report may have many jobs; only the first line waits for Slurm. That of a
  // running Prolog is the first.
  bool wait = true;
  std::vector<NodeEntry> failures;
  for (const v1::ReportedLogLine& line : request.lines()) {
    LogRow row = of_node;
    if (line.service() == "carme-prolog" || line.service() == "carme-epilog") {
      row.service = line.service();
    }
    row.severity = SeverityOf(line);
    row.message = line.message();
    FillJob(line.slurm_job_id(), wait, &row);
    wait = false;
    if (parts_.history != nullptr) failures.push_back(EntryOf(row));
    parts_.logs->Append(std::move(row));
  }
  parts_.logs->CountDropped(of_node, request.dropped());
  if (failures.empty()) return absl::OkStatus();
  // They are logged: the sender must not send them again.
  const absl::Status recorded = parts_.history->Record(std::move(failures));
  if (!recorded.ok()) {
    LogWarning("history of a node not recorded",
               {{"node", request.node()}, {"error", StatusText(recorded)}});
  }
  return absl::OkStatus();
}

void LogReports::FillJob(uint32_t slurm_job, bool wait, LogRow* row) {
  row->slurm_job_id = slurm_job;
  const std::optional<Job> job = parts_.admission->JobOnNode(
      SlurmJobId(slurm_job), row->node, wait && slurm_job != 0);
  if (!job) return;
  row->job_id = job->id.value();
  row->user = job->owner;
}

void LogReports::AddImageFailure(const Job& job, const std::string& problem) {
  LogRow row = RowOf(job, kBuildService);
  row.message = problem;
  parts_.logs->Append(std::move(row));
}

}  // namespace carme::backend
