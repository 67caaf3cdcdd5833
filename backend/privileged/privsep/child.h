// A child process that does one thing within a time limit.
#ifndef CARME_BACKEND_PRIVILEGED_PRIVSEP_CHILD_H_
#define CARME_BACKEND_PRIVILEGED_PRIVSEP_CHILD_H_

#include <sys/types.h>

#include <functional>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "common/unique_fd.h"

namespace carme {

inline constexpr size_t kMaxReportBytes = 72 * 1024;
inline constexpr size_t kMaxRequestBytes = 1024 * 1024;

// The child's end of the socket pair between parent and child.
class ChildPipe {
 public:
  explicit ChildPipe(int fd) : fd_(fd) {}
  int fd() const { return fd_; }
  // Blocks until the parent has sent the request. Empty: the parent is gone, or
  // the request is invalid.
  std::string AwaitRequest();
  // Reports that the policy allows the operation.
  void Permit();
  // Blocks until the parent commits, which it does at most once. False: it
  // never will.
  bool AwaitCommit();
  // AwaitCommit(), and reports that the operation has begun: if no response
  // follows, its effect is unknown.
  bool Begin();
  // Call once, at the end. Truncates at kMaxReportBytes.
  void Respond(std::string_view bytes);
  // Closes all descriptors except this socket and the three standard ones.
  void CloseOthers() const;

 private:
  int fd_;
  bool may_commit_ = false;
};

// Call in a child: the kernel kills it when `parent` ends; _exits if the parent
// has ended already. The kernel clears this when the user id changes, so call
// it again afterwards: prctl(2), PR_SET_PDEATHSIG.
void DieWithParent(pid_t parent);

struct ChildReport {
  bool permitted = false;  // Permit() was called
  bool begun = false;      // Begin() returned true
  bool responded = false;  // Respond() was called
  std::string response;
  std::string end;  // if not responded: "timed out", "killed by signal 9"
};

// Parses what a child has sent so far.
ChildReport ReadReport(std::string_view bytes);

// The parent's side. REQUIRES: one thread; SIGCHLD is not ignored.
class Child {
 public:
  // Forks. The child calls `run` and then _exits without running destructors.
  // RESOURCE_EXHAUSTED, UNAVAILABLE: no child was started.
  static absl::StatusOr<Child> Start(
      const std::function<void(ChildPipe*)>& run);
  Child(Child&& other) noexcept;
  Child& operator=(Child&&) = delete;
  // Kills the child, also after it has responded, and waits for its end.
  ~Child();

  int fd() const {
    return pipe_.get();
  }  // readable: data, or the child is dead
  // Call once, before Commit(). A dead child is not an error, here and below.
  // REQUIRES: 1 to kMaxRequestBytes.
  void SendRequest(std::string_view bytes);
  // Lets a child continue that is in Begin() or will call it.
  void Commit();
  // As Await(), but returns as soon as the child has called Permit().
  ChildReport AwaitPermission(absl::Time deadline);
  // Blocks until the response is complete, the child is dead, or `deadline`.
  // Does not wait for the end of a child that has responded.
  ChildReport Await(absl::Time deadline);

 private:
  Child(pid_t pid, UniqueFd process, UniqueFd pipe);
  // Blocks until `is_enough` returns true, or as Await().
  ChildReport AwaitUntil(absl::Time deadline,
                         bool (*is_enough)(const ChildReport&));
  // Kills the child unless it has ended by `deadline`. Returns the status of
  // waitpid(2). Does not wait for a child that must not be killed.
  int Reap(absl::Time deadline);

  pid_t pid_;
  UniqueFd process_;  // pidfd_open(2): signals cannot reach a recycled pid
  UniqueFd pipe_;
  std::string received_;
};

}  // namespace carme

#endif  // CARME_BACKEND_PRIVILEGED_PRIVSEP_CHILD_H_
