#include "slurm-hooks/agent/agent.h"

#include <signal.h>
#include <unistd.h>

#include <utility>

#include "absl/strings/str_cat.h"
#include "common/log.h"
#include "common/pki/machine_identity.h"
#include "common/status.h"
#include "slurm-hooks/agent/log_tail.h"
#include "slurm-hooks/agent/pause.h"

namespace carme::agent {
namespace {

// Slurm's KillWait is 30 s unless a site made it shorter, and then it kills.
constexpr absl::Duration kGrace = absl::Seconds(3);
constexpr absl::Duration kForLastReport = absl::Seconds(1);
constexpr size_t kLongestLogLine = 140;

int64_t MillisecondsSince(absl::Time start, const Clock& clock) {
  return absl::ToInt64Milliseconds(clock.Now() - start);
}

std::string Describe(const AppEnd& end) {
  if (end.signal != 0) {
    return absl::StrCat("the app was ended by signal ", end.signal, " (",
                        strsignal(end.signal), ")");
  }
  return absl::StrCat("the app ended with exit code ", end.exit_code);
}

}  // namespace

Agent::Agent(JobFacts facts, JobKey key, NodeListener listener,
             std::unique_ptr<BackendLink> link, const Clock& clock)
    : facts_(std::move(facts)),
      key_(std::move(key)),
      listener_(std::move(listener)),
      clock_(clock),
      started_(clock.Now()),
      link_(std::move(link)) {}

absl::StatusOr<std::unique_ptr<Agent>> Agent::Create(
    JobFacts facts, JobKey key, NodeListener listener,
    std::unique_ptr<BackendLink> link, const Clock& clock) {
  std::unique_ptr<Agent> agent(new Agent(std::move(facts), std::move(key),
                                         std::move(listener), std::move(link),
                                         clock));
  Agent* self = agent.get();
  ASSIGN_OR_RETURN(agent->loop_, net::EventLoop::Create());
  ASSIGN_OR_RETURN(
      agent->signals_,
      SignalSource::Create(*agent->loop_, {SIGTERM, SIGINT, SIGCHLD},
                           [self](int number) { self->OnSignal(number); }));
  return agent;
}

int Agent::Run() {
  link_->Register(key_.csr_pem, listener_.port,
                  [this](absl::StatusOr<carme::v1::RegisterResponse> response) {
                    loop_->Post([this, response = std::move(response)] {
                      OnRegistered(response);
                    });
                  });
  loop_->Run();
  if (!link_->Drain(kForLastReport)) {
    LogWarning("the end of the app is not reported");
  }
  return exit_code_.value_or(1);
}

void Agent::OnRegistered(absl::StatusOr<carme::v1::RegisterResponse> response) {
  if (stopping_) return;
  if (!response.ok()) {
    LogError("the backend does not take this job",
             {{"error", response.status().ToString()}});
    return End(1, "");
  }
  const auto registration = CheckRegistration(*response);
  const absl::Status begun =
      registration.ok() ? Begin(*registration) : registration.status();
  if (!begun.ok()) {
    LogError("the app is not started", {{"error", begun.ToString()}});
    return End(1, std::string(begun.message()));
  }
}

absl::Status Agent::Begin(const Registration& registration) {
  LogInfo("registered", {{"job", registration.rules.job.value()},
                         {"app", registration.rules.app},
                         {"after_ms", MillisecondsSince(started_, clock_)}});
  net::TlsOptions tls;
  tls.certificate = registration.certificate_pem;
  tls.key = std::exchange(key_.private_pem, "");
  tls.peer_ca = registration.proxy_ca_pem;
  tls.peer_uri = ToUri(registration.proxy);
  tls.revoked = registration.revoked;
  DataPathOptions options;
  options.app_socket = facts_.socket;
  ASSIGN_OR_RETURN(data_path_, DataPath::Create(*loop_, listener_.fd.get(), tls,
                                                registration.rules, clock_,
                                                {.app_socket = facts_.socket}));
  const AppPlaces places = {.socket = facts_.socket,
                            .dir = facts_.directory,
                            .host = registration.public_host};
  const AppLaunch launch = {
      .arguments = Substitute(registration.command, places),
      .environment =
          AppEnvironment(facts_.environment, facts_.account, facts_.directory),
      .directory = facts_.account.home,
      .umask = facts_.umask};
  ASSIGN_OR_RETURN(app_, AppProcess::Start(launch));
  LogInfo("app started", {{"pid", app_->pid()},
                          {"program", launch.arguments[0]},
                          {"after_ms", MillisecondsSince(started_, clock_)}});
  loop_->Spawn(ReportReadiness({.socket = facts_.socket,
                                .path = registration.ready_path,
                                .host = registration.public_host}));
  return absl::OkStatus();
}

net::Task<void> Agent::ReportReadiness(ReadinessProbe probe) {
  const bool ready = co_await AwaitReady(*loop_, std::move(probe));
  if (!ready || stopping_ || exit_code_.has_value()) co_return;
  LogInfo("app ready", {{"after_ms", MillisecondsSince(started_, clock_)}});
  link_->Report(carme::v1::APP_STATE_READY, "");
}

void Agent::OnSignal(int number) {
  if (number == SIGCHLD) {
    if (!app_.has_value()) return;
    const std::optional<AppEnd> end = app_->TakeEnd();
    if (end.has_value() && !exit_code_.has_value()) OnAppEnded(*end);
    return;
  }
  if (stopping_) return;
  stopping_ = true;
  LogInfo("stopping", {{"signal", number}});
  if (!app_.has_value()) return End(128 + number, "");
  loop_->Spawn(StopApp());
}

net::Task<void> Agent::StopApp() {
  app_->Signal(SIGTERM);
  const int error = co_await Pause(*loop_, kGrace);
  if (error == ECANCELED) co_return;
  LogWarning("the app does not end: killed");
  app_->Signal(SIGKILL);
}

void Agent::OnAppEnded(const AppEnd& end) {
  std::string detail = stopping_ ? "stopped" : Describe(end);
  if (!stopping_ && end.exit_code != 0) {
    const std::string line = LastLineOf(STDERR_FILENO, kLongestLogLine);
    if (!line.empty()) absl::StrAppend(&detail, ": ", line);
  }
  LogInfo("app ended", {{"exit_code", end.exit_code}, {"signal", end.signal}});
  app_->Signal(SIGKILL);  // what it left behind in its group
  End(end.exit_code, std::move(detail));
}

void Agent::End(int exit_code, std::string detail) {
  exit_code_ = exit_code;
  if (!detail.empty()) {
    link_->Report(carme::v1::APP_STATE_ENDED, std::move(detail));
  }
  loop_->Stop();
}

}  // namespace carme::agent
