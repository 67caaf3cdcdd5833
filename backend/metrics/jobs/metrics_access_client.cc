#include "backend/metrics/jobs/metrics_access_client.h"

#include <grpcpp/client_context.h>
#include <grpcpp/create_channel.h>

#include <utility>

#include "absl/time/clock.h"
#include "backend/metrics/jobs/messages.h"
#include "carme/v1/gpu_use.grpc.pb.h"
#include "carme/v1/metrics_access.grpc.pb.h"
#include "common/grpc/backend_credentials.h"
#include "common/grpc/grpc_status.h"
#include "common/log.h"
#include "common/protobuf/message_error.h"
#include "common/status.h"

namespace carme::metrics {
namespace {

constexpr absl::Duration kRetryDelay = absl::Seconds(2);
constexpr absl::Duration kWatchdogInterval = absl::Seconds(5);
// The backend sends a message every 10 s.
constexpr absl::Duration kMaxSilence = absl::Seconds(30);
// The next stream has a new connection, with the present certificates.
constexpr absl::Duration kMaxStreamTime = absl::Hours(1);
constexpr absl::Duration kCallTimeout = absl::Seconds(5);
constexpr int kMaxMessageBytes = 64 << 20;

}  // namespace

MetricsAccessClient::MetricsAccessClient(Options options,
                                         BackendListener* listener)
    : options_(std::move(options)), listener_(listener) {
  reader_.Start("backend-jobs", [this] { return WatchNext(); });
  watchdog_.Start("backend-silence", kWatchdogInterval,
                  [this] { CancelSilentStream(); });
}

MetricsAccessClient::~MetricsAccessClient() {
  watchdog_.Stop();
  reader_.RequestStop();
  {
    absl::MutexLock lock(&mutex_);
    if (stream_ != nullptr) stream_->TryCancel();
  }
  reader_.Stop();
}

void MetricsAccessClient::CancelSilentStream() {
  absl::MutexLock lock(&mutex_);
  if (stream_ != nullptr && last_message_at_ + kMaxSilence < absl::Now()) {
    stream_->TryCancel();
  }
}

absl::Duration MetricsAccessClient::WatchNext() {
  const absl::Status status = WatchOnce();
  bool was_connected = false;
  {
    absl::MutexLock lock(&mutex_);
    stream_ = nullptr;
    was_connected = std::exchange(is_connected_, false);
  }
  if (reader_.stopping()) return absl::ZeroDuration();
  if (was_connected) loss_logged_ = false;
  if (was_connected && absl::IsDeadlineExceeded(status)) {
    return absl::ZeroDuration();  // kMaxStreamTime
  }
  if (!std::exchange(loss_logged_, true)) {
    LogWarning("connection to the backend lost; samples are still accepted",
               {{"backend", options_.address}, {"error", StatusText(status)}});
  }
  return kRetryDelay;
}

absl::Status MetricsAccessClient::WatchOnce() {
  ASSIGN_OR_RETURN(const TlsMaterial tls, ReadTlsFiles(options_.tls));
  grpc::ChannelArguments arguments;
  arguments.SetSslTargetNameOverride(options_.server_name);
  arguments.SetMaxReceiveMessageSize(kMaxMessageBytes);
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  const std::shared_ptr<grpc::Channel> channel = grpc::CreateCustomChannel(
      options_.address, BackendCredentials(tls), arguments);
  const auto stub = v1::MetricsAccessService::NewStub(channel);
  grpc::ClientContext context;
  const absl::Time now = absl::Now();
  context.set_deadline(absl::ToChronoTime(now + kMaxStreamTime));
  {
    absl::MutexLock lock(&mutex_);
    stream_ = &context;
    channel_ = channel;
    last_message_at_ = now;
  }
  // The destructor may have found no stream to cancel.
  if (reader_.stopping()) context.TryCancel();
  const auto stream = stub->WatchMeasuredJobs(&context, {});
  v1::WatchMeasuredJobsResponse message;
  while (stream->Read(&message)) {
    bool was_connected = false;
    {
      absl::MutexLock lock(&mutex_);
      last_message_at_ = absl::Now();
      was_connected = std::exchange(is_connected_, true);
    }
    if (!was_connected) {
      LogInfo("connected to the backend", {{"backend", options_.address},
                                           {"jobs", message.running_size()}});
    }
    listener_->OnJobs(message);
  }
  const grpc::Status status = stream->Finish();
  absl::MutexLock lock(&mutex_);
  stream_ = nullptr;
  return FromGrpc(status);
}

absl::StatusOr<std::shared_ptr<grpc::Channel>> MetricsAccessClient::channel()
    const {
  absl::MutexLock lock(&mutex_);
  if (channel_ == nullptr || !is_connected_) {
    return MakeError(jobs_messages::kNotConnected);
  }
  return channel_;
}

absl::StatusOr<v1::AuthorizeMetricsResponse> MetricsAccessClient::Authorize(
    const v1::AuthorizeMetricsRequest& request) {
  ASSIGN_OR_RETURN(const auto open, channel());
  grpc::ClientContext context;
  context.set_deadline(absl::ToChronoTime(absl::Now() + kCallTimeout));
  v1::AuthorizeMetricsResponse response;
  RETURN_IF_ERROR(
      FromGrpc(v1::MetricsAccessService::NewStub(open)->AuthorizeMetrics(
          &context, request, &response)));
  return response;
}

absl::StatusOr<v1::MeasuredJob> MetricsAccessClient::Find(
    const std::string& job) {
  ASSIGN_OR_RETURN(const auto open, channel());
  grpc::ClientContext context;
  context.set_deadline(absl::ToChronoTime(absl::Now() + kCallTimeout));
  v1::GetMeasuredJobRequest request;
  request.set_job_id(job);
  v1::GetMeasuredJobResponse response;
  RETURN_IF_ERROR(
      FromGrpc(v1::MetricsAccessService::NewStub(open)->GetMeasuredJob(
          &context, request, &response)));
  return std::move(*response.mutable_job());
}

absl::Status MetricsAccessClient::RecordNodeFindings(
    const v1::RecordNodeFindingsRequest& request) {
  ASSIGN_OR_RETURN(const auto open, channel());
  grpc::ClientContext context;
  context.set_deadline(absl::ToChronoTime(absl::Now() + kCallTimeout));
  v1::RecordNodeFindingsResponse response;
  return FromGrpc(v1::MetricsAccessService::NewStub(open)->RecordNodeFindings(
      &context, request, &response));
}

absl::StatusOr<v1::ListJudgedJobsResponse>
MetricsAccessClient::ListJudgedJobs() {
  ASSIGN_OR_RETURN(const auto open, channel());
  grpc::ClientContext context;
  context.set_deadline(absl::ToChronoTime(absl::Now() + kCallTimeout));
  v1::ListJudgedJobsResponse response;
  RETURN_IF_ERROR(FromGrpc(v1::GpuUseService::NewStub(open)->ListJudgedJobs(
      &context, {}, &response)));
  return response;
}

absl::Status MetricsAccessClient::ReportGpuUse(
    const v1::ReportGpuUseRequest& request) {
  ASSIGN_OR_RETURN(const auto open, channel());
  grpc::ClientContext context;
  context.set_deadline(absl::ToChronoTime(absl::Now() + kCallTimeout));
  v1::ReportGpuUseResponse response;
  return FromGrpc(v1::GpuUseService::NewStub(open)->ReportGpuUse(
      &context, request, &response));
}

bool MetricsAccessClient::is_connected() const {
  absl::MutexLock lock(&mutex_);
  return is_connected_;
}

}  // namespace carme::metrics
