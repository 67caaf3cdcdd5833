// The apps of a job: started when they are wanted, and again when they died.
//
//            wanted                 answers
//   stopped ───────► starting ───────────────► ready
//      ▲                │ ends                   │ ends
//      └────────────────┴──── or failed ◄────────┘  too often
//
// Thread rule: the loop's thread.
#ifndef CARME_SLURM_HOOKS_AGENT_APP_SET_H_
#define CARME_SLURM_HOOKS_AGENT_APP_SET_H_

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
#include "common/net/event_loop.h"
#include "common/net/task.h"
#include "slurm-hooks/agent/job_plan.h"
#include "slurm-hooks/process/child_process.h"

namespace carme::agent {

struct AppSetOptions {
  // For how long a connection waits until its app answers.
  absl::Duration patience = absl::Seconds(60);
  // An app that died more often than this within the window is left alone for
  // the rest.
  int most_deaths = 3;
  absl::Duration window = absl::Seconds(60);
  absl::Duration rest = absl::Seconds(30);
};

class AppSet {
 public:
  // What the set asks of its owner.
  struct Owner {
    // Has the app started under this id.
    std::function<absl::Status(const AppPlan&, uint64_t id)> start;
    std::function<void(uint64_t id, int signal)> signal;
    std::function<void(const std::string& app, carme::v1::AppState state,
                       const std::string& detail)>
        report;
    // The last line the app wrote; may be empty.
    std::function<std::string(const std::string& app)> last_line;
    // The job's own app is over and is not started again.
    std::function<void(int exit_code, const std::string& detail)> over;
  };

  // `loop` and `clock` must outlive this; the first app is the job's own.
  AppSet(net::EventLoop& loop, const Clock& clock, std::vector<AppPlan> apps,
         std::string directory, Owner owner, AppSetOptions options = {});

  // Starts the app where it does not run, and waits until it answers: the path
  // of its socket. NOT_FOUND: no such app; FAILED_PRECONDITION: it does not
  // start, or died too often, in words; DEADLINE_EXCEEDED; CANCELLED: the loop
  // stops.
  net::Task<absl::StatusOr<std::string>> Ensure(std::string app);

  // What carme-init says of an id.
  void OnStarted(const carme::node::v1::Started& started);
  void OnEnded(const carme::node::v1::Ended& ended);

  // Looks for the files that apps require, below `home` unless absolute, and
  // reports each app that has become available or unavailable since, but for
  // the job's own.
  void CheckRequiredFiles(const std::string& home);

  // From now on nothing is started; what runs is told to end.
  void Stop(int signal);
  bool AnyRuns() const;
  bool IsReady(const std::string& app) const;

  std::string SocketOf(const std::string& app) const;

 private:
  enum class State { kStopped, kStarting, kReady, kFailed };
  struct App {
    AppPlan plan;
    State state = State::kStopped;
    uint64_t id = 0;  // of the run; 0: it does not run
    bool was_ready = false;
    std::deque<absl::Time> deaths{};
    std::string detail{};
    // Why it cannot be opened: a file that it requires does not exist.
    std::string unavailable{};
  };
  App* Find(const std::string& id);
  App* FindRun(uint64_t run);
  bool IsOwn(const App& app) const { return &app == &apps_[0]; }
  absl::Status Begin(App* app);
  net::Task<void> AwaitAnswer(App* app, uint64_t run);
  void Fail(App* app, int exit_code, std::string detail);
  bool DiedTooOften(App* app);
  bool Rests(const App& app) const;

  net::EventLoop& loop_;
  const Clock& clock_;
  const std::string directory_;
  const Owner owner_;
  const AppSetOptions options_;
  std::vector<App> apps_;  // never changes its size
  uint64_t last_run_ = 0;
  bool stopping_ = false;
};

}  // namespace carme::agent

#endif  // CARME_SLURM_HOOKS_AGENT_APP_SET_H_
