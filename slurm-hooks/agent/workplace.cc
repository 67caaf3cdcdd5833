#include "slurm-hooks/agent/workplace.h"

#include <signal.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "common/listen.h"
#include "common/log.h"
#include "common/status.h"
#include "slurm-hooks/agent/app_log.h"
#include "slurm-hooks/agent/kernel_probe.h"
#include "slurm-hooks/agent/log_tail.h"
#include "slurm-hooks/agent/pause.h"
#include "slurm-hooks/nodes/shared_files.h"
#include "slurm-hooks/nodes/ssh_files.h"

namespace carme::agent {
namespace {

// Slurm's KillWait is 30 s unless a site made it shorter, and then it kills.
constexpr absl::Duration kGrace = absl::Seconds(3);
constexpr absl::Duration kLook = absl::Milliseconds(20);
constexpr absl::Duration kPatience = absl::Minutes(5);
constexpr size_t kLongestLogLine = 140;
constexpr size_t kMostMemberNodes = 512;  // as the contract says
// In the private network of each app that asks for one, so that they do not
// meet.
constexpr uint32_t kPrivatePort = 8080;
constexpr uint64_t kBatchId = 1;  // there are no apps beside it
// A batch job may have to write down how far it is; results are copied after
// it.
constexpr absl::Duration kBatchGrace = absl::Seconds(20);
constexpr absl::Duration kBatchGraceBeforeResults = absl::Seconds(10);
constexpr char kEarlyEnd[] =
    "its walltime was nearly over: it was ended so that its results could be "
    "copied";

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

// One that is free now: nobody can keep it for a program that is not there yet.
uint32_t FreePort(const std::string& address) {
  const auto any = net::Address::FromIp(address, 0);
  if (!any.ok()) return 0;
  const auto fd = ListenTcp(any->ToString());
  if (!fd.ok()) return 0;
  const auto port = PortOf(fd->get());
  return port.ok() ? static_cast<uint32_t>(*port) : 0;
}

}  // namespace

Workplace::Workplace(net::EventLoop& loop, const Clock& clock, JobId job,
                     JobFacts facts, JobPlan plan, Report report, Over over,
                     Member member)
    : loop_(loop),
      clock_(clock),
      job_(std::move(job)),
      facts_(std::move(facts)),
      plan_(std::move(plan)),
      report_(report),
      over_(std::move(over)),
      member_(std::move(member)),
      apps_(loop, clock, plan_.apps, facts_.environment.directory,
            {.start = [this](const AppPlan& app,
                             uint64_t id) { return StartApp(app, id); },
             .signal =
                 [this](uint64_t id, int number) {
                   environment_.Signal(id, number).IgnoreError();
                 },
             .report = report,
             .last_line =
                 [this](const std::string& app) { return LastLine(app); },
             .over =
                 [this](int exit_code, const std::string& detail) {
                   End(exit_code, detail);
                 }}),
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
      share_(loop, environment_, facts_, plan_.environment, job_),
      node_count_(NodeCount(facts_)) {
  if (!plan_.batch) return;
  batch_ = std::make_unique<BatchRun>(
      loop, *plan_.batch,
      PlacesOf(facts_.variables, facts_.account.home,
               facts_.environment.directory, facts_.umask),
      BatchRun::Owner{
          .start =
              [this](carme::node::v1::Start order, int output, int error) {
                return StartBatch(std::move(order), output, error);
              },
          .signal =
              [this](int number) {
                environment_.Signal(kBatchId, number).IgnoreError();
              },
          .running = [this] { report_("", carme::v1::APP_STATE_READY, ""); },
          .over =
              [this](int exit_code, const std::string& detail) {
                // Ended ahead of its walltime it has not done its work,
                // whatever it makes of that.
                if (!early_) End(exit_code, detail);
              }});
}

Workplace::~Workplace() = default;

void Workplace::Open() {
  const absl::Status opened = OpenNodes();
  if (!opened.ok()) return End(1, std::string(opened.message()));
  environment_.Open();
}

absl::Status Workplace::OpenNodes() {
  ASSIGN_OR_RETURN(steps_, StepDoor::Create(loop_, environment_, facts_,
                                            plan_.environment, share_));
  ASSIGN_OR_RETURN(keys_,
                   node::NewSshKeys(absl::StrCat("carme-", job_.value())));
  RETURN_IF_ERROR(share_.Prepare(keys_));
  if (node_count_ == 1) return absl::OkStatus();
  node::v1::Enter enter;
  enter.set_job_id(job_.value());
  *enter.mutable_ssh() = keys_;
  enter.mutable_environment()->ParseFromString(plan_.environment.message);
  for (std::string& entry : node::JobWideVariables(facts_.variables)) {
    enter.add_variables(std::move(entry));
  }
  PeerSet::Owner owner = {
      .up =
          [this](const auto& nodes) {
            other_nodes_ = nodes;
            MeetWhenUp();
          },
      .met = [this] { OnMet(); },
      .failed = [this](const std::string& detail) { End(1, detail); }};
  ASSIGN_OR_RETURN(peers_,
                   PeerSet::Start(loop_, facts_,
                                  {.count = node_count_ - 1,
                                   .first_node = OwnNode(facts_).name()},
                                  enter, std::move(owner)));
  return absl::OkStatus();
}

// A job of one node needs no ssh until a companion comes, and starts sooner.
void Workplace::OnEntered() {
  if (node_count_ == 1 && plan_.companion_of.empty()) return OnLooked(0);
  Look();
}

void Workplace::Look() {
  looking_ = true;
  share_.Look([this](uint32_t port, const std::string&) { OnLooked(port); });
}

void Workplace::OnLooked(uint32_t ssh_port) {
  own_node_ = OwnNode(facts_);
  own_node_->set_ssh_port(ssh_port);
  const bool again = open_;
  MeetWhenUp();
  if (again) TellMember();
}

// When the last of all nodes, this one included, is up.
void Workplace::MeetWhenUp() {
  if (!own_node_.has_value() || other_nodes_.size() + 1 < node_count_) return;
  own_.job = job_.value();
  own_.nodes = {*own_node_};
  own_.nodes.insert(own_.nodes.end(), other_nodes_.begin(), other_nodes_.end());
  if (own_.master_port == 0) own_.master_port = FreePort(facts_.address);
  Meet();
}

// With those of the other jobs, as far as they are usable.
node::v1::Meet Workplace::AllNodes() {
  with_others_ = false;
  if (!family_.has_value()) return node::MeetOwn(own_);
  absl::StatusOr<node::v1::Meet> all = node::MeetFamily(*family_, own_);
  if (all.ok()) {
    const absl::Status usable = node::CheckMeet(*all);
    if (!usable.ok()) all = usable;
  }
  if (!all.ok()) {
    LogError("the other jobs' nodes are not used",
             {{"error", all.status().ToString()}});
    return node::MeetOwn(own_);
  }
  with_others_ = family_->members_size() > 1;
  return *std::move(all);
}

// One after the other: a node says that it has met, not whom.
void Workplace::Meet() {
  met_old_ = meeting_;
  if (meeting_) return;
  const node::v1::Meet meet = AllNodes();
  const absl::Status met = share_.Meet(meet, 0);
  if (!met.ok()) return End(1, std::string(met.message()));
  meeting_ = true;
  if (peers_ != nullptr) return peers_->Tell(meet);
  OnMet();
}

void Workplace::OnMet() {
  meeting_ = false;
  if (std::exchange(met_old_, false)) return Meet();
  if (with_others_ && !plan_.companion_of.empty() &&
      !std::exchange(joined_, true)) {
    report_("", carme::v1::APP_STATE_READY, "");
  }
  if (std::exchange(open_, true)) return;
  TellMember();
  if (plan_.companion_of.empty()) {
    loop_.Spawn(StartOwnApp());
  } else {
    loop_.Spawn(AwaitFamily());
  }
}

void Workplace::TellMember() const {
  if (own_.nodes.size() <= kMostMemberNodes) {
    member_(node::MemberOf(own_, keys_));
  }
}

void Workplace::OnFamily(const carme::v1::JobFamily& family) {
  if (stopping_ || over_said_) return;
  if (family.members().empty()) {
    if (!plan_.companion_of.empty()) End(0, "the job that it joined is over");
    return;
  }
  // Each stream begins with it anew.
  if (family_ && family_->SerializeAsString() == family.SerializeAsString()) {
    return;
  }
  family_ = family;
  const bool alone = family.members_size() == 1;
  if (!open_ || (alone && !with_others_)) return;
  if (!looking_) Look();
  Meet();
}

net::Task<void> Workplace::AwaitFamily() {
  const int error = co_await net::Sleep(loop_, kPatience);
  if (error == 0 && !joined_) {
    End(1, "the nodes of the job that it joins were not met within 5 min");
  }
}

net::Task<void> Workplace::StartOwnApp() {
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
  // What goes wrong is said by `over`, or by the next who wants the app.
  co_await apps_.Ensure(plan_.apps[0].id);
}

absl::Status Workplace::StartApp(const AppPlan& app, uint64_t id) {
  ASSIGN_OR_RETURN(UniqueFd log,
                   OpenAppLog(AppLogPath(facts_.account.home, job_, app.id)));
  const AppPlaces places = {
      .socket = apps_.SocketOf(app.id),
      .port = absl::StrCat(kPrivatePort),
      .dir = facts_.environment.directory,
      .scratch = facts_.environment.scratch,
      .host = app.public_host,
      .carme = ProgramsIn(plan_.environment, facts_.environment),
      .base = app.base_path};
  carme::node::v1::Start order;
  order.set_id(id);
  for (std::string& word : Substitute(app.command, places)) {
    order.add_arguments(std::move(word));
  }
  Furnish(app, &order);
  order.set_directory(facts_.account.home);
  if (WantsPort(app.command)) {
    order.set_private_port(kPrivatePort);
    order.set_bridge_socket(places.socket);
  }
  const absl::Status started =
      environment_.Start(std::move(order), -1, log.get(), log.get());
  logs_.Keep(app.id, std::move(log));
  return started;
}

// What every program of the job finds.
void Workplace::Furnish(const AppPlan& app,
                        carme::node::v1::Start* order) const {
  for (std::string& entry :
       AppEnvironment(plan_.environment, app, facts_.variables, facts_.account,
                      facts_.environment)) {
    order->add_environment(std::move(entry));
  }
  for (const auto& [name, value] : share_.variables()) {
    order->add_environment(absl::StrCat(name, "=", value));
  }
  order->set_path_prefix(share_.programs());
  order->set_umask(facts_.umask);
}

absl::Status Workplace::StartBatch(carme::node::v1::Start order, int output,
                                   int error) {
  order.set_id(kBatchId);
  Furnish(AppPlan(), &order);
  return environment_.Start(std::move(order), -1, output, error);
}

std::string Workplace::LastLine(const std::string& app) const {
  const auto log = OpenAppLog(AppLogPath(facts_.account.home, job_, app));
  return log.ok() ? LastLineOf(log->get(), kLongestLogLine) : "";
}

net::Task<absl::StatusOr<std::string>> Workplace::Ensure(std::string app) {
  const absl::Time deadline = clock_.Now() + kPatience;
  while (!open_) {
    if (stopping_ || over_said_) {
      co_return absl::CancelledError("the job is ending");
    }
    if (clock_.Now() > deadline) {
      co_return absl::DeadlineExceededError(
          "the environment is not entered yet on every node");
    }
    if (co_await Pause(loop_, kLook) != 0) {
      co_return absl::CancelledError("the job is ending");
    }
  }
  co_return co_await apps_.Ensure(std::move(app));
}

net::Task<std::optional<bool>> Workplace::KernelIsBusy() {
  bool known = true;
  for (const AppPlan& app : plan_.apps) {
    // Notebook servers, by the way in which they say that they are there.
    if (!app.ready_path.starts_with("/api") || !apps_.IsReady(app.id)) continue;
    const std::optional<bool> busy = co_await AskForBusyKernel(
        loop_, apps_.SocketOf(app.id), app.public_host,
        PathAt(app, "/api/kernels"));
    if (busy.value_or(false)) co_return true;
    known = known && busy.has_value();
  }
  if (!known) co_return std::nullopt;
  co_return false;
}

void Workplace::OnChild() {
  environment_.OnChild();
  if (steps_ != nullptr) steps_->OnChild();
  if (peers_ != nullptr) peers_->OnChild();
}

void Workplace::Stop(int signal) { Leave(128 + signal, "stopped"); }

void Workplace::FinishEarly() {
  if (stopping_ || over_said_ || plan_.stage_out.empty() || !staged_in_) return;
  LogInfo("the walltime is nearly over: results are copied");
  early_ = true;
  if (batch_ != nullptr) return Leave(1, kEarlyEnd);
  Leave(0, "");
}

void Workplace::Leave(int exit_code, const std::string& detail) {
  if (stopping_) return;
  stopping_ = true;
  environment_.Expect();
  if (peers_ != nullptr) peers_->Expect();
  if (!environment_.entered()) return End(exit_code, detail);
  apps_.Stop(SIGTERM);
  if (batch_ != nullptr) batch_->Stop(SIGTERM);
  loop_.Spawn(AwaitEnd(exit_code, detail));
}

net::Task<void> Workplace::AwaitApps() {
  absl::Duration grace = kGrace;
  if (batch_ != nullptr) {
    grace = plan_.stage_out.empty() ? kBatchGrace : kBatchGraceBeforeResults;
  }
  const absl::Time deadline = clock_.Now() + grace;
  while (AnyRuns() && clock_.Now() < deadline) {
    if (co_await Pause(loop_, kLook) != 0) co_return;
  }
  if (!AnyRuns()) co_return;
  LogWarning(batch_ != nullptr ? "the batch job does not end: killed"
                               : "an app does not end: killed");
}

bool Workplace::AnyRuns() const {
  return apps_.AnyRuns() || (batch_ != nullptr && batch_->runs());
}

net::Task<void> Workplace::AwaitEnd(int exit_code, std::string detail) {
  co_await AwaitApps();
  End(exit_code, detail);
}

// For as long as Slurm lets the job live, which after a cancellation is
// KillWait.
net::Task<void> Workplace::StageOut(int exit_code, std::string detail) {
  apps_.Stop(SIGTERM);  // what still writes
  if (batch_ != nullptr) batch_->Stop(SIGTERM);
  co_await AwaitApps();
  const std::string remark = early_ ? "; begun before the walltime's end" : "";
  const absl::Status staged =
      co_await staging_.Run(kStageOut, plan_.stage_out, remark);
  if (absl::IsCancelled(staged)) co_return;
  if (!staged.ok()) {
    if (exit_code == 0) exit_code = 1;
    if (!detail.empty()) absl::StrAppend(&detail, "; ");
    absl::StrAppend(&detail, "its results were ",
                    std::string(staged.message()));
  }
  over_(exit_code, detail);
}

void Workplace::End(int exit_code, const std::string& detail) {
  if (std::exchange(over_said_, true)) return;
  if (plan_.stage_out.empty() || !staged_in_) return over_(exit_code, detail);
  loop_.Spawn(StageOut(exit_code, detail));
}

}  // namespace carme::agent
