// Receives the ends of sessions from the identity backend, and reconnects after
// errors. Runs on threads of its own.
#ifndef CARME_BACKEND_CLUSTERS_ENDED_SESSION_WATCHER_H_
#define CARME_BACKEND_CLUSTERS_ENDED_SESSION_WATCHER_H_

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "backend/clusters/assertion_authenticator.h"
#include "backend/clusters/clusters_config.h"
#include "common/clock.h"
#include "common/concurrency/background_thread.h"
#include "common/pki/expiry.h"

namespace grpc {
class ClientContext;
}  // namespace grpc

namespace carme::backend {

class EndedSessionWatcher {
 public:
  // After this time without a message the stream is restarted. The identity
  // backend sends one every 10 s.
  static constexpr absl::Duration kMaxSilence = absl::Seconds(30);

  // Starts. All must outlive the object. Logs a certificate that expires within
  // `expiry_warn_days`.
  EndedSessionWatcher(const IdentityBackend* identity_backend,
                      AssertionAuthenticator* authenticator, const Clock* clock,
                      int expiry_warn_days);
  // Ends the stream and joins the threads.
  ~EndedSessionWatcher();
  EndedSessionWatcher(const EndedSessionWatcher&) = delete;
  EndedSessionWatcher& operator=(const EndedSessionWatcher&) = delete;

 private:
  // Watches one stream to its end; returns the time until the next.
  absl::Duration WatchNext();
  absl::Status WatchOnce() ABSL_LOCKS_EXCLUDED(mutex_);
  void CancelSilentStream() ABSL_LOCKS_EXCLUDED(mutex_);
  void CancelStream() ABSL_LOCKS_EXCLUDED(mutex_);

  const IdentityBackend& identity_backend_;
  AssertionAuthenticator& authenticator_;
  const Clock& clock_;
  absl::Mutex mutex_;
  grpc::ClientContext* stream_ ABSL_GUARDED_BY(mutex_) = nullptr;
  absl::Time stream_began_at_ ABSL_GUARDED_BY(mutex_);
  const int expiry_warn_days_;
  // Used by the reader's thread only.
  ExpiryWarnings warnings_;
  bool received_ = false;
  bool loss_logged_ = false;
  BackgroundThread reader_;    // the threads are last: they use the other
  BackgroundThread watchdog_;  // members
};

}  // namespace carme::backend

#endif  // CARME_BACKEND_CLUSTERS_ENDED_SESSION_WATCHER_H_
