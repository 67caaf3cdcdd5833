#include "common/service_log/service_log_reporter.h"

#include <utility>

#include "absl/time/clock.h"
#include "common/service_log/log_entry.h"

namespace carme {

ServiceLogReporter::ServiceLogReporter(Send send, Pace pace)
    : send_(std::move(send)), pace_(pace) {
  thread_.Start("service-log", [this] { return SendNext(); });
  SetLogObserver([this](LogLevel level, std::string_view event,
                        LogFields fields) { Add(level, event, fields); });
}

ServiceLogReporter::~ServiceLogReporter() {
  SetLogObserver(nullptr);
  thread_.Stop();
  next_at_ = absl::InfinitePast();
  SendNext();
}

void ServiceLogReporter::Add(LogLevel level, std::string_view event,
                             LogFields fields) {
  WaitingEntry added{.at = absl::Now(),
                     .entry = LogEntryOf(level, event, fields)};
  const absl::MutexLock lock(&mutex_);
  if (waiting_.size() >= kMaxWaitingLogEntries) {
    ++dropped_;
    return;
  }
  waiting_.push_back(std::move(added));
  thread_.Wake();
}

v1::ReportLogEntriesRequest ServiceLogReporter::NextRequest() const {
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

void ServiceLogReporter::Remove(const v1::ReportLogEntriesRequest& sent) {
  const absl::MutexLock lock(&mutex_);
  waiting_.erase(waiting_.begin(), waiting_.begin() + sent.entries_size());
  dropped_ -= sent.dropped();
}

absl::Duration ServiceLogReporter::SendNext() {
  const absl::Time now = absl::Now();
  // Wake() shortens no pause.
  if (now < next_at_) return next_at_ - now;
  const v1::ReportLogEntriesRequest request = NextRequest();
  if (request.entries_size() == 0 && request.dropped() == 0) {
    return absl::InfiniteDuration();
  }
  const absl::Status sent = send_(request);
  const bool retry =
      absl::IsUnavailable(sent) || absl::IsDeadlineExceeded(sent);
  // What the backend refuses now, such as one without this rpc, it refuses
  // later, too: the entries stay in the process's own log.
  if (!retry) Remove(request);
  next_at_ =
      absl::Now() + (retry ? pace_.between_retries : pace_.between_reports);
  return next_at_ - absl::Now();
}

}  // namespace carme
