#include "slurm-hooks/agent/agent.h"

#include <signal.h>
#include <unistd.h>

#include <utility>

#include "absl/strings/str_cat.h"
#include "common/log.h"
#include "common/pki/machine_identity.h"
#include "common/protobuf/message_error.h"
#include "common/status.h"
#include "slurm-hooks/agent/multi_node/ssh_setup.h"
#include "slurm-hooks/agent/runtime/home_check.h"
#include "slurm-hooks/agent/usage/cpu_time.h"
#include "slurm-hooks/agent/usage/gpu_use.h"
#include "slurm-hooks/sampler/gpu_metric_source.h"

namespace carme::agent {
namespace {

// Needed only if the backend is slow or unavailable. Slurm sends SIGKILL 30 s
// after SIGTERM.
constexpr absl::Duration kLastReportTimeout = absl::Seconds(3);

int64_t MillisecondsSince(absl::Time start, const Clock& clock) {
  return absl::ToInt64Milliseconds(clock.Now() - start);
}

}  // namespace

Agent::Agent(JobFacts facts, KeyAndRequest key, NodeListener listener,
             std::unique_ptr<AgentServiceClient> client, const Clock& clock)
    : facts_(std::move(facts)),
      home_(facts_.account.home),
      key_(std::move(key)),
      listener_(std::move(listener)),
      clock_(clock),
      started_(clock.Now()),
      client_(std::move(client)) {}

absl::StatusOr<std::unique_ptr<Agent>> Agent::Create(
    JobFacts facts, KeyAndRequest key, NodeListener listener,
    std::unique_ptr<AgentServiceClient> client, const Clock& clock) {
  std::unique_ptr<Agent> agent(new Agent(std::move(facts), std::move(key),
                                         std::move(listener), std::move(client),
                                         clock));
  Agent* self = agent.get();
  ASSIGN_OR_RETURN(agent->loop_, net::EventLoop::Create());
  ASSIGN_OR_RETURN(agent->signals_,
                   node::SignalSource::Create(
                       *agent->loop_, {SIGTERM, SIGINT, SIGCHLD, SIGUSR1},
                       [self](int number) { self->OnSignal(number); }));
  return agent;
}

int Agent::Run() {
  client_->Register(
      key_.csr_pem, listener_.port,
      [this](absl::StatusOr<carme::v1::RegisterResponse> response) {
        loop_->Post(
            [this, response = std::move(response)] { OnRegistered(response); });
      });
  loop_->Run();
  runtime_.reset();
  build_.reset();
  if (metrics_ != nullptr) metrics_->Finish();
  if (!client_->Drain(kLastReportTimeout)) {
    LogWarning("end of the job not reported");
  }
  return exit_code_.value_or(1);
}

void Agent::OnRegistered(absl::StatusOr<carme::v1::RegisterResponse> response) {
  if (stopping_) return;
  if (!response.ok()) {
    LogError("job rejected by the backend",
             {{"error", response.status().ToString()}});
    return End(1, "");
  }
  const auto registration = CheckRegistration(*response);
  absl::Status begun = registration.status();
  if (registration.ok()) {
    begun = registration->plan.required_nodes > 0 ? StartVetting(*registration)
                                                  : Begin(*registration);
  }
  EndUnless(begun);
}

void Agent::EndUnless(const absl::Status& begun) {
  if (begun.ok()) return;
  LogError("job not started", {{"error", StatusText(begun)}});
  End(1, TextOfStatus(begun));
}

absl::Status Agent::StartVetting(const Registration& registration) {
  const uint32_t required = registration.plan.required_nodes;
  LogInfo("vetting the nodes", {{"required", required}});
  client_->Report(kVetting, carme::v1::APP_STATE_STARTING, "");
  ASSIGN_OR_RETURN(
      vetting_,
      NodeVetting::Start(
          facts_, required,
          [this, registration](absl::StatusOr<VettedNodes> nodes) {
            // Posted: it is called by the object that goes.
            loop_->Post([this, registration, nodes = std::move(nodes)] {
              OnVetted(registration, nodes);
            });
          }));
  return absl::OkStatus();
}

void Agent::OnVetted(const Registration& registration,
                     const absl::StatusOr<VettedNodes>& nodes) {
  vetting_.reset();
  if (stopping_) return;
  if (!nodes.ok()) return EndUnless(nodes.status());
  client_->Report(kVetting, carme::v1::APP_STATE_ENDED, nodes->remark);
  facts_.variables = nodes->variables;
  facts_.vetted_nodes = nodes->other_nodes;
  EndUnless(Begin(registration));
}

absl::Status Agent::Begin(const Registration& registration) {
  const bool is_batch = registration.plan.batch.has_value();
  LogInfo("registered", {{"job", registration.rules.job.value()},
                         {"app", registration.plan.apps.empty()
                                     ? "none"
                                     : registration.plan.apps[0].id},
                         {"after_ms", MillisecondsSince(started_, clock_)}});
  if (registration.plan.build) {
    build_ = std::make_unique<ImageBuild>(
        *loop_, std::move(facts_), *registration.plan.build,
        [this](const absl::StatusOr<ImageFileInfo>& made) {
          OnImageDone(made);
        });
    build_->Begin();
    return absl::OkStatus();
  }
  StartMetrics(registration);
  net::TlsOptions tls;
  tls.certificate = registration.certificate_pem;
  tls.key = std::exchange(key_.key_pem, "");
  tls.peer_ca = registration.trust.ca_pem;
  tls.peer_uri = ToUri(registration.proxy);
  tls.revoked = registration.trust.revoked;
  const UseConfig use = facts_.use;
  const std::vector<std::string> variables = facts_.variables;
  const bool has_gpus = DescribeOwnNode(facts_).gpus() > 0;
  const bool can_return_nodes = CanReturnNodes(facts_);
  runtime_ = std::make_unique<JobRuntime>(JobRuntime::Options{
      .loop = *loop_,
      .clock = clock_,
      .job = registration.rules.job,
      .facts = std::move(facts_),
      .plan = registration.plan,
      .report =
          [this](const std::string& app, carme::v1::AppState state,
                 const DisplayText& detail) {
            client_->Report(app, state, detail);
          },
      .on_exit = [this](int exit_code,
                        const DisplayText& detail) { End(exit_code, detail); },
      .on_nodes =
          [this, is_batch](const carme::v1::LinkedJob& job) {
            if (!is_batch) client_->Send(job);
          },
      .on_returnable =
          [this](const std::vector<std::string>& nodes) {
            client_->SendReturnable(nodes);
          },
      .metrics = metrics_.get()});
  const bool opened = !is_batch && registration.plan.linked_to.empty();
  if (opened && registration.dial.empty()) {
    RETURN_IF_ERROR(Listen(listener_));
  } else {
    listener_.fd.reset();  // nothing connects, or through tunnels
  }
  if (is_batch) {
    // The stream reports nodes that can be returned; a batch job needs no
    // updates.
    if (can_return_nodes) Follow();
    runtime_->Open();
    return absl::OkStatus();
  }
  // A linked job has no app to open.
  if (opened) {
    DataPathOptions options;
    options.dial = registration.dial;
    options.on_input = [this] {
      if (use_ != nullptr) use_->OnInput();
    };
    ASSIGN_OR_RETURN(
        data_path_,
        DataPath::Create(
            *loop_, listener_.fd.get(), tls, registration.rules, clock_,
            [this](const std::string& app) { return runtime_->Ensure(app); },
            std::move(options)));
  }
  Follow();
  if (data_path_ != nullptr) StartActivityMonitor(use, variables, has_gpus);
  runtime_->Open();
  return absl::OkStatus();
}

// Before anything is started, which gets the path of the socket.
void Agent::StartMetrics(const Registration& registration) {
  if (!registration.plan.metrics || registration.certificate_pem.empty()) {
    return;
  }
  auto peak = std::make_shared<sampler::GpuUtilizationPeak>();
  std::vector<sampler::TimedSource> gpus = sampler::GpuSources(
      facts_.variables, registration.plan.metrics->gpu_interval,
      facts_.gpu.dcgm_host_engine, peak);
  if (!gpus.empty()) gpu_peak_ = std::move(peak);
  metrics_ = std::make_unique<JobMetrics>(
      facts_,
      SampleClientOptions{.plan = *registration.plan.metrics,
                          .job = registration.rules.job,
                          .certificate_pem = registration.certificate_pem,
                          .key_pem = key_.key_pem},
      std::move(gpus), &clock_);
  facts_.environment.metrics_socket = metrics_->socket_path();
}

void Agent::StartActivityMonitor(const UseConfig& use,
                                 const std::vector<std::string>& variables,
                                 bool has_gpus) {
  ActivityMonitor::Sources sources;
  sources.cpu_time = ReadJobCpuTime;
  sources.kernel_busy = [this] { return runtime_->IsKernelBusy(); };
  const bool blind =
      has_gpus && use.gpu_command.empty() && gpu_peak_ == nullptr;
  sources.sees_all = [this, blind] {
    return !blind && runtime_->RunsOnThisNodeOnly();
  };
  if (has_gpus && !use.gpu_command.empty()) {
    sources.gpu_busy = [this, command = use.gpu_command, variables] {
      return QueryGpuBusy(*loop_, command, variables);
    };
  } else if (has_gpus && gpu_peak_ != nullptr) {
    sources.gpu_busy = [peak = gpu_peak_] { return IsGpuBusy(peak->Take()); };
  }
  ActivityMonitorOptions options;
  options.interval = use.interval;
  options.min_share = use.min_cpu_percent / 100.0;
  use_ = std::make_unique<ActivityMonitor>(
      *loop_, std::move(sources),
      [this](const ActivityTimes& times) { client_->Send(times); }, options);
}

void Agent::OnImageDone(const absl::StatusOr<ImageFileInfo>& made) {
  if (stopping_) return;
  carme::v1::ReportImageRequest report;
  DisplayText problem;
  if (made.ok()) {
    LogInfo("image finished", {{"path", made->path},
                               {"sha256", made->sha256},
                               {"bytes", made->size_bytes}});
    report.set_path(made->path);
    report.set_sha256(made->sha256);
    report.set_size_bytes(made->size_bytes);
  } else {
    problem = TextOfStatus(made.status());
    LogError("image failed", {{"error", StatusText(made.status())}});
    report.set_problem(problem.text);
  }
  client_->ReportImage(
      std::move(report), [this, problem](const absl::Status& taken) {
        loop_->Post([this, problem, taken] {
          if (!taken.ok()) {
            LogError("image rejected by the backend",
                     {{"error", taken.ToString()}});
          }
          const bool good = problem.empty() && taken.ok();
          End(good ? 0 : 1, problem.empty() ? TextOfStatus(taken) : problem);
        });
      });
}

void Agent::Follow() {
  client_->Follow([this](carme::v1::WatchJobResponse update) {
    loop_->Post([this, update = std::move(update)] { OnUpdate(update); });
  });
}

void Agent::OnUpdate(const carme::v1::WatchJobResponse& update) {
  if (update.has_linked_jobs()) runtime_->OnLinkedJobs(update.linked_jobs());
  if (!update.has_proxy_trust() || data_path_ == nullptr) return;
  const auto trust = CheckProxyTrust(update.proxy_trust());
  const absl::Status used =
      trust.ok() ? data_path_->Use(*trust) : trust.status();
  if (!used.ok()) {
    LogError("new proxy certificates rejected, keeping the old ones",
             {{"error", used.ToString()}});
  }
}

void Agent::OnSignal(int number) {
  if (number == SIGCHLD) {
    if (runtime_ != nullptr) runtime_->OnChild();
    if (build_ != nullptr) build_->OnChild();
    if (vetting_ != nullptr) vetting_->OnChild();
    return;
  }
  if (number == SIGUSR1) {  // from Slurm, before the time limit
    if (runtime_ != nullptr) runtime_->FinishEarly();
    return;
  }
  if (std::exchange(stopping_, true)) return;
  LogInfo("stopping", {{"signal", number}});
  if (runtime_ == nullptr) return End(128 + number, "");
  runtime_->Stop(number);
}

void Agent::End(int exit_code, DisplayText detail) {
  exit_code_ = exit_code;
  if (exit_code != 0 && !stopping_) {
    detail = WithHomeProblem(std::move(detail), exit_code, home_);
  }
  if (!detail.empty()) {
    client_->Report("", carme::v1::APP_STATE_ENDED, std::move(detail));
  }
  loop_->Stop();
}

}  // namespace carme::agent
