#include "slurm-hooks/agent/runtime/app_set.h"

#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/log.h"
#include "common/net/socket.h"
#include "common/protobuf/message_error.h"
#include "common/status.h"
#include "slurm-hooks/agent/environment/app_command.h"
#include "slurm-hooks/agent/job/backoff.h"
#include "slurm-hooks/agent/job/messages.h"
#include "slurm-hooks/agent/job/status_line.h"
#include "slurm-hooks/agent/runtime/messages.h"

namespace carme::agent {
namespace {

struct ReadinessProbe {
  std::string socket;
  std::string path;  // begins with "/"
  std::string host;  // of the request: apps refuse unknown hosts
};

// A probe of a missing socket takes microseconds, and a user is waiting.
constexpr absl::Duration kShortPause = absl::Milliseconds(20);
constexpr int kShortPauses = 500;  // ten seconds
constexpr absl::Duration kLongPause = absl::Milliseconds(250);
constexpr absl::Duration kConnectTimeout = absl::Seconds(2);
// An app that accepted the connection may still be starting.
constexpr absl::Duration kAnswerTimeout = absl::Seconds(30);

net::Task<std::optional<int>> Ask(net::EventLoop& loop,
                                  const ReadinessProbe& probe) {
  const auto address = net::Address::FromPath(probe.socket);
  if (!address.ok()) co_return std::nullopt;
  auto connected = co_await net::Connect(loop, *address, kConnectTimeout);
  if (!connected.ok()) co_return std::nullopt;
  auto stream = net::NewSocketStream(loop, *std::move(connected));
  if (!stream.ok()) co_return std::nullopt;
  (*stream)->ExpireAfter(kAnswerTimeout);
  const net::IoResult put = co_await (*stream)->Write(
      absl::StrCat("GET ", probe.path, " HTTP/1.1\r\nHost: ", probe.host,
                   "\r\nConnection: close\r\n\r\n"));
  if (put.error != 0) co_return std::nullopt;
  std::string answer;
  while (answer.size() < kStatusLineBytes) {
    char buffer[kStatusLineBytes];
    const net::IoResult got = co_await (*stream)->Read(buffer, sizeof buffer);
    if (got.error != 0 || got.bytes == 0) co_return std::nullopt;
    answer.append(buffer, got.bytes);
  }
  co_return ReadStatusCode(answer);
}

// Sends GET requests until a response has a status below 500: every 20 ms for
// ten seconds, then every 250 ms. Returns false when the loop stops or `runs`
// returns false. There is no timeout: the user decides when a slow app is too
// slow.
net::Task<bool> AwaitReady(net::EventLoop& loop, ReadinessProbe probe,
                           std::function<bool()> runs) {
  for (int asked = 0;; ++asked) {
    const int error =
        co_await Pause(loop, asked < kShortPauses ? kShortPause : kLongPause);
    if (error != 0 || !runs()) co_return false;
    const std::optional<int> code = co_await Ask(loop, probe);
    if (code.has_value() && *code < 500) co_return true;
  }
}

constexpr absl::Duration kReadinessInterval = absl::Milliseconds(20);

DisplayText Describe(const carme::node::v1::ProgramEnded& end) {
  if (end.signal() != 0) {
    return MakeText(
        agent_runtime_messages::kAppEndedBySignal,
        {{"signal", end.signal()}, {"name", strsignal(end.signal())}});
  }
  return MakeText(agent_runtime_messages::kAppEnded,
                  {{"exit_code", end.exit_code()}});
}

}  // namespace

AppSet::AppSet(net::EventLoop& loop, const Clock& clock,
               std::vector<AppPlan> apps, std::string directory, Owner owner,
               AppSetOptions options)
    : loop_(loop),
      clock_(clock),
      directory_(std::move(directory)),
      owner_(std::move(owner)),
      options_(options) {
  for (AppPlan& plan : apps) apps_.push_back({.plan = std::move(plan)});
}

AppSet::App* AppSet::Find(const std::string& id) {
  for (App& app : apps_) {
    if (app.plan.id == id) return &app;
  }
  return nullptr;
}

AppSet::App* AppSet::FindRun(uint64_t run) {
  for (App& app : apps_) {
    if (run != 0 && app.id == run) return &app;
  }
  return nullptr;
}

std::string AppSet::SocketOf(const std::string& app) const {
  return absl::StrCat(directory_, "/", app, ".sock");
}

net::Task<absl::StatusOr<std::string>> AppSet::Ensure(std::string id) {
  App* const app = Find(id);
  if (app == nullptr) {
    co_return MakePlainError(agent_runtime_messages::kNoApp, {{"app", id}});
  }
  const absl::Time deadline = clock_.Now() + options_.timeout;
  for (bool begun = false; app->state != State::kReady; begun = true) {
    if (stopping_) co_return absl::CancelledError("the job is ending");
    if (!app->unavailable.empty()) {
      co_return absl::FailedPreconditionError(app->unavailable.text);
    }
    const bool runs = app->state == State::kStarting;
    // A caller that waited for a start that failed gets the reason. It must not
    // start the app again.
    if (!runs && (begun || Rests(*app))) {
      co_return absl::FailedPreconditionError(app->detail.text);
    }
    if (!runs) {
      const absl::Status started = Begin(app);
      if (!started.ok()) co_return started;
    }
    if (clock_.Now() > deadline) {
      co_return MakePlainError(agent_runtime_messages::kAppDoesNotRespond,
                               {{"app", id}});
    }
    if (co_await Pause(loop_, kReadinessInterval) != 0) {
      co_return absl::CancelledError("the job is ending");
    }
  }
  co_return SocketOf(id);
}

absl::Status AppSet::Begin(App* app) {
  unlink(SocketOf(app->plan.id).c_str());  // of the previous run
  app->id = ++last_run_;
  app->state = State::kStarting;
  app->detail.clear();
  const absl::Status started = owner_.start(app->plan, app->id);
  if (!started.ok()) {
    Fail(app, 1, TextOfStatus(started));
    return started;
  }
  LogInfo("app starting", {{"app", app->plan.id}});
  owner_.report(app->plan.id, carme::v1::APP_STATE_STARTING, "");
  loop_.Spawn(AwaitAnswer(app, app->id));
  return absl::OkStatus();
}

net::Task<void> AppSet::AwaitAnswer(App* app, uint64_t run) {
  const absl::Time started = clock_.Now();
  // Named, because GCC 12 destroys braced temporaries of a co_await twice.
  ReadinessProbe probe;
  probe.socket = SocketOf(app->plan.id);
  probe.path = PathAt(app->plan, app->plan.ready_path);
  probe.host = app->plan.public_host;
  std::function<bool()> runs = [app, run] { return app->id == run; };
  const bool answered =
      co_await AwaitReady(loop_, std::move(probe), std::move(runs));
  if (!answered || app->id != run || stopping_) co_return;
  app->state = State::kReady;
  app->was_ready = true;
  LogInfo("app ready",
          {{"app", app->plan.id},
           {"after_ms", absl::ToInt64Milliseconds(clock_.Now() - started)}});
  owner_.report(app->plan.id, carme::v1::APP_STATE_READY, "");
}

void AppSet::CheckRequiredFiles(const std::string& home) {
  for (App& app : apps_) {
    const std::string& file = app.plan.requires_file;
    // If the first app cannot start, the job ends with the reason.
    if (file.empty() || app.id != 0 || IsOwn(app)) continue;
    const std::string path =
        file[0] == '/' ? file : absl::StrCat(home, "/", file);
    const bool was_available = app.unavailable.empty();
    if (access(path.c_str(), X_OK) == 0) {
      app.unavailable.clear();
    } else {
      app.unavailable =
          errno == EACCES ? MakeText(agent_runtime_messages::kAppNotExecutable,
                                     {{"path", path}})
                          : MakeText(agent_runtime_messages::kAppNotInstalled,
                                     {{"path", path}});
    }
    const bool is_available = app.unavailable.empty();
    if (is_available == was_available) continue;
    owner_.report(app.plan.id,
                  is_available ? carme::v1::APP_STATE_ENDED
                               : carme::v1::APP_STATE_UNAVAILABLE,
                  app.unavailable);
  }
}

void AppSet::OnStarted(const carme::node::v1::ProgramStarted& started) {
  App* const app = FindRun(started.id());
  if (app == nullptr || started.error().empty()) return;
  Fail(app, 127, started.error());
}

void AppSet::OnEnded(const carme::node::v1::ProgramEnded& ended) {
  App* const app = FindRun(ended.id());
  if (app == nullptr) return;
  const bool by_itself = !stopping_ && ended.exit_code() == 0;
  DisplayText detail =
      stopping_ ? MakeText(agent_runtime_messages::kStopped) : Describe(ended);
  if (!stopping_ && !by_itself) {
    const std::string line = owner_.last_line(app->plan.id);
    if (!line.empty()) {
      detail = MakeText(agent_job_messages::kWithLastLine,
                        {{"end", detail}, {"line", line}});
    }
  }
  LogInfo("app ended", {{"app", app->plan.id},
                        {"exit_code", ended.exit_code()},
                        {"signal", ended.signal()}});
  Fail(app, ended.exit_code(), std::move(detail));
}

void AppSet::Fail(App* app, int exit_code, DisplayText detail) {
  app->id = 0;
  app->state = exit_code == 0 ? State::kStopped : State::kFailed;
  app->detail = detail;
  if (stopping_) return;
  const bool too_often = exit_code != 0 && DiedTooOften(app);
  if (IsOwn(*app) && (exit_code == 0 || !app->was_ready)) {
    return owner_.over(exit_code, detail);
  }
  owner_.report(
      app->plan.id,
      exit_code == 0 ? carme::v1::APP_STATE_ENDED : carme::v1::APP_STATE_FAILED,
      detail);
  if (too_often) {
    LogWarning("app not restarted: it died too often", {{"app", app->plan.id}});
  }
  // Other apps are restarted by the next request.
  if (IsOwn(*app) && !too_often) Begin(app).IgnoreError();
}

bool AppSet::DiedTooOften(App* app) {
  const absl::Time now = clock_.Now();
  app->deaths.push_back(now);
  while (app->deaths.front() < now - options_.window) app->deaths.pop_front();
  return app->deaths.size() > static_cast<size_t>(options_.max_deaths);
}

bool AppSet::Rests(const App& app) const {
  return app.state == State::kFailed &&
         app.deaths.size() > static_cast<size_t>(options_.max_deaths) &&
         clock_.Now() < app.deaths.back() + options_.rest;
}

void AppSet::Stop(int signal) {
  stopping_ = true;
  for (const App& app : apps_) {
    if (app.id != 0) owner_.signal(app.id, signal);
  }
}

bool AppSet::IsReady(const std::string& id) const {
  for (const App& app : apps_) {
    if (app.plan.id == id) return app.state == State::kReady;
  }
  return false;
}

bool AppSet::AnyRuns() const {
  for (const App& app : apps_) {
    if (app.id != 0) return true;
  }
  return false;
}

}  // namespace carme::agent
