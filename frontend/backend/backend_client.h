// The one HTTP/2 connection to the backend, over mutual TLS, watched by a
// thread of its own.
//
// gRPC moves a connection (handshakes, answers to pings, a new attempt) only
// while some thread waits for it; between calls nobody would. This thread
// always does, so the link is back before the next call wants it.
//
// Thread-safe.
#ifndef CARME_FRONTEND_BACKEND_BACKEND_CLIENT_H_
#define CARME_FRONTEND_BACKEND_BACKEND_CLIENT_H_

#include <memory>
#include <string>
#include <thread>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "common/pki/tls_files.h"

namespace grpc {
class Channel;
class CompletionQueue;
}  // namespace grpc

namespace carme::frontend {

struct BackendOptions {
  std::string address;      // host:port
  std::string server_name;  // DNS name in its certificate
  TlsMaterial tls{};
  absl::Duration timeout = absl::Seconds(2);  // see Await
};

class BackendClient {
 public:
  explicit BackendClient(const BackendOptions& options);
  ~BackendClient();

  // A new connection with these; calls that are under way end on the old one.
  // Where other certificates are revoked than before, its streams end early.
  void Use(const BackendOptions& options);

  // Ask anew for each call.
  std::shared_ptr<grpc::Channel> channel() const;
  bool connected() const;
  // Another number when streams that began before are to end.
  int era() const;

  // Blocks while the backend is away, but not beyond `deadline` nor `timeout`
  // after it went: a restart takes less, and people need not notice one.
  void Await(absl::Time deadline) const;

 private:
  void Watch();
  // Begins to wait for the next change of state. False once stopping.
  bool WatchNext();
  void Note(int state) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const std::string address_;
  const absl::Duration timeout_;
  mutable absl::Mutex mutex_;
  std::shared_ptr<grpc::Channel> channel_ ABSL_GUARDED_BY(mutex_);
  Revocations revoked_ ABSL_GUARDED_BY(mutex_);
  int era_ ABSL_GUARDED_BY(mutex_) = 0;
  bool connected_ ABSL_GUARDED_BY(mutex_) = false;
  bool reported_away_ ABSL_GUARDED_BY(mutex_) = false;
  absl::Time away_since_ ABSL_GUARDED_BY(mutex_);
  const std::unique_ptr<grpc::CompletionQueue> changes_;
  std::thread watching_;
};

}  // namespace carme::frontend

#endif  // CARME_FRONTEND_BACKEND_BACKEND_CLIENT_H_
