// Ends a blocking call of a library on a socket by shutting the socket down.
// Debian's libldap has no time-out for the TLS handshake: it waits forever for
// a server that does not respond.
#ifndef CARME_BACKEND_IDENTITY_LDAP_SOCKET_DEADLINE_H_
#define CARME_BACKEND_IDENTITY_LDAP_SOCKET_DEADLINE_H_

#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "common/concurrency/background_thread.h"
#include "common/unique_fd.h"

namespace carme::backend {

// Thread-safe; starts a thread at the first Watch.
class SocketDeadline {
 public:
  SocketDeadline() = default;
  SocketDeadline(const SocketDeadline&) = delete;
  SocketDeadline& operator=(const SocketDeadline&) = delete;

  // Duplicates the descriptor, whose number may be closed and reused.
  void Watch(int fd) ABSL_LOCKS_EXCLUDED(mutex_);
  // At the deadline the socket is shut down.
  void Set(absl::Time deadline) ABSL_LOCKS_EXCLUDED(mutex_);
  void Clear() { Set(absl::InfiniteFuture()); }

 private:
  // Shuts the socket down if the deadline has passed, or returns the time left.
  absl::Duration CheckDeadline() ABSL_LOCKS_EXCLUDED(mutex_);

  absl::Mutex mutex_;
  UniqueFd socket_ ABSL_GUARDED_BY(mutex_);
  absl::Time deadline_ ABSL_GUARDED_BY(mutex_) = absl::InfiniteFuture();
  BackgroundThread thread_;  // last: uses the other members
};

// Sets a deadline for its lifetime: `timeout` and a margin, so that the user of
// the socket can time out first.
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
