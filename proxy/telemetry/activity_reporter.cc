#include "proxy/telemetry/activity_reporter.h"

#include <grpcpp/grpcpp.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <memory>
#include <utility>

#include "carme/v1/activity.grpc.pb.h"
#include "common/encoding.h"
#include "common/grpc/grpc_status.h"
#include "common/log.h"
#include "common/random.h"
#include "common/status.h"

namespace carme::proxy {
namespace {

constexpr size_t kMaxRows = 1000;  // the limit of the method
constexpr size_t kInstanceBytes = 12;
constexpr absl::Duration kCallTimeout = absl::Seconds(5);

void Fill(const ActivityRow& row, v1::JobActivity* message) {
  message->set_job_id(row.job.value());
  message->set_connections(static_cast<uint32_t>(row.open));
  message->set_received_bytes(row.received_bytes);
  message->set_sent_bytes(row.sent_bytes);
}

}  // namespace

ActivityReporter::ActivityReporter(const BackendCallChannel* backend,
                                   ActivityAggregator* aggregator,
                                   Intervals intervals)
    : backend_(*backend),
      aggregator_(aggregator),
      intervals_(intervals),
      instance_(Base64UrlEncode(RandomBytes(kInstanceBytes))) {}

ActivityReporter::~ActivityReporter() {
  {
    std::lock_guard lock(mutex_);
    stopping_ = true;
    if (active_call_ != nullptr) active_call_->TryCancel();
  }
  thread_.Stop();
}

void ActivityReporter::Start() {
  all_ms_ = SteadyMs();
  thread_.Start("activity", intervals_.changes, [this] { ReportChanges(); });
}

bool ActivityReporter::SetActiveCall(grpc::ClientContext* context) {
  std::lock_guard lock(mutex_);
  active_call_ = stopping_ ? nullptr : context;
  return !stopping_;
}

void ActivityReporter::ReportChanges() {
  const int64_t now_ms = SteadyMs();
  const bool all =
      now_ms - all_ms_ >= absl::ToInt64Milliseconds(intervals_.all_open);
  if (all) all_ms_ = now_ms;
  const std::vector<ActivityRow> rows = aggregator_->Drain(all);
  if (rows.empty()) return;
  const absl::Status reported = Report(rows);
  if (reported.ok()) {
    failure_logged_ = false;
    return;
  }
  aggregator_->Restore(rows);
  // Log each loss once, not each attempt.
  if (!std::exchange(failure_logged_, true)) {
    LogWarning("job activity not reported", {{"backend", backend_.address()},
                                             {"error", reported.ToString()}});
  }
}

absl::Status ActivityReporter::Report(const std::vector<ActivityRow>& rows) {
  ASSIGN_OR_RETURN(const std::shared_ptr<grpc::Channel> channel,
                   backend_.Channel());
  const auto stub = v1::ActivityService::NewStub(channel);
  for (size_t first = 0; first < rows.size(); first += kMaxRows) {
    v1::ReportActivityRequest request;
    request.set_instance(instance_);
    const size_t end = std::min(rows.size(), first + kMaxRows);
    for (size_t i = first; i < end; ++i) Fill(rows[i], request.add_jobs());
    grpc::ClientContext context;
    context.set_wait_for_ready(true);
    context.set_deadline(std::chrono::system_clock::now() +
                         absl::ToChronoMilliseconds(kCallTimeout));
    v1::ReportActivityResponse response;
    if (!SetActiveCall(&context)) return absl::CancelledError("stopping");
    const grpc::Status status =
        stub->ReportActivity(&context, request, &response);
    SetActiveCall(nullptr);
    RETURN_IF_ERROR(FromGrpc(status));
  }
  return absl::OkStatus();
}

}  // namespace carme::proxy
