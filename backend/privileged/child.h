// A child that does one thing within a time, and is then gone.
#ifndef CARME_BACKEND_PRIVILEGED_CHILD_H_
#define CARME_BACKEND_PRIVILEGED_CHILD_H_

#include <sys/types.h>

#include <functional>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "common/unique_fd.h"

namespace carme::impersonator {

inline constexpr size_t kMostAnswerBytes = 72 * 1024;
inline constexpr size_t kMostOrderBytes = 1024 * 1024;

// The child's end of the line to its parent.
class ChildPipe {
 public:
  explicit ChildPipe(int fd) : fd_(fd) {}
  int fd() const { return fd_; }
  // Blocks until the parent has said what to do. Empty: it never will.
  std::string AwaitOrder();
  // The policy lets it act.
  void Permit();
  // Blocks until the parent says go, which it does once; false: it never will.
  bool AwaitGo();
  // The same; from here on the world may have changed: without an answer it is
  // not known whether it has.
  bool Begin();
  // Once, at the end; what is beyond kMostAnswerBytes is cut off.
  void Answer(std::string_view bytes);
  // Keeps this line and the three standard descriptors, and nothing else.
  void CloseOthers() const;

 private:
  int fd_;
  bool may_go_ = false;
};

// In a child: it is killed when `parent` ends, and ends now if it has. To be
// called again when its user id has changed: prctl(2), PR_SET_PDEATHSIG.
void DieWith(pid_t parent);

struct ChildReport {
  bool permitted = false;  // Permit() was called
  bool begun = false;      // Begin() returned true
  bool answered = false;   // Answer() was called
  std::string answer;
  std::string end;  // when not answered: "timed out", "killed by signal 9"
};

// What a child has said so far, of the bytes that it sent.
ChildReport ReadReport(std::string_view bytes);

// The parent's side. REQUIRES: one thread; SIGCHLD is not ignored.
class Child {
 public:
  // Forks; the child calls `act` and ends without running any destructor.
  // RESOURCE_EXHAUSTED, UNAVAILABLE: there is no child; nothing was done.
  static absl::StatusOr<Child> Start(
      const std::function<void(ChildPipe*)>& act);
  Child(Child&& other) noexcept;
  Child& operator=(Child&&) = delete;
  // Kills what is left of it, and waits until it is gone: after an answer too,
  // since a child has nothing more to do and may not linger.
  ~Child();

  int fd() const { return pipe_.get(); }  // readable: it spoke, or is dead
  // Once, and before Go(): for one that waits in AwaitOrder(). One that is dead
  // is no error here and below. REQUIRES: 1 to kMostOrderBytes.
  void Order(std::string_view bytes);
  // Lets one that is in Begin(), or will be, go on.
  void Go();
  // As Await(), but returns as soon as it has called Permit().
  ChildReport AwaitPermission(absl::Time deadline);
  // Blocks until the answer is complete, the child is dead, or `deadline`. Does
  // not wait for the end of a child that has answered.
  ChildReport Await(absl::Time deadline);

 private:
  Child(pid_t pid, UniqueFd process, UniqueFd pipe);
  // Until `enough` of what it said, or as Await().
  ChildReport AwaitUntil(absl::Time deadline,
                         bool (*enough)(const ChildReport&));
  // Kills it unless it has ended by `deadline`; its status, as waitpid(2) gives
  // it. Does not wait for one that may not be killed.
  int Reap(absl::Time deadline);

  pid_t pid_;
  UniqueFd process_;  // pidfd_open(2): signals go to this process, or nowhere
  UniqueFd pipe_;
  std::string heard_;
};

}  // namespace carme::impersonator

#endif  // CARME_BACKEND_PRIVILEGED_CHILD_H_
