#include "slurm-hooks/agent/workplace.h"

#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <utility>

#include "absl/strings/str_cat.h"
#include "common/log.h"
#include "common/status.h"
#include "slurm-hooks/agent/app_log.h"
#include "slurm-hooks/agent/image_digest.h"
#include "slurm-hooks/agent/log_tail.h"
#include "slurm-hooks/agent/pause.h"

namespace carme::agent {
namespace {

// Slurm's KillWait is 30 s unless a site made it shorter, and then it kills.
constexpr absl::Duration kGrace = absl::Seconds(3);
constexpr absl::Duration kLook = absl::Milliseconds(20);
constexpr absl::Duration kPatience = absl::Seconds(60);
constexpr size_t kLongestLogLine = 140;
// In the private network of each app that asks for one, so that they do not
// meet.
constexpr uint32_t kPrivatePort = 8080;

std::string DigestCache(const std::string& home) {
  const std::string directory = absl::StrCat(home, "/.cache");
  // Where it cannot be made, nothing is remembered.
  mkdir(directory.c_str(), 0700);
  mkdir(absl::StrCat(directory, "/carme").c_str(), 0700);
  return absl::StrCat(directory, "/carme/digests");
}

}  // namespace

Workplace::Workplace(net::EventLoop& loop, const Clock& clock, JobId job,
                     JobFacts facts, JobPlan plan, Report report, Over over)
    : loop_(loop),
      clock_(clock),
      opened_(clock.Now()),
      job_(std::move(job)),
      facts_(std::move(facts)),
      plan_(std::move(plan)),
      over_(std::move(over)),
      apps_(loop, clock, plan_.apps, facts_.environment.directory,
            {.start = [this](const AppPlan& app,
                             uint64_t id) { return StartApp(app, id); },
             .signal =
                 [this](uint64_t id, int number) {
                   init_->Signal(id, number).IgnoreError();
                 },
             .report = std::move(report),
             .last_line =
                 [this](const std::string& app) { return LastLine(app); },
             .over =
                 [this](int exit_code, const std::string& detail) {
                   End(exit_code, detail);
                 }}) {}

Workplace::~Workplace() {
  if (check_.joinable()) check_.join();
  init_.reset();  // carme-init ends everything when it is gone
  if (environment_.has_value()) environment_->Signal(SIGKILL);
}

void Workplace::Open() {
  if (plan_.environment.runtime == Runtime::kNone) {
    return OnImageChecked(absl::OkStatus());
  }
  // On a thread: it reads the whole file when it is the first time.
  check_ = std::thread([this, cache = DigestCache(facts_.account.home)] {
    const absl::Status checked = CheckImageDigest(
        plan_.environment.image, plan_.environment.sha256, cache);
    loop_.Post([this, checked] { OnImageChecked(checked); });
  });
}

void Workplace::OnImageChecked(const absl::Status& status) {
  if (stopping_) return;
  const absl::Status entered = status.ok() ? Enter() : status;
  if (!entered.ok()) {
    LogError("the environment is not entered", {{"error", entered.ToString()}});
    End(1, std::string(entered.message()));
  }
}

absl::Status Workplace::Enter() {
  const std::string socket =
      absl::StrCat(facts_.environment.directory, "/init.sock");
  ASSIGN_OR_RETURN(
      init_, InitLink::Listen(
                 loop_, socket, [this](const auto& event) { OnEvent(event); },
                 [this] { OnGone(); }));
  ASSIGN_OR_RETURN(
      const std::vector<std::string> command,
      EnvironmentCommand(plan_.environment, facts_.environment, socket));
  ASSIGN_OR_RETURN(environment_,
                   node::ChildProcess::Start(
                       {.arguments = command,
                        .environment = RuntimeEnvironment(
                            plan_.environment, facts_.variables, facts_.account,
                            facts_.environment.directory),
                        .directory = "/",
                        .umask = facts_.umask}));
  return absl::OkStatus();
}

void Workplace::OnEvent(const carme::node::v1::Event& event) {
  if (event.has_up()) {
    OnEntered();
  } else if (event.has_started()) {
    apps_.OnStarted(event.started());
  } else if (event.has_ended()) {
    apps_.OnEnded(event.ended());
  }
}

void Workplace::OnEntered() {
  entered_ = true;
  LogInfo("environment entered",
          {{"image", plan_.environment.name},
           {"after_ms", absl::ToInt64Milliseconds(clock_.Now() - opened_)}});
  loop_.Spawn(StartOwnApp());
}

net::Task<void> Workplace::StartOwnApp() {
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
      .carme = ProgramsIn(plan_.environment, facts_.environment)};
  carme::node::v1::Start order;
  order.set_id(id);
  for (std::string& word : Substitute(app.command, places)) {
    order.add_arguments(std::move(word));
  }
  for (std::string& entry :
       AppEnvironment(plan_.environment, app, facts_.variables, facts_.account,
                      facts_.environment)) {
    order.add_environment(std::move(entry));
  }
  order.set_directory(facts_.account.home);
  order.set_umask(facts_.umask);
  if (WantsPort(app.command)) {
    order.set_private_port(kPrivatePort);
    order.set_bridge_socket(places.socket);
  }
  const absl::Status started =
      init_->Start(std::move(order), log.get(), log.get());
  logs_.Keep(app.id, std::move(log));
  return started;
}

std::string Workplace::LastLine(const std::string& app) const {
  const auto log = OpenAppLog(AppLogPath(facts_.account.home, job_, app));
  return log.ok() ? LastLineOf(log->get(), kLongestLogLine) : "";
}

net::Task<absl::StatusOr<std::string>> Workplace::Ensure(std::string app) {
  const absl::Time deadline = clock_.Now() + kPatience;
  while (!entered_) {
    if (stopping_ || over_said_) {
      co_return absl::CancelledError("the job is ending");
    }
    if (clock_.Now() > deadline) {
      co_return absl::DeadlineExceededError(
          "the environment is not entered yet");
    }
    if (co_await Pause(loop_, kLook) != 0) {
      co_return absl::CancelledError("the job is ending");
    }
  }
  co_return co_await apps_.Ensure(std::move(app));
}

void Workplace::OnChild() {
  if (!environment_.has_value() || over_said_) return;
  const std::optional<node::ProcessEnd> end = environment_->TakeEnd();
  if (!end.has_value() || stopping_) return;
  std::string detail =
      absl::StrCat("the environment ended with exit code ", end->exit_code);
  const std::string line = LastLineOf(STDERR_FILENO, kLongestLogLine);
  if (!line.empty()) absl::StrAppend(&detail, ": ", line);
  End(end->exit_code == 0 ? 1 : end->exit_code, detail);
}

// The process that made the environment ends a moment later, and knows how.
void Workplace::OnGone() { entered_ = false; }

void Workplace::Stop(int signal) {
  if (stopping_) return;
  stopping_ = true;
  if (!entered_) return End(128 + signal, "stopped");
  apps_.Stop(SIGTERM);
  loop_.Spawn(AwaitEnd(128 + signal));
}

net::Task<void> Workplace::AwaitEnd(int exit_code) {
  const absl::Time deadline = clock_.Now() + kGrace;
  while (apps_.AnyRuns() && clock_.Now() < deadline) {
    if (co_await Pause(loop_, kLook) != 0) co_return;
  }
  if (apps_.AnyRuns()) LogWarning("an app does not end: killed");
  End(exit_code, "stopped");
}

void Workplace::End(int exit_code, const std::string& detail) {
  if (std::exchange(over_said_, true)) return;
  over_(exit_code, detail);
}

}  // namespace carme::agent
