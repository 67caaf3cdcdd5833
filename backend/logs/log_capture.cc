#include "backend/logs/log_capture.h"

#include <string>
#include <utility>

#include "absl/strings/numbers.h"
#include "common/log.h"

namespace carme::backend {
namespace {

constexpr char kOwnService[] = "carme-backend";

// Fields that the log has as columns stay in the message, too.
LogRow OwnRow(LogLevel level, std::string_view event, LogFields fields) {
  LogRow row{.source = "service:carme-backend",
             .severity = level == LogLevel::kError ? v1::LOG_SEVERITY_ERROR
                                                   : v1::LOG_SEVERITY_WARNING,
             .service = kOwnService,
             .message = FormatLogLine("", event, fields).substr(1)};
  for (const LogField& field : fields) {
    if (field.key() == "job") row.job_id = field.value();
    if (field.key() == "request") row.request_id = field.value();
    if (field.key() == "user") row.user = field.value();
    if (field.key() == "node") row.node = field.value();
    if (field.key() == "slurm_job" &&
        !absl::SimpleAtoi(field.value(), &row.slurm_job_id)) {
      row.slurm_job_id = 0;
    }
  }
  return row;
}

}  // namespace

LogCapture::LogCapture(ServiceLog* logs) {
  SetLogObserver(
      [logs](LogLevel level, std::string_view event, LogFields fields) {
        logs->Append(OwnRow(level, event, fields));
      });
}

LogCapture::~LogCapture() { SetLogObserver(nullptr); }

}  // namespace carme::backend
