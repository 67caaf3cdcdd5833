// A carme-impersonator with a configuration, a socket and a log of its own,
// and ways to talk to it as anybody.
#ifndef CARME_TESTS_BACKEND_PRIVILEGED_IMPERSONATOR_PROCESS_H_
#define CARME_TESTS_BACKEND_PRIVILEGED_IMPERSONATOR_PROCESS_H_

#include <sys/types.h>

#include <functional>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "carme/privileged/v1/privileged.pb.h"
#include "common/unique_fd.h"
#include "tests/support/temp_dir.h"
#include "tests/support/wait_for.h"

namespace carme::impersonator {

inline constexpr uid_t kBackendUid = 64101;  // the user "carme" in the cluster

// Effective ids while it lives, as unix(7) shows them to a listener.
class AsUser {
 public:
  explicit AsUser(uid_t uid);
  ~AsUser();
};

class ImpersonatorProcess {
 public:
  // `settings` are lines of TOML instead of the test's own. The agent is
  // a script that prints who it is and its environment, then sleeps.
  struct Ways {
    std::string preload = {};  // a library for LD_PRELOAD
    bool hand_over = false;    // the socket, as systemd does
  };
  explicit ImpersonatorProcess(const std::string& settings = "")
      : ImpersonatorProcess(settings, Ways{}) {}
  ImpersonatorProcess(const std::string& settings, Ways ways);
  ~ImpersonatorProcess();

  // Kills it without warning, and starts another one.
  void KillAndRestart();
  // SIGTERM; its exit code.
  int Terminate();

  std::string socket() const { return dir_.File("run/socket"); }
  pid_t pid() const { return pid_; }
  std::string Log() const;
  // The audit lines of a request id, or all of them.
  std::vector<std::string> AuditLines(const std::string& request_id = "") const;

  // A connection of a process of `uid`.
  UniqueFd Connect(uid_t uid = kBackendUid,
                   const std::string& suffix = "") const;
  // Sends `bytes` as they are and reads one answer. Without an answer its
  // outcome is OUTCOME_UNSPECIFIED.
  privileged::v1::Response Exchange(
      const std::string& bytes, absl::Duration timeout = testing::kWaitTimeout,
      const std::string& suffix = "") const;
  privileged::v1::Response Ask(const privileged::v1::Request& request) const;
  // On the socket for storage.
  privileged::v1::Response ReadStorage(const std::string& user,
                                       uid_t uid) const;
  // With a new Carme job id.
  privileged::v1::Response Submit(const std::string& user, uid_t uid,
                                  std::string* carme_id = nullptr) const;

 private:
  void Start();
  void Stop(int signal);

  const Ways ways_;
  TempDir dir_;
  pid_t pid_ = -1;
};

// What a backend sends: the request, and for a submission its commit.
std::string BytesOf(const privileged::v1::Request& request);

// Ends every job of the cluster at the end of the scope.
struct EndJobs {
  ~EndJobs();
};

using testing::WaitFor;

// The standard output of a shell command.
std::string OutputOf(const std::string& command);

}  // namespace carme::impersonator

#endif  // CARME_TESTS_BACKEND_PRIVILEGED_IMPERSONATOR_PROCESS_H_
