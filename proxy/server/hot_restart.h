// One process of the proxy takes over from another: the old one starts the
// program anew with the listening sockets, and stops to accept once the new one
// has said that it serves. Until then, and when it never says so, nothing has
// changed.
#ifndef CARME_PROXY_SERVER_HOT_RESTART_H_
#define CARME_PROXY_SERVER_HOT_RESTART_H_

#include <sys/types.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "common/unique_fd.h"

namespace carme::proxy {

// What this process was started with, to be started again. Make it first.
struct ExecImage {
  // `argv` as main has it. The program's path is that of this process's file,
  // which may be another program by the time it is started.
  static ExecImage Now(char** argv);
  std::string program;
  std::vector<std::string> arguments;  // the first is the program's name
};

// The process that takes over, as the old one sees it.
class ChildProcess {
 public:
  // Starts it with `sockets`, of which each has a name. No child of this
  // process: whoever supervises it becomes its parent, so that its end is seen
  // when this one is gone.
  static absl::StatusOr<std::unique_ptr<ChildProcess>> Start(
      const ExecImage& how,
      const std::vector<std::pair<std::string, int>>& sockets);

  enum class Status { kNone, kReady, kFailed };
  // Does not block. kFailed: it has ended, or took too long and was killed.
  Status Poll();
  void Kill();
  pid_t pid() const { return pid_; }

 private:
  explicit ChildProcess(UniqueFd pipe);
  const UniqueFd pipe_;
  const absl::Time deadline_;
  std::string received_;
  pid_t pid_ = 0;
};

// The old process, as the one that takes over sees it.
class ParentProcess {
 public:
  // From the environment, which is cleaned of it. Before the first thread.
  static ParentProcess Find();
  bool exists() const { return pipe_.valid(); }
  // This process serves.
  void NotifyReady();

 private:
  UniqueFd pipe_;
};

// Tells systemd, if that has started us (sd_notify(3)): "READY=1". Nothing
// depends on it here.
void NotifySupervisor(const std::string& state);

}  // namespace carme::proxy

#endif  // CARME_PROXY_SERVER_HOT_RESTART_H_
