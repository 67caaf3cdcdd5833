// Starts the apps of a job when they are requested, and restarts them when they
// die.
//
//                        requested             answers
//   stopped ───────► starting ───────────────► ready
//      ▲                │ ends                   │ ends
//      └────────────────┴──── or failed ◄────────┘  too often
//
// Thread safety: used on the loop's thread only.
#ifndef CARME_SLURM_HOOKS_AGENT_RUNTIME_APP_SET_H_
#define CARME_SLURM_HOOKS_AGENT_RUNTIME_APP_SET_H_

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "carme/node/v1/init.pb.h"
#include "carme/v1/agent.pb.h"
#include "common/clock.h"
#include "common/display_text.h"
#include "common/net/event_loop.h"
#include "common/net/task.h"
#include "slurm-hooks/agent/job/job_plan.h"
#include "slurm-hooks/child_process/child_process.h"

namespace carme::agent {

struct AppSetOptions {
  // How long Ensure waits until the app answers.
  absl::Duration timeout = absl::Seconds(60);
  // After more than `max_deaths` deaths within `window`, an app is not
  // restarted for `rest`.
  int max_deaths = 3;
  absl::Duration window = absl::Seconds(60);
  absl::Duration rest = absl::Seconds(30);
};

class AppSet {
 public:
  // Callbacks to the owner.
  struct Owner {
    // Starts the app under this id.
    std::function<absl::Status(const AppPlan&, uint64_t id)> start;
    std::function<void(uint64_t id, int signal)> signal;
    std::function<void(const std::string& app, carme::v1::AppState state,
                       const DisplayText& detail)>
        report;
    // Returns the last line of the app's log; may be empty.
    std::function<std::string(const std::string& app)> last_line;
    // The first app has ended and is not restarted.
    std::function<void(int exit_code, const DisplayText& detail)> over;
  };

  // `loop` and `clock` must outlive this. The first app is the one that the job
  // was started for.
  AppSet(net::EventLoop& loop, const Clock& clock, std::vector<AppPlan> apps,
         std::string directory, Owner owner, AppSetOptions options = {});

  // Starts the app if it is not running, and waits until it answers. Returns
  // the path of its socket. NOT_FOUND: unknown app; FAILED_PRECONDITION: it
  // cannot start, or died too often, with a message for the user;
  // DEADLINE_EXCEEDED; CANCELLED: the loop stops.
  net::Task<absl::StatusOr<std::string>> Ensure(std::string app);

  // Events of carme-init.
  void OnStarted(const carme::node::v1::ProgramStarted& started);
  void OnEnded(const carme::node::v1::ProgramEnded& ended);

  // Checks the files that apps require, relative to `home` unless absolute, and
  // reports each app that became available or unavailable, except the first
  // one.
  void CheckRequiredFiles(const std::string& home);

  // Sends `signal` to all apps. After this call nothing is started.
  void Stop(int signal);
  bool AnyRuns() const;
  bool IsReady(const std::string& app) const;

  std::string SocketOf(const std::string& app) const;

 private:
  enum class State { kStopped, kStarting, kReady, kFailed };
  struct App {
    AppPlan plan;
    State state = State::kStopped;
    uint64_t id = 0;  // of the current run; 0: not running
    bool was_ready = false;
    std::deque<absl::Time> deaths{};
    DisplayText detail{};
    // Why the app cannot be opened: a required file is missing or not
    // executable.
    DisplayText unavailable{};
  };
  App* Find(const std::string& id);
  App* FindRun(uint64_t run);
  bool IsOwn(const App& app) const { return &app == &apps_[0]; }
  absl::Status Begin(App* app);
  net::Task<void> AwaitAnswer(App* app, uint64_t run);
  void Fail(App* app, int exit_code, DisplayText detail);
  bool DiedTooOften(App* app);
  bool Rests(const App& app) const;

  net::EventLoop& loop_;
  const Clock& clock_;
  const std::string directory_;
  const Owner owner_;
  const AppSetOptions options_;
  std::vector<App> apps_;  // the size never changes
  uint64_t last_run_ = 0;
  bool stopping_ = false;
};

}  // namespace carme::agent

#endif  // CARME_SLURM_HOOKS_AGENT_RUNTIME_APP_SET_H_
