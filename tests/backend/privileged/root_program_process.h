// A root program with a configuration, a socket and a log of its own, and
// connections to it of processes of any user.
#ifndef CARME_TESTS_BACKEND_PRIVILEGED_ROOT_PROGRAM_PROCESS_H_
#define CARME_TESTS_BACKEND_PRIVILEGED_ROOT_PROGRAM_PROCESS_H_

#include <sys/types.h>

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "common/unique_fd.h"
#include "tests/support/temp_dir.h"
#include "tests/support/wait_for.h"

namespace carme::testing {

inline constexpr uid_t kBackendUid = 64101;  // the user "carme" in the cluster

// Effective ids while it lives, as unix(7) shows them to a listener.
class AsUser {
 public:
  explicit AsUser(uid_t uid);
  ~AsUser();
};

// The same of the calling thread alone: requests to Slurm of other threads,
// such as a watcher's, keep the ids with which their responses can be decoded.
class ThreadAsUser {
 public:
  explicit ThreadAsUser(uid_t uid);
  ~ThreadAsUser();
};

// The standard output of a shell command.
std::string OutputOf(const std::string& command);

class RootProgramProcess {
 public:
  struct Ways {
    std::string preload = {};  // a library for LD_PRELOAD
    bool hand_over = false;    // the socket, as systemd does
  };

  // Kills it without warning, and starts another one.
  void KillAndRestart();
  // SIGTERM; its exit code.
  int Terminate();

  std::string socket() const { return dir_.File("run/socket"); }
  std::string config() const { return dir_.File("config"); }
  pid_t pid() const { return pid_; }
  std::string Log() const;
  // The audit lines of a request id, or all of them.
  std::vector<std::string> AuditLines(const std::string& request_id = "") const;

  // A connection of a process of `uid`.
  UniqueFd Connect(uid_t uid = kBackendUid) const;
  // Sends `bytes` as they are, as the backend's user, and reads one frame. The
  // errors are those of ReadFrame().
  absl::StatusOr<std::string> ExchangeBytes(const std::string& bytes,
                                            absl::Duration timeout) const;

 protected:
  RootProgramProcess(std::string program, Ways ways);
  ~RootProgramProcess();
  const TempDir& dir() const { return dir_; }
  // Writes the configuration: `settings`, and in front of it each line of
  // `defaults` whose key `settings` lacks. Then starts the program.
  void Start(const std::string& settings,
             const std::vector<std::string>& defaults);

 private:
  void StartProgram();
  void Stop(int signal);

  const std::string program_;
  const Ways ways_;
  TempDir dir_;
  pid_t pid_ = -1;
};

}  // namespace carme::testing

#endif  // CARME_TESTS_BACKEND_PRIVILEGED_ROOT_PROGRAM_PROCESS_H_
