// A child that does one thing within a time, and is then gone.
#ifndef CARME_BACKEND_PRIVILEGED_CHILD_H_
#define CARME_BACKEND_PRIVILEGED_CHILD_H_

#include <functional>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "absl/time/time.h"

namespace carme {

// The child's end of the pipe to its parent.
class ChildPipe {
 public:
  explicit ChildPipe(int fd) : fd_(fd) {}
  int fd() const { return fd_; }
  // From here on the world may have changed: without an answer it is not
  // known whether it has.
  void Begin();
  // Once, at the end; at most kMostAnswerBytes.
  void Answer(std::string_view bytes);

 private:
  int fd_;
};

inline constexpr size_t kMostAnswerBytes = 16 * 1024;

struct ChildReport {
  bool begun = false;     // Begin() was called
  bool answered = false;  // Answer() was called and the child ended well
  std::string answer;
  std::string end;  // when not answered: "timed out", "killed by signal 9"
};

// Forks; the child calls `act` and ends without running any destructor. Kills
// it at `deadline`; blocks until it has been reaped.
// RESOURCE_EXHAUSTED, UNAVAILABLE: there is no child; nothing was done.
// REQUIRES: one thread; SIGCHLD is not ignored.
absl::StatusOr<ChildReport> RunInChild(
    absl::Time deadline, const std::function<void(ChildPipe*)>& act);

}  // namespace carme

#endif  // CARME_BACKEND_PRIVILEGED_CHILD_H_
