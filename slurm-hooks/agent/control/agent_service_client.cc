#include "slurm-hooks/agent/control/agent_service_client.h"

#include <grpcpp/grpcpp.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "absl/synchronization/mutex.h"
#include "absl/time/clock.h"
#include "carme/v1/agent.grpc.pb.h"
#include "common/concurrency/background_thread.h"
#include "common/grpc/grpc_status.h"
#include "common/log.h"
#include "common/printable.h"
#include "common/protobuf/request_digest.h"
#include "common/protobuf/text_code.h"
#include "common/status.h"
#include "slurm-hooks/agent/control/munge_credential.h"
#include "slurm-hooks/agent/job/backoff.h"
#include "slurm-hooks/agent/job/job_plan.h"

namespace carme::agent {
namespace {

using carme::v1::AgentService;

constexpr absl::Duration kFirstRetryDelay = absl::Milliseconds(50);
constexpr absl::Duration kMaxRetryDelay = absl::Seconds(10);
constexpr absl::Duration kCallTimeout = absl::Seconds(10);
constexpr size_t kMaxDetail = 400;       // as in agent.proto
constexpr size_t kMaxDetailCode = 2048;  // bytes; the backend takes no more

bool IsRetryable(const absl::Status& status) {
  return absl::IsUnavailable(status) || absl::IsDeadlineExceeded(status) ||
         absl::IsResourceExhausted(status);
}

struct PendingReport {
  carme::v1::ReportStateRequest request;
  uint64_t number = 0;
};

void SetDetail(const DisplayText& detail,
               carme::v1::ReportStateRequest* request) {
  request->set_detail(Readable(detail.text, kMaxDetail));
  if (detail.text.size() > kMaxDetail) return;
  carme::v1::TextCode code = TextCodeOf(detail);
  if (code.code().empty() || code.ByteSizeLong() > kMaxDetailCode) return;
  *request->mutable_detail_code() = std::move(code);
}

// The reports by app. The job's own has the empty name and goes first, except
// that the result of a copy goes before it: the backend accepts no report about
// an app of a job that has ended.
const PendingReport& First(
    const std::map<std::string, PendingReport>& reports) {
  const auto staged = reports.find(kStageIn);
  return staged != reports.end() ? staged->second : reports.begin()->second;
}

}  // namespace

struct AgentServiceClient::State {
  State(AgentServiceClientOptions given,
        std::unique_ptr<BackendConnection> its_connection)
      : options(std::move(given)), connection(std::move(its_connection)) {}

  // One call with a fresh credential; cancelled by the destructor.
  template <typename Request, typename Response>
  absl::Status Call(grpc::Status (AgentService::Stub::*method)(
                        grpc::ClientContext*, const Request&, Response*),
                    std::string_view name, Request request,
                    Response* response) {
    ASSIGN_OR_RETURN(*request.mutable_munge(),
                     EncodeCredential(RequestDigest(name, request)));
    grpc::ClientContext context;
    context.set_deadline(absl::ToChronoTime(absl::Now() + kCallTimeout));
    // gRPC connects only while a call waits: between calls that fail
    // immediately a handshake would make no progress.
    context.set_wait_for_ready(true);
    {
      absl::MutexLock lock(&mutex);
      if (ending) return absl::CancelledError("the agent is ending");
      active_call = &context;
    }
    const std::shared_ptr<grpc::Channel> now = connection->Get();
    const grpc::Status status =
        ((*AgentService::NewStub(now)).*method)(&context, request, response);
    absl::MutexLock lock(&mutex);
    active_call = nullptr;
    if (status.error_code() == grpc::StatusCode::DEADLINE_EXCEEDED &&
        now->GetState(false) != GRPC_CHANNEL_READY) {
      return connection->NoConnection();
    }
    return FromGrpc(status);
  }

  bool Ending() {
    absl::MutexLock lock(&mutex);
    return ending;
  }

  // Makes the next call; returns the time until the following one.
  absl::Duration CallNext();
  template <typename Request, typename Response>
  std::optional<absl::Status> CallWithRetries(
      grpc::Status (AgentService::Stub::*method)(grpc::ClientContext*,
                                                 const Request&, Response*),
      std::string_view name, const Request& request, Response* response);
  void DoRegister();
  void DoReportImage();
  // For a backend that has lost the registration.
  void RegisterAgain();
  void RepeatReports();
  // Returns the time until the next attempt.
  absl::Duration DoReport(const PendingReport& report);

