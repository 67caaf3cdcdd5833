#include "backend/logs/log_capture.h"

#include "backend/logs/reported_entry.h"
#include "common/log.h"
#include "common/service_log/log_entry.h"

namespace carme::backend {
namespace {

constexpr char kOwnService[] = "carme-backend";

LogRow OwnRow(const v1::ReportedLogEntry& entry) {
  LogRow row = LogRowOf(entry);
  row.source = "service:carme-backend";
  row.service = kOwnService;
  row.node = entry.node();
  return row;
}

}  // namespace

LogCapture::LogCapture(ServiceLog* logs) {
  SetLogObserver(
      [logs](LogLevel level, std::string_view event, LogFields fields) {
        logs->Append(OwnRow(LogEntryOf(level, event, fields)));
      });
}

LogCapture::~LogCapture() { SetLogObserver(nullptr); }

}  // namespace carme::backend
