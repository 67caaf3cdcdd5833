#include "slurm-hooks/agent/backend_link.h"

#include <grpcpp/grpcpp.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/clock.h"
#include "carme/v1/agent.grpc.pb.h"
#include "common/grpc_status.h"
#include "common/log.h"
#include "common/random.h"
#include "common/status.h"
#include "slurm-hooks/agent/agent_credential.h"

namespace carme::agent {
namespace {

using carme::v1::AgentService;

constexpr absl::Duration kFirstPause = absl::Milliseconds(50);
constexpr absl::Duration kLongestPause = absl::Seconds(10);
constexpr absl::Duration kCallTimeout = absl::Seconds(10);
constexpr size_t kLongestDetail = 200;

std::shared_ptr<grpc::Channel> NewChannel(const BackendLinkOptions& options) {
  grpc::ChannelArguments arguments;
  arguments.SetSslTargetNameOverride(options.name);
  // The user's environment must not send this call through a proxy of theirs.
  arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
  arguments.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, 50);
  // Also how long an attempt to connect may take.
  arguments.SetInt(GRPC_ARG_MIN_RECONNECT_BACKOFF_MS, 5000);
  arguments.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, 1000);
  grpc::SslCredentialsOptions tls;
  tls.pem_root_certs = options.ca_pem;
  return grpc::CreateCustomChannel(options.address, grpc::SslCredentials(tls),
                                   arguments);
}

bool MayBeMended(const absl::Status& status) {
  return absl::IsUnavailable(status) || absl::IsDeadlineExceeded(status) ||
         absl::IsResourceExhausted(status);
}

// Between half of it and the whole, so that jobs do not come in step.
absl::Duration Scattered(absl::Duration pause) {
  const auto byte = static_cast<uint8_t>(RandomBytes(1)[0]);
  return pause * (0.5 + byte / 510.0);
}

}  // namespace

struct BackendLink::State {
  explicit State(BackendLinkOptions given)
      : options(std::move(given)),
        channel(NewChannel(options)),
        stub(AgentService::NewStub(channel)) {}

  // One call with a fresh credential; ends early when the link does.
  template <typename Request, typename Response>
  absl::Status Call(grpc::Status (AgentService::Stub::*method)(
                        grpc::ClientContext*, const Request&, Response*),
                    std::string_view name, Request request,
                    Response* response) {
    ASSIGN_OR_RETURN(*request.mutable_munge(),
                     EncodeCredential(CredentialPayload(name, request)));
    grpc::ClientContext context;
    context.set_deadline(absl::ToChronoTime(absl::Now() + kCallTimeout));
    // gRPC brings a connection about only while a call waits for it: between
    // calls that fail at once, a handshake would never get on.
    context.set_wait_for_ready(true);
    {
      absl::MutexLock lock(&mutex);
      if (ending) return absl::CancelledError("the agent is ending");
      under_way = &context;
    }
    const grpc::Status status = ((*stub).*method)(&context, request, response);
    absl::MutexLock lock(&mutex);
    under_way = nullptr;
    if (status.error_code() == grpc::StatusCode::DEADLINE_EXCEEDED &&
        channel->GetState(false) != GRPC_CHANNEL_READY) {
      return absl::UnavailableError(
          absl::StrCat("no connection to \"", options.address,
                       "\" with a certificate for \"", options.name, "\""));
    }
    return FromGrpc(status);
  }

  bool Ending() {
    absl::MutexLock lock(&mutex);
    return ending;
  }
  // False: the link ends, or a report is no more the newest.
  bool Pause(absl::Duration pause, std::optional<uint64_t> report_number) {
    absl::MutexLock lock(&mutex);
    const auto over = [&] {
      return ending || (report_number && *report_number != reports);
    };
    return !mutex.AwaitWithTimeout(absl::Condition(&over), Scattered(pause));
  }

  void Run();
  void DoRegister();
  void DoReport(carme::v1::ReportStateRequest request, uint64_t number);

