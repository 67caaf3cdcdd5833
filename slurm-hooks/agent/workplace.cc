#include "slurm-hooks/agent/workplace.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "common/status.h"
#include "slurm-hooks/agent/app_log.h"
#include "slurm-hooks/agent/kernel_probe.h"
#include "slurm-hooks/agent/log_tail.h"
#include "slurm-hooks/agent/pause.h"

namespace carme::agent {
namespace {

constexpr absl::Duration kLook = absl::Milliseconds(20);
constexpr absl::Duration kPatience = absl::Minutes(5);
constexpr absl::Duration kRequiredFilesInterval = absl::Seconds(3);
// In the private network of each app that asks for one, so that they do not
// meet.
constexpr uint32_t kPrivatePort = 8080;
constexpr uint64_t kBatchId = 1;  // there are no apps beside it

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
  loop_.Spawn(WatchRequiredFiles());
  // What goes wrong is said by `over`, or by the next who wants the app.
  co_await apps_.Ensure(plan_.apps[0].id);
}

// Users create such a file while the job runs, often from the job itself.
net::Task<void> Workplace::WatchRequiredFiles() {
  const bool any = std::any_of(
      plan_.apps.begin(), plan_.apps.end(),
      [](const AppPlan& app) { return !app.requires_file.empty(); });
  while (any && !stopping_ && !over_said_) {
    apps_.CheckRequiredFiles(facts_.account.home);
    if (co_await Pause(loop_, kRequiredFilesInterval) != 0) co_return;
  }
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
  return log.ok() ? LastLineOf(log->get(), kMaxReportedLine) : "";
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
    const std::optional<bool> busy =
        co_await AskForBusyKernel(loop_, apps_.SocketOf(app.id),
                                  app.public_host, PathAt(app, "/api/kernels"));
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

}  // namespace carme::agent
