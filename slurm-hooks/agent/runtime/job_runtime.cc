#include "slurm-hooks/agent/runtime/job_runtime.h"

#include <signal.h>

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/log.h"
#include "common/protobuf/message_error.h"
#include "common/status.h"
#include "slurm-hooks/agent/environment/app_command.h"
#include "slurm-hooks/agent/environment/environment_command.h"
#include "slurm-hooks/agent/job/app_logs.h"
#include "slurm-hooks/agent/job/backoff.h"
#include "slurm-hooks/agent/runtime/messages.h"
#include "slurm-hooks/agent/usage/kernel_probe.h"

namespace carme::agent {
namespace {

constexpr absl::Duration kPollInterval = absl::Milliseconds(20);
// For the environments of all nodes, and for the nodes of linked jobs.
constexpr absl::Duration kTimeout = absl::Minutes(5);
// Slurm sends SIGKILL after KillWait, 30 s by default.
constexpr absl::Duration kGracePeriod = absl::Seconds(3);
// A batch job may have to write a checkpoint. Results are copied after it.
constexpr absl::Duration kBatchGracePeriod = absl::Seconds(20);
constexpr absl::Duration kBatchGracePeriodBeforeResults = absl::Seconds(10);
constexpr absl::Duration kRequiredFilesInterval = absl::Seconds(3);
// The port in the private network of each app that needs one.
constexpr uint32_t kPrivatePort = 8080;
constexpr uint64_t kBatchId = 1;  // a batch job has no apps

std::function<void(const carme::v1::NodeSamples&)> SamplesTo(
    JobMetrics* metrics) {
  if (metrics == nullptr) return nullptr;
  return [metrics](const carme::v1::NodeSamples& samples) {
    metrics->AddNode(samples);
  };
}

}  // namespace

bool JobRuntime::IsTransition(State from, State to) {
  switch (to) {
    case State::kEntering:
      return false;
    case State::kStagingIn:
    case State::kAwaitingLink:
      return from == State::kEntering;
    case State::kRunning:
      return from == State::kStagingIn;
    case State::kLinked:
      return from == State::kAwaitingLink;
    case State::kStopping:
      return from < State::kStopping;
    case State::kFinishingEarly:
      return from == State::kRunning;
    case State::kStagingOut:
      return from == State::kRunning || from == State::kStopping ||
             from == State::kFinishingEarly;
    case State::kEnded:
      return from != State::kEnded;
  }
  return false;
}

bool JobRuntime::TransitionTo(State next) {
  if (!IsTransition(state_, next)) return false;
  state_ = next;
  return true;
}

JobRuntime::JobRuntime(Options options)
    : loop_(options.loop),
      clock_(options.clock),
      job_(std::move(options.job)),
      facts_(std::move(options.facts)),
      plan_(std::move(options.plan)),
      report_(std::move(options.report)),
      on_exit_(std::move(options.on_exit)),
      apps_(
          loop_, clock_, plan_.apps, facts_.environment.directory,
          {.start = [this](const AppPlan& app,
                           uint64_t id) { return StartApp(app, id); },
           .signal =
               [this](uint64_t id, int number) {
                 environment_.Signal(id, number).IgnoreError();
               },
           .report = report_,
           .last_line =
               [this](const std::string& app) { return ReadLastLogLine(app); },
           .over = [this](
                       int exit_code,
                       const DisplayText& detail) { End(exit_code, detail); }}),
      staging_(loop_, clock_,
               {.home = facts_.account.home,
                .scratch = facts_.environment.scratch,
                .umask = facts_.umask},
               report_),
      environment_(loop_, clock_, facts_, plan_.environment,
                   {.entered = [this] { nodes_.OnEntered(); },
                    .started =
                        [this](const auto& event) {
                          if (batch_ != nullptr)
                            return batch_->OnStarted(event);
                          apps_.OnStarted(event);
                        },
                    .ended =
                        [this](const auto& event) {
                          if (batch_ != nullptr) return batch_->OnEnded(event);
                          apps_.OnEnded(event);
                        },
                    .failed =
                        [this](int exit_code, const DisplayText& detail) {
                          End(exit_code, detail);
                        }}),
      nodes_(
          {.loop = loop_,
           .environment = environment_,
           .facts = facts_,
           .plan = plan_,
           .job = job_},
          {.configured = [this] { OnNodesConfigured(); },
           .report = std::move(options.on_nodes),
           .samples = SamplesTo(options.metrics),
           .returnable = std::move(options.on_returnable),
           .failed = [this](const DisplayText& detail) { End(1, detail); }}) {
  if (!plan_.batch) return;
  batch_ = std::make_unique<BatchRun>(
      loop_, *plan_.batch,
      ReadBatchContext(facts_.variables, facts_.account.home,
                       facts_.environment.directory, facts_.umask),
      options.metrics,
      BatchRun::Owner{
          .start =
              [this](carme::node::v1::StartProgram request, int output,
                     int error) {
                return StartBatch(std::move(request), output, error);
              },
          .signal =
              [this](int number) {
                environment_.Signal(kBatchId, number).IgnoreError();
              },
          .running = [this] { report_("", carme::v1::APP_STATE_READY, ""); },
          .over =
              [this](int exit_code, const DisplayText& detail) {
                // A job that was ended early did not complete its work,
                // whatever its exit code is.
                if (state_ != State::kFinishingEarly) End(exit_code, detail);
              }});
}

JobRuntime::~JobRuntime() = default;

void JobRuntime::Open() {
  const absl::Status opened = nodes_.Start();
  if (!opened.ok()) return End(1, TextOfStatus(opened));
  environment_.Open();
}

net::Task<void> JobRuntime::StartOwnApp() {
  const absl::Status staged = co_await staging_.Run(kStageIn, plan_.stage_in);
  if (state_ != State::kStagingIn || absl::IsCancelled(staged)) co_return;
  if (!staged.ok()) {
    End(1, MakeText(agent_runtime_messages::kNotCopiedToNode,
                    {{"cause", TextOfStatus(staged)}}));
    co_return;
  }
  TransitionTo(State::kRunning);
  results_ = &plan_.stage_out;
  if (batch_ != nullptr) {
    batch_->Begin();
    co_return;
  }
  loop_.Spawn(WatchRequiredFiles());
  // `on_exit`, or the next call of Ensure, reports a failure.
  co_await apps_.Ensure(plan_.apps[0].id);
}

// Users create such files while the job runs, often from the job itself.
net::Task<void> JobRuntime::WatchRequiredFiles() {
  const bool any = std::any_of(
      plan_.apps.begin(), plan_.apps.end(),
      [](const AppPlan& app) { return !app.requires_file.empty(); });
  while (any && state_ == State::kRunning) {
    apps_.CheckRequiredFiles(facts_.account.home);
    if (co_await Pause(loop_, kRequiredFilesInterval) != 0) co_return;
  }
}

absl::Status JobRuntime::StartApp(const AppPlan& app, uint64_t id) {
  ASSIGN_OR_RETURN(UniqueFd log,
                   OpenAppLog(AppLogPath(facts_.account.home, job_, app.id)));
  const AppPaths paths = {
      .socket = apps_.SocketOf(app.id),
      .port = absl::StrCat(kPrivatePort),
      .dir = facts_.environment.directory,
      .scratch = facts_.environment.scratch,
      .host = app.public_host,
      .carme = ProgramsIn(plan_.environment, facts_.environment),
      .base = app.base_path};
  carme::node::v1::StartProgram request;
  request.set_id(id);
  for (std::string& word : Substitute(app.command, paths)) {
    request.add_arguments(std::move(word));
  }
  SetUpEnvironment(app, &request);
  request.set_directory(facts_.account.home);
  if (WantsPort(app.command)) {
    request.set_private_port(kPrivatePort);
    request.set_bridge_socket(paths.socket);
  }
  const absl::Status started =
      environment_.Start(std::move(request), -1, log.get(), log.get());
  logs_.Add(app.id, std::move(log));
  return started;
}

// Sets what every program of the job gets.
void JobRuntime::SetUpEnvironment(
    const AppPlan& app, carme::node::v1::StartProgram* request) const {
  for (std::string& entry :
       AppEnvironment(plan_.environment, app, nodes_.ssh().job_variables(),
                      facts_.account, facts_.environment)) {
    request->add_environment(std::move(entry));
  }
  for (const auto& [name, value] : nodes_.ssh().variables()) {
    request->add_environment(absl::StrCat(name, "=", value));
  }
  request->set_path_prefix(nodes_.ssh().programs());
  request->set_umask(facts_.umask);
}

absl::Status JobRuntime::StartBatch(carme::node::v1::StartProgram request,
                                    int output, int error) {
  request.set_id(kBatchId);
  SetUpEnvironment(AppPlan(), &request);
  return environment_.Start(std::move(request), -1, output, error);
}

std::string JobRuntime::ReadLastLogLine(const std::string& app) const {
  const auto log = OpenAppLog(AppLogPath(facts_.account.home, job_, app));
  return log.ok() ? ReadLastLine(log->get(), kMaxReportedLine) : "";
}

net::Task<absl::StatusOr<std::string>> JobRuntime::Ensure(std::string app) {
  const absl::Time deadline = clock_.Now() + kTimeout;
  while (!nodes_.is_configured()) {
    if (IsEnding()) {
      co_return absl::CancelledError("the job is ending");
    }
    if (clock_.Now() > deadline) {
      co_return MakePlainError(agent_runtime_messages::kEnvironmentNotStarted);
    }
    if (co_await Pause(loop_, kPollInterval) != 0) {
      co_return absl::CancelledError("the job is ending");
    }
  }
  co_return co_await apps_.Ensure(std::move(app));
}

net::Task<std::optional<bool>> JobRuntime::IsKernelBusy() {
  bool known = true;
  for (const AppPlan& app : plan_.apps) {
    // Notebook servers are recognised by the path of their readiness probe.
    if (!app.ready_path.starts_with("/api") || !apps_.IsReady(app.id)) continue;
    const std::optional<bool> busy =
        co_await QueryKernelBusy(loop_, apps_.SocketOf(app.id), app.public_host,
                                 PathAt(app, "/api/kernels"));
    if (busy.value_or(false)) co_return true;
    known = known && busy.has_value();
  }
  if (!known) co_return std::nullopt;
  co_return false;
}

void JobRuntime::OnChild() {
  environment_.OnChild();
  nodes_.OnChild();
}

void JobRuntime::OnNodesConfigured() {
  if (plan_.linked_to.empty()) {
    if (TransitionTo(State::kStagingIn)) loop_.Spawn(StartOwnApp());
    return;
  }
  if (TransitionTo(State::kAwaitingLink)) loop_.Spawn(AwaitLinkedJobs());
  if (nodes_.has_linked_nodes() && TransitionTo(State::kLinked)) {
    report_("", carme::v1::APP_STATE_READY, "");
  }
}

void JobRuntime::OnLinkedJobs(const carme::v1::LinkedJobs& linked_jobs) {
  if (IsEnding()) return;
  if (!linked_jobs.jobs().empty()) return nodes_.SetLinkedJobs(linked_jobs);
  if (plan_.linked_to.empty()) return;
  End(0, MakeText(agent_runtime_messages::kLinkedJobEnded));
}

net::Task<void> JobRuntime::AwaitLinkedJobs() {
  const int error = co_await net::Sleep(loop_, kTimeout);
  if (error == 0 && state_ == State::kAwaitingLink) {
    End(1, MakeText(agent_runtime_messages::kLinkedNodesMissing));
  }
}

void JobRuntime::Stop(int signal) {
  Shutdown(State::kStopping, 128 + signal,
           MakeText(agent_runtime_messages::kStopped));
}

void JobRuntime::FinishEarly() {
  if (state_ != State::kRunning || plan_.stage_out.empty()) return;
  LogInfo("ending before the time limit to copy results");
  if (batch_ != nullptr) {
    return Shutdown(State::kFinishingEarly, 1,
                    MakeText(agent_runtime_messages::kEndedForResults));
  }
  Shutdown(State::kFinishingEarly, 0, "");
}

void JobRuntime::Shutdown(State next, int exit_code,
                          const DisplayText& detail) {
  const bool is_first = TransitionTo(next);
  // Programs may still run while results are copied.
  if (!is_first && state_ != State::kStagingOut) return;
  environment_.Expect();
  nodes_.Expect();
  if (!environment_.entered()) return End(exit_code, detail);
  apps_.Stop(SIGTERM);
  if (batch_ != nullptr) batch_->Stop(SIGTERM);
  if (is_first) loop_.Spawn(AwaitEnd(exit_code, detail));
}

net::Task<void> JobRuntime::AwaitPrograms() {
  absl::Duration grace = kGracePeriod;
  if (batch_ != nullptr) {
    grace = plan_.stage_out.empty() ? kBatchGracePeriod
                                    : kBatchGracePeriodBeforeResults;
  }
  const absl::Time deadline = clock_.Now() + grace;
  while (IsAnythingRunning() && clock_.Now() < deadline) {
    if (co_await Pause(loop_, kPollInterval) != 0) co_return;
  }
  if (!IsAnythingRunning()) co_return;
  LogWarning(batch_ != nullptr ? "batch job did not end: killed"
                               : "an app did not end: killed");
}

bool JobRuntime::IsAnythingRunning() const {
  return apps_.AnyRuns() || (batch_ != nullptr && batch_->is_running());
}

net::Task<void> JobRuntime::AwaitEnd(int exit_code, DisplayText detail) {
  co_await AwaitPrograms();
  End(exit_code, detail);
}

// Copies for as long as Slurm lets the job live: until KillWait after a
// cancellation.
net::Task<void> JobRuntime::StageOut(int exit_code, DisplayText detail,
                                     DisplayText remark) {
  apps_.Stop(SIGTERM);  // they may still write
  if (batch_ != nullptr) batch_->Stop(SIGTERM);
  co_await AwaitPrograms();
  const absl::Status staged =
      co_await staging_.Run(kStageOut, *results_, std::move(remark));
  if (absl::IsCancelled(staged)) co_return;
  if (!staged.ok()) {
    if (exit_code == 0) exit_code = 1;
    const DisplayText lost = MakeText(agent_runtime_messages::kResultsNotCopied,
                                      {{"cause", TextOfStatus(staged)}});
    detail = detail.empty() ? lost : JoinTexts({detail, lost});
  }
  TransitionTo(State::kEnded);
  on_exit_(exit_code, detail);
}

void JobRuntime::End(int exit_code, const DisplayText& detail) {
  const bool has_results = results_ != nullptr && !results_->empty();
  const DisplayText remark =
      state_ == State::kFinishingEarly
          ? MakeText(agent_runtime_messages::kStartedEarly)
          : DisplayText();
  if (!TransitionTo(has_results ? State::kStagingOut : State::kEnded)) return;
  if (!has_results) return on_exit_(exit_code, detail);
  loop_.Spawn(StageOut(exit_code, detail, remark));
}

}  // namespace carme::agent
