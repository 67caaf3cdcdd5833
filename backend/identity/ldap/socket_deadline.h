// Ends a blocking call on a socket that somebody else's code is in, by closing
// the socket under it. Debian's libldap has no bound of its own on the TLS
// handshake: against a server that stays silent it turns in circles for ever.
#ifndef CARME_BACKEND_IDENTITY_LDAP_SOCKET_DEADLINE_H_
#define CARME_BACKEND_IDENTITY_LDAP_SOCKET_DEADLINE_H_

#include <thread>

#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "common/unique_fd.h"

namespace carme::backend {

// Thread-safe; has a thread of its own from the first Watch on.
class SocketDeadline {
 public:
  SocketDeadline() = default;
  SocketDeadline(const SocketDeadline&) = delete;
  SocketDeadline& operator=(const SocketDeadline&) = delete;
  ~SocketDeadline();

  // Keeps a duplicate: the number may be closed and used again meanwhile.
  void Watch(int fd) ABSL_LOCKS_EXCLUDED(mutex_);
  // From then on the socket is dead, whoever has it.
  void Set(absl::Time deadline) ABSL_LOCKS_EXCLUDED(mutex_);
  void Clear() { Set(absl::InfiniteFuture()); }

 private:
  void Run() ABSL_LOCKS_EXCLUDED(mutex_);
  absl::Mutex mutex_;
  absl::CondVar changed_;
  UniqueFd socket_ ABSL_GUARDED_BY(mutex_);
  absl::Time deadline_ ABSL_GUARDED_BY(mutex_) = absl::InfiniteFuture();
  bool over_ ABSL_GUARDED_BY(mutex_) = false;
  std::thread thread_;
};

// While one exists the socket has a deadline: `timeout`, and a little more, so
// that whoever uses the socket may give up first.
class DeadlineScope {
 public:
  DeadlineScope(SocketDeadline& deadline, absl::Duration timeout);
  DeadlineScope(const DeadlineScope&) = delete;
  DeadlineScope& operator=(const DeadlineScope&) = delete;
  ~DeadlineScope() { deadline_.Clear(); }

 private:
  SocketDeadline& deadline_;
};

}  // namespace carme::backend

#endif  // CARME_BACKEND_IDENTITY_LDAP_SOCKET_DEADLINE_H_
