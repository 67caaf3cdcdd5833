// The root process of a program: forks a process for each connection, and reaps
// those that have served.
#ifndef CARME_BACKEND_PRIVILEGED_SERVER_FORK_SERVER_H_
#define CARME_BACKEND_PRIVILEGED_SERVER_FORK_SERVER_H_

#include <sys/types.h>

#include <functional>
#include <set>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "common/unique_fd.h"

namespace carme {

// What a forked process gets from the server.
struct ForkedProcess {
  int socket;          // listening, non-blocking
  int accepted_pipe;   // the process writes its pid here when it has accepted
  pid_t server;        // the process dies with it while it waits
  bool after_failure;  // the process that waited before it has died
};

// Exit code of a waiting process that another one must replace: no failure.
inline constexpr int kReplaceProcess = 3;

// Must stay single-threaded, because it forks. Accepts no connection and reads
// no byte from outside. At most one process waits for a connection.
class ForkServer {
 public:
  enum class ForkTime {
    kInAdvance,     // one process always waits, so that no request waits for it
    kOnConnection,  // no process exists at rest
  };
  struct Options {
    ForkTime fork_time = ForkTime::kInAdvance;
    // Processes at a time, 1 or more; more connections wait in the socket's
    // queue.
    int max_processes = 1;
    // How long Run() waits at its end for the processes that serve.
    absl::Duration drain_timeout{};
    // Runs in each forked process, whose SIGTERM is blocked, and must not
    // return: AcceptConnection() and what follows.
    std::function<void(const ForkedProcess&)> run_process;
  };
  ForkServer(Options options, UniqueFd socket);
  // Serves until SIGTERM or SIGINT, then waits for running requests.
  // REQUIRES: BlockStopSignals().
  absl::Status Run();

 private:
  absl::Status Open();
  void ForkIfNeeded();
  bool MayFork() const;
  // Blocks until there is something to do.
  void Sleep() const;
  void ReadAccepted();
  void Reap();
  void Drain();

  const Options options_;
  UniqueFd socket_;
  UniqueFd signals_;
  // The pipe of ForkedProcess::accepted_pipe.
  UniqueFd accepted_read_, accepted_write_;
  std::set<pid_t> children_;
  pid_t waiting_ = -1;  // one of children_ that has no connection yet
  bool after_failure_ = false;
  absl::Time next_fork_at_ = absl::InfinitePast();  // after a failure
  // Until then nothing is forked unless a connection waits: a fork would take
  // time from the request that has just begun.
  absl::Time fork_backoff_until_ = absl::InfinitePast();
};

}  // namespace carme

#endif  // CARME_BACKEND_PRIVILEGED_SERVER_FORK_SERVER_H_
