#include "backend/logs/reported_entry.h"

#include "backend/logs/messages.h"
#include "common/message.h"

namespace carme::backend {
namespace {

// Programs report every few seconds.
constexpr int64_t kLateAfterSeconds = 10;

}  // namespace

LogRow LogRowOf(const v1::ReportedLogEntry& entry) {
  LogRow row{.severity = entry.severity() == v1::LOG_SEVERITY_WARNING
                             ? v1::LOG_SEVERITY_WARNING
                             : v1::LOG_SEVERITY_ERROR,
             .job_id = entry.job_id(),
             .slurm_job_id = entry.slurm_job_id(),
             .user = entry.user(),
             .request_id = entry.request_id(),
             .message = entry.message()};
  if (entry.age_s() >= kLateAfterSeconds) {
    row.message = FormatMessage(
        logs_messages::kReportedLate,
        {{"seconds", entry.age_s()}, {"message", entry.message()}});
  }
  return row;
}

}  // namespace carme::backend
