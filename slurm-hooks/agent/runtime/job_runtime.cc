#include "slurm-hooks/agent/runtime/job_runtime.h"

#include <signal.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "common/listen.h"
#include "common/log.h"
#include "common/status.h"
#include "slurm-hooks/agent/environment/app_command.h"
#include "slurm-hooks/agent/environment/environment_command.h"
#include "slurm-hooks/agent/job/app_logs.h"
#include "slurm-hooks/agent/job/backoff.h"
#include "slurm-hooks/agent/usage/kernel_probe.h"
#include "slurm-hooks/nodes/shared_files.h"
#include "slurm-hooks/nodes/ssh_files.h"

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
constexpr char kFinishedEarly[] =
    "ended before its time limit so that its results could be copied";
constexpr size_t kMaxReportedNodes = 512;  // LinkedJob in agent.proto
constexpr absl::Duration kRequiredFilesInterval = absl::Seconds(3);
// The port in the private network of each app that needs one.
constexpr uint32_t kPrivatePort = 8080;
constexpr uint64_t kBatchId = 1;  // a batch job has no apps

uint32_t NodeCount(const JobFacts& facts) {
  constexpr std::string_view kName = "SLURM_JOB_NUM_NODES=";
  uint32_t count = 1;
  for (const std::string& entry : facts.variables) {
    if (entry.starts_with(kName) &&
        !absl::SimpleAtoi(entry.substr(kName.size()), &count)) {
      return 1;
    }
  }
  return std::max(count, 1U);
}

// Returns a port that is free now. It cannot be reserved for a program that
// starts later.
uint32_t FreePort(const std::string& address) {
  const auto any = net::Address::FromIp(address, 0);
  if (!any.ok()) return 0;
  const auto fd = ListenTcp(any->ToString());
  if (!fd.ok()) return 0;
  const auto port = PortOf(fd->get());
  return port.ok() ? static_cast<uint32_t>(*port) : 0;
}

}  // namespace

JobRuntime::JobRuntime(net::EventLoop& loop, const Clock& clock, JobId job,
                       JobFacts facts, JobPlan plan, Report report,
                       OnExit on_exit, OnNodes on_nodes)
    : loop_(loop),
      clock_(clock),
      job_(std::move(job)),
      facts_(std::move(facts)),
      plan_(std::move(plan)),
      report_(report),
      on_exit_(std::move(on_exit)),
      on_nodes_(std::move(on_nodes)),
      apps_(
          loop, clock, plan_.apps, facts_.environment.directory,
          {.start = [this](const AppPlan& app,
                           uint64_t id) { return StartApp(app, id); },
           .signal =
               [this](uint64_t id, int number) {
                 environment_.Signal(id, number).IgnoreError();
               },
           .report = report,
           .last_line =
               [this](const std::string& app) { return ReadLastLogLine(app); },
           .over = [this](
                       int exit_code,
                       const std::string& detail) { End(exit_code, detail); }}),
      staging_(loop, clock,
               {.home = facts_.account.home,
                .scratch = facts_.environment.scratch,
                .umask = facts_.umask},
               report),
      environment_(loop, clock, facts_, plan_.environment,
                   {.entered = [this] { OnEntered(); },
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
                        [this](int exit_code, const std::string& detail) {
                          End(exit_code, detail);
                        }}),
      ssh_(loop, environment_, facts_, plan_.environment, job_),
      node_count_(NodeCount(facts_)) {
  if (!plan_.batch) return;
  batch_ = std::make_unique<BatchRun>(
      loop, *plan_.batch,
      ReadBatchContext(facts_.variables, facts_.account.home,
                       facts_.environment.directory, facts_.umask),
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
              [this](int exit_code, const std::string& detail) {
                // A job that was ended early did not complete its work,
                // whatever its exit code is.
                if (!finish_early_) End(exit_code, detail);
              }});
}

JobRuntime::~JobRuntime() = default;

void JobRuntime::Open() {
  const absl::Status opened = StartNodes();
  if (!opened.ok()) return End(1, std::string(opened.message()));
  environment_.Open();
}

net::Task<void> JobRuntime::StartOwnApp() {
  const absl::Status staged = co_await staging_.Run(kStageIn, plan_.stage_in);
  if (stopping_ || absl::IsCancelled(staged)) co_return;
  if (!staged.ok()) {
    End(1, std::string(staged.message()));
    co_return;
  }
  staged_in_ = true;
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
  while (any && !stopping_ && !exit_reported_) {
    apps_.CheckRequiredFiles(facts_.account.home);
    if (co_await Pause(loop_, kRequiredFilesInterval) != 0) co_return;
  }
}

