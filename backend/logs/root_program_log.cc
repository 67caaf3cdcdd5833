#include "backend/logs/root_program_log.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "common/log.h"
#include "common/status.h"

namespace carme::backend {
namespace {

v1::LogSeverity SeverityOf(absl::StatusCode code) {
  switch (code) {
    case absl::StatusCode::kOk:
    case absl::StatusCode::kNotFound:  // such as a log that does not exist yet
      return v1::LOG_SEVERITY_INFO;
    case absl::StatusCode::kPermissionDenied:
    case absl::StatusCode::kFailedPrecondition:
    case absl::StatusCode::kResourceExhausted:
    case absl::StatusCode::kUnavailable:
      return v1::LOG_SEVERITY_WARNING;
    default:
      return v1::LOG_SEVERITY_ERROR;
  }
}

std::string MessageOf(const std::string& operation,
                      const absl::Status& result) {
  // Without the space after the empty level.
  return (result.ok()
              ? FormatLogLine("", "operation done", {{"operation", operation}})
              : FormatLogLine(
                    "", "operation failed",
                    {{"operation", operation}, {"error", StatusText(result)}}))
      .substr(1);
}

}  // namespace

void RootProgramLog::Add(const RootOperation& operation,
                         const absl::Status& result) const {
  const v1::LogSeverity severity = SeverityOf(result.code());
  const bool is_info = severity == v1::LOG_SEVERITY_INFO;
  if (logs_ == nullptr || (operation.reads && is_info)) return;
  // A user's entries drop no other user's, and those of success no failures.
  logs_->Append({.source = absl::StrCat(is_info ? "success:" : "service:",
                                        service_, ":", operation.user),
                 .severity = severity,
                 .service = service_,
                 .job_id = operation.job_id,
                 .slurm_job_id = operation.slurm_job_id,
                 .user = operation.user,
                 .request_id = operation.request_id,
                 .message = MessageOf(operation.name, result)});
}

}  // namespace carme::backend