  const AgentServiceClientOptions options;
  const std::unique_ptr<BackendConnection> connection;
  absl::Mutex mutex;
  // guards all members below
  bool ending = false;
  std::optional<carme::v1::RegisterRequest> registration;
  OnRegistered on_registered;
  std::optional<carme::v1::ReportImageRequest> image;
  OnReported on_reported;
  std::map<std::string, PendingReport> to_report;
  // For RegisterAgain(); the reports by app.
  std::optional<carme::v1::RegisterRequest> accepted_registration;
  std::map<std::string, carme::v1::ReportStateRequest> last_reports;
  uint64_t reports = 0;  // number of reports so far
  grpc::ClientContext* active_call = nullptr;

  absl::Duration report_delay = kFirstRetryDelay;  // used by the thread only
  BackgroundThread thread;  // last: uses the other members
};

absl::Duration AgentServiceClient::State::CallNext() {
  std::optional<PendingReport> next;
  bool to_register = false, image_made = false;
  {
    absl::MutexLock lock(&mutex);
    if (ending) return absl::InfiniteDuration();
    to_register = registration.has_value();
    image_made = image.has_value();
    if (!to_report.empty()) next = First(to_report);
  }
  if (to_register) {
    DoRegister();
  } else if (image_made) {
    DoReportImage();
  } else {
    return next ? DoReport(*next) : absl::InfiniteDuration();
  }
  return absl::ZeroDuration();
}

// Retries until the backend accepts or rejects the job, or the timeout expires;
// returns nullopt when the client stops.
template <typename Request, typename Response>
std::optional<absl::Status> AgentServiceClient::State::CallWithRetries(
    grpc::Status (AgentService::Stub::*method)(grpc::ClientContext*,
                                               const Request&, Response*),
    std::string_view name, const Request& request, Response* response) {
  const absl::Time latest = absl::Now() + options.registration_timeout;
  absl::Duration pause = kFirstRetryDelay;
  while (true) {
    absl::Status status = Call(method, name, request, response);
    if (Ending()) return std::nullopt;
    if (!IsRetryable(status) || absl::Now() > latest) return status;
    LogWarning("no response from the backend yet",
               {{"error", status.ToString()}});
    if (!thread.SleepFor(Jittered(pause))) return std::nullopt;
    pause = std::min(pause * 2, kMaxRetryDelay);
  }
}

void AgentServiceClient::State::DoRegister() {
  carme::v1::RegisterRequest request;
  OnRegistered done;
  {
    absl::MutexLock lock(&mutex);
    request = *std::exchange(registration, std::nullopt);
    done = std::exchange(on_registered, nullptr);
  }
  carme::v1::RegisterResponse response;
  const std::optional<absl::Status> status =
      CallWithRetries(&AgentService::Stub::Register,
                      "/carme.v1.AgentService/Register", request, &response);
  if (!status) return;
  if (!status->ok()) return done(*status);
  {
    absl::MutexLock lock(&mutex);
    accepted_registration = std::move(request);
  }
  done(std::move(response));
}

void AgentServiceClient::State::RegisterAgain() {
  absl::MutexLock lock(&mutex);
  if (ending || !accepted_registration || registration) return;
  registration = accepted_registration;
  on_registered =
      [this](const absl::StatusOr<carme::v1::RegisterResponse>& response) {
        if (response.ok()) return RepeatReports();
        LogWarning("the backend rejects a repeated registration",
                   {{"error", response.status().ToString()}});
      };
  thread.Wake();
}

void AgentServiceClient::State::RepeatReports() {
  LogInfo("registered again");
  absl::MutexLock lock(&mutex);
  for (const auto& [app, report] : last_reports) {
    to_report.try_emplace(app, PendingReport{report, ++reports});
  }
}

void AgentServiceClient::State::DoReportImage() {
  carme::v1::ReportImageRequest request;
  OnReported done;
  {
    absl::MutexLock lock(&mutex);
    request = *std::exchange(image, std::nullopt);
    done = std::exchange(on_reported, nullptr);
  }
  carme::v1::ReportImageResponse response;
  const std::optional<absl::Status> status =
      CallWithRetries(&AgentService::Stub::ReportImage,
                      "/carme.v1.AgentService/ReportImage", request, &response);
  if (status) done(*status);
}

absl::Duration AgentServiceClient::State::DoReport(
    const PendingReport& report) {
  carme::v1::ReportStateResponse response;
  const absl::Status status =
      Call(&AgentService::Stub::ReportState,
           "/carme.v1.AgentService/ReportState", report.request, &response);
  if (status.ok() || !IsRetryable(status)) {
    report_delay = kFirstRetryDelay;
    absl::MutexLock lock(&mutex);
    const auto found = to_report.find(report.request.app());
    if (found != to_report.end() && found->second.number == report.number) {
      to_report.erase(found);
    }
  }
  if (status.ok()) return absl::ZeroDuration();
  if (!IsRetryable(status)) {
    LogWarning("report rejected", {{"error", status.ToString()}});
    return absl::ZeroDuration();
  }
  LogWarning("report not sent yet", {{"error", status.ToString()}});
  const absl::Duration delay = report_delay;
  report_delay = std::min(report_delay * 2, kMaxRetryDelay);
  return Jittered(delay);
}

AgentServiceClient::AgentServiceClient(
    AgentServiceClientOptions options,
    std::unique_ptr<BackendConnection> channel)
    : state_(std::make_unique<State>(std::move(options), std::move(channel))) {
  state_->thread.Start("agent-client",
                       [state = state_.get()] { return state->CallNext(); });
}

absl::StatusOr<std::unique_ptr<AgentServiceClient>> AgentServiceClient::Open(
    AgentServiceClientOptions options) {
  ASSIGN_OR_RETURN(auto channel, BackendConnection::Open(options.backend));
  return std::unique_ptr<AgentServiceClient>(
      new AgentServiceClient(std::move(options), std::move(channel)));
}

AgentServiceClient::~AgentServiceClient() {
  updates_.reset();
  {
    absl::MutexLock lock(&state_->mutex);
    state_->ending = true;
    if (state_->active_call != nullptr) state_->active_call->TryCancel();
  }
  state_->thread.Stop();
}

void AgentServiceClient::Register(std::string csr_pem, uint16_t port,
                                  OnRegistered done) {
  carme::v1::RegisterRequest request;
  request.set_slurm_job_id(state_->options.job.value());
  request.set_csr_pem(std::move(csr_pem));
  request.set_port(port);
  absl::MutexLock lock(&state_->mutex);
  state_->registration = std::move(request);
  state_->on_registered = std::move(done);
  state_->thread.Wake();
}

void AgentServiceClient::ReportImage(carme::v1::ReportImageRequest request,
                                     OnReported done) {
  request.set_slurm_job_id(state_->options.job.value());
  absl::MutexLock lock(&state_->mutex);
  state_->image = std::move(request);
  state_->on_reported = std::move(done);
  state_->thread.Wake();
}

void AgentServiceClient::Report(const std::string& app,
                                carme::v1::AppState state,
                                const DisplayText& detail) {
  carme::v1::ReportStateRequest request;
  request.set_slurm_job_id(state_->options.job.value());
  request.set_state(state);
  SetDetail(detail, &request);
  request.set_app(app);
  absl::MutexLock lock(&state_->mutex);
  // After the end of the job only its data is reported.
  if (app.empty()) {
    std::erase_if(state_->to_report, [](const auto& report) {
      return report.first != kStageIn && report.first != kStageOut;
    });
  }
  state_->last_reports[app] = request;
  state_->to_report[app] = {std::move(request), ++state_->reports};
  state_->thread.Wake();
}

void AgentServiceClient::Follow(JobUpdateStream::OnUpdate on_news) {
  updates_ = std::make_unique<JobUpdateStream>(
      state_->connection.get(), state_->options.job,
      [state = state_.get(),
       on_news = std::move(on_news)](carme::v1::WatchJobResponse update) {
        if (update.register_again()) state->RegisterAgain();
        on_news(std::move(update));
      });
}

bool AgentServiceClient::Drain(absl::Duration max) {
  absl::MutexLock lock(&state_->mutex);
  const auto drained = [this] { return state_->to_report.empty(); };
  return state_->mutex.AwaitWithTimeout(absl::Condition(&drained), max);
}

}  // namespace carme::agent
