#include "common/service_log/log_reporter.h"

#include <utility>

#include "absl/time/clock.h"
#include "common/service_log/log_entry.h"

namespace carme {

LogReporter::LogReporter(Send send, absl::Duration interval)
    : send_(std::move(send)) {
  SetLogObserver([this](LogLevel level, std::string_view event,
                        LogFields fields) { Add(level, event, fields); });
  thread_.Start("service-log", interval, [this] { SendWaiting(); });
}

LogReporter::~LogReporter() {
  SetLogObserver(nullptr);
  thread_.Stop();
}

void LogReporter::Add(LogLevel level, std::string_view event,
                      LogFields fields) {
  WaitingEntry added{.at = absl::Now(),
                     .entry = LogEntryOf(level, event, fields)};
  const absl::MutexLock lock(&mutex_);
  if (waiting_.size() >= kMaxWaitingLogEntries) {
    ++dropped_;
    return;
  }
  waiting_.push_back(std::move(added));
}

v1::ReportLogEntriesRequest LogReporter::NextRequest() const {
  const absl::Time now = absl::Now();
  v1::ReportLogEntriesRequest request;
  const absl::MutexLock lock(&mutex_);
  for (const WaitingEntry& waiting : waiting_) {
    if (request.entries_size() == kMaxReportedLogEntries) break;
    v1::ReportedLogEntry* const entry = request.add_entries();
    *entry = waiting.entry;
    entry->set_age_s(absl::ToInt64Seconds(now - waiting.at));
  }
  request.set_dropped(dropped_);
  return request;
}

void LogReporter::Remove(const v1::ReportLogEntriesRequest& sent) {
  const absl::MutexLock lock(&mutex_);
  waiting_.erase(waiting_.begin(), waiting_.begin() + sent.entries_size());
  dropped_ -= sent.dropped();
}

void LogReporter::SendWaiting() {
  while (!thread_.stopping()) {
    const v1::ReportLogEntriesRequest request = NextRequest();
    if (request.entries_size() == 0 && request.dropped() == 0) return;
    const absl::Status sent = send_(request);
    if (absl::IsUnavailable(sent) || absl::IsDeadlineExceeded(sent)) return;
    // What the backend refuses now, such as one without this rpc, it refuses
    // later, too: the entries stay in the process's own log.
    Remove(request);
  }
}

}  // namespace carme