  const BackendLinkOptions options;
  const std::shared_ptr<grpc::Channel> channel;
  const std::unique_ptr<AgentService::Stub> stub;
  absl::Mutex mutex;
  // All below is guarded by it.
  bool ending = false;
  std::optional<carme::v1::RegisterRequest> registration;
  OnRegistered on_registered;
  std::optional<carme::v1::ReportStateRequest> report;
  uint64_t reports = 0;  // given so far
  grpc::ClientContext* under_way = nullptr;

  std::thread thread;  // the last member: it uses the others
};

void BackendLink::State::Run() {
  while (true) {
    std::optional<carme::v1::ReportStateRequest> next;
    uint64_t number = 0;
    bool to_register = false;
    {
      absl::MutexLock lock(&mutex);
      const auto wanted = [this] {
        return ending || registration.has_value() || report.has_value();
      };
      mutex.Await(absl::Condition(&wanted));
      if (ending) return;
      to_register = registration.has_value();
      next = report;
      number = reports;
    }
    if (to_register) {
      DoRegister();
    } else if (next.has_value()) {
      DoReport(*std::move(next), number);
    }
  }
}

void BackendLink::State::DoRegister() {
  carme::v1::RegisterRequest request;
  OnRegistered done;
  {
    absl::MutexLock lock(&mutex);
    request = *std::exchange(registration, std::nullopt);
    done = std::exchange(on_registered, nullptr);
  }
  const absl::Time latest = absl::Now() + options.registration_patience;
  absl::Duration pause = kFirstPause;
  while (true) {
    carme::v1::RegisterResponse response;
    const absl::Status status =
        Call(&AgentService::Stub::Register, "/carme.v1.AgentService/Register",
             request, &response);
    if (Ending()) return;
    if (status.ok()) return done(std::move(response));
    if (!MayBeMended(status) || absl::Now() > latest) return done(status);
    LogWarning("not registered yet", {{"error", status.ToString()}});
    if (!Pause(pause, std::nullopt)) return;
    pause = std::min(pause * 2, kLongestPause);
  }
}

void BackendLink::State::DoReport(carme::v1::ReportStateRequest request,
                                  uint64_t number) {
  absl::Duration pause = kFirstPause;
  while (true) {
    carme::v1::ReportStateResponse response;
    const absl::Status status =
        Call(&AgentService::Stub::ReportState,
             "/carme.v1.AgentService/ReportState", request, &response);
    if (status.ok() || !MayBeMended(status)) {
      if (!status.ok()) {
        LogWarning("report not taken", {{"error", status.ToString()}});
      }
      absl::MutexLock lock(&mutex);
      if (reports == number) report.reset();
      return;
    }
    LogWarning("not reported yet", {{"error", status.ToString()}});
    if (!Pause(pause, number)) return;
    pause = std::min(pause * 2, kLongestPause);
  }
}

BackendLink::BackendLink(BackendLinkOptions options)
    : state_(std::make_unique<State>(std::move(options))) {
  state_->thread = std::thread([state = state_.get()] { state->Run(); });
}

BackendLink::~BackendLink() {
  {
    absl::MutexLock lock(&state_->mutex);
    state_->ending = true;
    if (state_->under_way != nullptr) state_->under_way->TryCancel();
  }
  state_->thread.join();
}

void BackendLink::Register(std::string csr_pem, uint16_t port,
                           OnRegistered done) {
  carme::v1::RegisterRequest request;
  request.set_slurm_job_id(state_->options.job.value());
  request.set_csr_pem(std::move(csr_pem));
  request.set_port(port);
  absl::MutexLock lock(&state_->mutex);
  state_->registration = std::move(request);
  state_->on_registered = std::move(done);
}

void BackendLink::Report(carme::v1::AppState state, std::string detail) {
  carme::v1::ReportStateRequest request;
  request.set_slurm_job_id(state_->options.job.value());
  request.set_state(state);
  request.set_detail(detail.substr(0, kLongestDetail));
  absl::MutexLock lock(&state_->mutex);
  state_->report = std::move(request);
  ++state_->reports;
}

bool BackendLink::Drain(absl::Duration most) {
  absl::MutexLock lock(&state_->mutex);
  const auto drained = [this] { return !state_->report.has_value(); };
  return state_->mutex.AwaitWithTimeout(absl::Condition(&drained), most);
}

}  // namespace carme::agent
