// Hot restart: the old process starts the program again with the listening
// sockets, and stops accepting when the new process reports that it serves.
// Until then nothing changes, also when the new process fails.
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

// How this process was started. Create it first in main().
struct ExecImage {
  // `argv` as in main(). The program's path is that of this process's
  // executable, which may have been replaced by another version.
  static ExecImage Now(char** argv);
  std::string program;
  std::vector<std::string> arguments;  // the first is the program's name
};

// The new process, as the old one sees it.
class NewProxyProcess {
 public:
  // Starts the process with named `sockets`. It is not a child of this process:
  // the supervisor becomes its parent and notices when it exits later.
  static absl::StatusOr<std::unique_ptr<NewProxyProcess>> Start(
      const ExecImage& exec_image,
      const std::vector<std::pair<std::string, int>>& sockets);

  enum class Status { kNone, kReady, kFailed };
  // Does not block. kFailed: it has exited, or was killed after a timeout.
  Status Poll();
  void Kill();
  pid_t pid() const { return pid_; }

 private:
  explicit NewProxyProcess(UniqueFd pipe);
  const UniqueFd pipe_;
  const absl::Time deadline_;
  std::string received_;
  pid_t pid_ = 0;
};

// The old process, as the new one sees it.
class OldProxyProcess {
 public:
  // Reads and removes the environment variables of the old process. Call it
  // before the first thread.
  static OldProxyProcess Find();
  bool exists() const { return pipe_.valid(); }
  // Reports that this process serves.
  void NotifyReady();

 private:
  UniqueFd pipe_;
};

// Sends `state` to systemd if it started this process (sd_notify(3)), such as
// "READY=1". Errors are ignored.
void NotifySupervisor(const std::string& state);

}  // namespace carme::proxy

#endif  // CARME_PROXY_SERVER_HOT_RESTART_H_
