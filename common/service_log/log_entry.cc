#include "common/service_log/log_entry.h"

#include <cstddef>
#include <string>

#include "absl/strings/numbers.h"
#include "common/printable.h"

namespace carme {
namespace {

constexpr size_t kMaxValueBytes = 255;
constexpr size_t kMaxTextBytes = 1000;

}  // namespace

v1::ReportedLogEntry LogEntryOf(LogLevel level, std::string_view event,
                                LogFields fields) {
  v1::ReportedLogEntry entry;
  entry.set_severity(level == LogLevel::kError ? v1::LOG_SEVERITY_ERROR
                                               : v1::LOG_SEVERITY_WARNING);
  // Without the space after the empty level.
  entry.set_message(
      Readable(FormatLogLine("", event, fields).substr(1), kMaxTextBytes));
  for (const LogField& field : fields) {
    const std::string value = Readable(field.value(), kMaxValueBytes);
    if (field.key() == "job") entry.set_job_id(value);
    if (field.key() == "request") entry.set_request_id(value);
    if (field.key() == "user") entry.set_user(value);
    if (field.key() == "node") entry.set_node(value);
    if (field.key() != "slurm_job") continue;
    uint32_t number = 0;
    if (absl::SimpleAtoi(value, &number)) entry.set_slurm_job_id(number);
  }
  return entry;
}

}  // namespace carme