absl::Status JobRuntime::StartApp(const AppPlan& app, uint64_t id) {
  ASSIGN_OR_RETURN(UniqueFd log,
                   OpenAppLog(AppLogPath(facts_.account.home, job_, app.id)));
  const AppPaths places = {
      .socket = apps_.SocketOf(app.id),
      .port = absl::StrCat(kPrivatePort),
      .dir = facts_.environment.directory,
      .scratch = facts_.environment.scratch,
      .host = app.public_host,
      .carme = ProgramsIn(plan_.environment, facts_.environment),
      .base = app.base_path};
  carme::node::v1::StartProgram request;
  request.set_id(id);
  for (std::string& word : Substitute(app.command, places)) {
    request.add_arguments(std::move(word));
  }
  SetUpEnvironment(app, &request);
  request.set_directory(facts_.account.home);
  if (WantsPort(app.command)) {
    request.set_private_port(kPrivatePort);
    request.set_bridge_socket(places.socket);
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
       AppEnvironment(plan_.environment, app, facts_.variables, facts_.account,
                      facts_.environment)) {
    request->add_environment(std::move(entry));
  }
  for (const auto& [name, value] : ssh_.variables()) {
    request->add_environment(absl::StrCat(name, "=", value));
  }
  request->set_path_prefix(ssh_.programs());
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
  while (!accepts_apps_) {
    if (stopping_ || exit_reported_) {
      co_return absl::CancelledError("the job is ending");
    }
    if (clock_.Now() > deadline) {
      co_return absl::DeadlineExceededError(
          "the environment has not started yet on every node");
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
  if (step_server_ != nullptr) step_server_->OnChild();
  if (node_agents_ != nullptr) node_agents_->OnChild();
}

absl::Status JobRuntime::StartNodes() {
  ASSIGN_OR_RETURN(step_server_, StepServer::Create(loop_, environment_, facts_,
                                                    plan_.environment, ssh_));
  ASSIGN_OR_RETURN(keys_,
                   node::NewSshKeys(absl::StrCat("carme-", job_.value())));
  RETURN_IF_ERROR(ssh_.Prepare(keys_));
  if (node_count_ == 1) return absl::OkStatus();
  node::v1::EnterEnvironment enter;
  enter.set_job_id(job_.value());
  *enter.mutable_ssh() = keys_;
  enter.mutable_environment()->ParseFromString(plan_.environment.message);
  for (std::string& entry : node::JobWideVariables(facts_.variables)) {
    enter.add_variables(std::move(entry));
  }
  NodeAgents::Owner owner = {
      .ready =
          [this](const auto& nodes) {
            other_nodes_ = nodes;
            ConfigureWhenReady();
          },
      .configured = [this] { OnConfigured(); },
      .failed = [this](const std::string& detail) { End(1, detail); }};
  ASSIGN_OR_RETURN(
      node_agents_,
      NodeAgents::Start(loop_, facts_,
                        {.count = node_count_ - 1,
                         .first_node = DescribeOwnNode(facts_).name()},
                        enter, std::move(owner)));
  return absl::OkStatus();
}

// A job on one node needs no ssh until another job is linked to it, and starts
// faster without.
void JobRuntime::OnEntered() {
  if (node_count_ == 1 && plan_.linked_to.empty()) return OnProbed(0);
  ProbeNode();
}

void JobRuntime::ProbeNode() {
  probe_started_ = true;
  ssh_.Probe([this](uint32_t port, const std::string&) { OnProbed(port); });
}

void JobRuntime::OnProbed(uint32_t ssh_port) {
  own_node_ = DescribeOwnNode(facts_);
  own_node_->set_ssh_port(ssh_port);
  const bool again = accepts_apps_;
  ConfigureWhenReady();
  if (again) ReportOwnNodes();
}

// Configures the nodes once all of them, this one included, are ready.
void JobRuntime::ConfigureWhenReady() {
  if (!own_node_.has_value() || other_nodes_.size() + 1 < node_count_) return;
  own_.job = job_.value();
  own_.nodes = {*own_node_};
  own_.nodes.insert(own_.nodes.end(), other_nodes_.begin(), other_nodes_.end());
  if (own_.master_port == 0) own_.master_port = FreePort(facts_.address);
  ConfigureNodes();
}

// The nodes of this job, and those of the linked jobs if their data is valid.
node::v1::NodeList JobRuntime::BuildNodeConfiguration() {
  has_linked_nodes_ = false;
  if (!linked_jobs_.has_value()) return node::BuildOwnNodeList(own_);
  absl::StatusOr<node::v1::NodeList> all =
      node::BuildNodeList(*linked_jobs_, own_);
  if (all.ok()) {
    const absl::Status usable = node::CheckNodeList(*all);
    if (!usable.ok()) all = usable;
  }
  if (!all.ok()) {
    LogError("nodes of linked jobs rejected",
             {{"error", all.status().ToString()}});
    return node::BuildOwnNodeList(own_);
  }
  has_linked_nodes_ = linked_jobs_->jobs_size() > 1;
  return *std::move(all);
}

// One configuration at a time: the reply of a node does not name the
// configuration that it belongs to.
void JobRuntime::ConfigureNodes() {
  reconfigure_ = configuring_;
  if (configuring_) return;
  const node::v1::NodeList configuration = BuildNodeConfiguration();
  const absl::Status configured = ssh_.Configure(configuration, 0);
  if (!configured.ok()) return End(1, std::string(configured.message()));
  configuring_ = true;
  if (node_agents_ != nullptr)
    return node_agents_->ConfigurePeers(configuration);
  OnConfigured();
}

void JobRuntime::OnConfigured() {
  configuring_ = false;
  if (std::exchange(reconfigure_, false)) return ConfigureNodes();
  if (has_linked_nodes_ && !plan_.linked_to.empty() &&
      !std::exchange(joined_, true)) {
    report_("", carme::v1::APP_STATE_READY, "");
  }
  if (std::exchange(accepts_apps_, true)) return;
  ReportOwnNodes();
  if (plan_.linked_to.empty()) {
    loop_.Spawn(StartOwnApp());
  } else {
    loop_.Spawn(AwaitLinkedJobs());
  }
}

void JobRuntime::ReportOwnNodes() const {
  if (own_.nodes.size() <= kMaxReportedNodes) {
    on_nodes_(node::BuildLinkedJob(own_, keys_));
  }
}

void JobRuntime::OnLinkedJobs(const carme::v1::LinkedJobs& linked_jobs) {
  if (stopping_ || exit_reported_) return;
  if (linked_jobs.jobs().empty()) {
    if (!plan_.linked_to.empty())
      End(0, "the job that it was linked to has ended");
    return;
  }
  // Each new stream begins with the current value.
  if (linked_jobs_ &&
      linked_jobs_->SerializeAsString() == linked_jobs.SerializeAsString()) {
    return;
  }
  linked_jobs_ = linked_jobs;
  const bool alone = linked_jobs.jobs_size() == 1;
  if (!accepts_apps_ || (alone && !has_linked_nodes_)) return;
  if (!probe_started_) ProbeNode();
  ConfigureNodes();
}

net::Task<void> JobRuntime::AwaitLinkedJobs() {
  const int error = co_await net::Sleep(loop_, kTimeout);
  if (error == 0 && !joined_) {
    End(1, "the nodes of the linked job did not connect within 5 min");
  }
}

void JobRuntime::Stop(int signal) { Shutdown(128 + signal, "stopped"); }

void JobRuntime::FinishEarly() {
  if (stopping_ || exit_reported_ || plan_.stage_out.empty() || !staged_in_)
    return;
  LogInfo("ending before the time limit to copy results");
  finish_early_ = true;
  if (batch_ != nullptr) return Shutdown(1, kFinishedEarly);
  Shutdown(0, "");
}

void JobRuntime::Shutdown(int exit_code, const std::string& detail) {
  if (stopping_) return;
  stopping_ = true;
  environment_.Expect();
  if (node_agents_ != nullptr) node_agents_->Expect();
  if (!environment_.entered()) return End(exit_code, detail);
  apps_.Stop(SIGTERM);
  if (batch_ != nullptr) batch_->Stop(SIGTERM);
  loop_.Spawn(AwaitEnd(exit_code, detail));
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

net::Task<void> JobRuntime::AwaitEnd(int exit_code, std::string detail) {
  co_await AwaitPrograms();
  End(exit_code, detail);
}

// Copies for as long as Slurm lets the job live: until KillWait after a
// cancellation.
net::Task<void> JobRuntime::StageOut(int exit_code, std::string detail) {
  apps_.Stop(SIGTERM);  // they may still write
  if (batch_ != nullptr) batch_->Stop(SIGTERM);
  co_await AwaitPrograms();
  const std::string remark =
      finish_early_ ? "; started before the time limit" : "";
  const absl::Status staged =
      co_await staging_.Run(kStageOut, plan_.stage_out, remark);
  if (absl::IsCancelled(staged)) co_return;
  if (!staged.ok()) {
    if (exit_code == 0) exit_code = 1;
    if (!detail.empty()) absl::StrAppend(&detail, "; ");
    absl::StrAppend(&detail, "its results were ",
                    std::string(staged.message()));
  }
  on_exit_(exit_code, detail);
}

void JobRuntime::End(int exit_code, const std::string& detail) {
  if (std::exchange(exit_reported_, true)) return;
  if (plan_.stage_out.empty() || !staged_in_)
    return on_exit_(exit_code, detail);
  loop_.Spawn(StageOut(exit_code, detail));
}

}  // namespace carme::agent
