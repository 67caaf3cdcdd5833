#include "proxy/control/job_status.h"

#include "carme/v1/job_status.pb.h"
#include "common/printable.h"
#include "proxy/control/route_table.h"

namespace carme::proxy {
namespace {

constexpr size_t kMaxReasonBytes = 400;
constexpr int kMaxApps = 32;

}  // namespace

const AppStatus* JobStatusEntry::Find(std::string_view app) const {
  for (const AppStatus& row : apps) {
    if (row.app == app) return &row;
  }
  return nullptr;
}

JobStatusEntryPtr ToJobStatus(const v1::JobStatus& message) {
  if (message.state() < v1::JOB_STATE_PENDING ||
      message.state() > v1::JOB_STATE_ENDED) {
    return nullptr;
  }
  auto job_status = std::make_shared<JobStatusEntry>();
  job_status->state = message.state();
  job_status->reason = Readable(message.reason(), kMaxReasonBytes);
  if (message.has_expected_start()) {
    job_status->expected_start =
        absl::FromUnixSeconds(message.expected_start().seconds());
  }
  if (message.has_ends_at()) {
    job_status->ends_at = absl::FromUnixSeconds(message.ends_at().seconds());
  }
  for (const v1::JobApp& app : message.apps()) {
    if (job_status->apps.size() == kMaxApps) break;
    const bool known = app.state() >= v1::JOB_APP_STATE_UNSPECIFIED &&
                       app.state() <= v1::JOB_APP_STATE_FAILED;
    job_status->apps.push_back(
        {app.app(), known ? app.state() : v1::JOB_APP_STATE_UNSPECIFIED,
         Readable(app.detail(), kMaxReasonBytes)});
  }
  return job_status;
}

void JobStatusTable::Apply(const RouteUpdate& update) {
  if (update.snapshot) job_statuses_.clear();
  for (const auto& [job, job_status] : update.job_statuses) {
    if (job_status == nullptr) {
      job_statuses_.erase(job.value());
    } else {
      job_statuses_.insert_or_assign(job.value(), job_status);
    }
  }
}

const JobStatusEntry* JobStatusTable::Find(const JobId& job) const {
  const auto found = job_statuses_.find(job.value());
  return found == job_statuses_.end() ? nullptr : found->second.get();
}

}  // namespace carme::proxy
