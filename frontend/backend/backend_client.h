// The HTTP/2 connection to the backend, over mutual TLS, with its own thread.
//
// gRPC drives a connection (handshakes, ping replies, reconnects) only while
// some thread waits on it. This thread always does, so that the connection is
// re-established between calls.
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
  int max_response_bytes = 4 << 20;           // gRPC's default
};

class BackendClient {
 public:
  explicit BackendClient(const BackendOptions& options);
  ~BackendClient();

  // Replaces the connection. Active calls finish on the old one; its streams
  // end early if the revocation list changed.
  void Use(const BackendOptions& options);

  // Use() may replace the channel: get it for each call.
  std::shared_ptr<grpc::Channel> channel() const;
  bool connected() const;
  // Changes when streams that started earlier must end.
  int era() const;

  // Blocks while the backend is disconnected, until `deadline` or until
  // `timeout` after the connection was lost. A restart of the backend takes
  // less.
  void Await(absl::Time deadline) const;

 private:
  void Watch();
  // Starts to wait for the next change of state. Returns false while stopping.
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
