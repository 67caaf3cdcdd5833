// The connection to the backend for single calls; the stream of routes has its
// own. Reconnects with new certificate files.
#ifndef CARME_PROXY_CONTROL_BACKEND_CALL_CHANNEL_H_
#define CARME_PROXY_CONTROL_BACKEND_CALL_CHANNEL_H_

#include <memory>
#include <optional>
#include <string>

#include "absl/base/thread_annotations.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "common/concurrency/background_thread.h"
#include "common/pki/tls_files.h"
#include "proxy/control/route_watcher.h"

namespace grpc {
class Channel;
}

namespace carme::proxy {

// Thread-safe.
class BackendCallChannel {
 public:
  explicit BackendCallChannel(BackendEndpoint backend);
  ~BackendCallChannel();
  BackendCallChannel(const BackendCallChannel&) = delete;
  BackendCallChannel& operator=(const BackendCallChannel&) = delete;

  // Get it for each call: new files replace it. Never blocks. The errors of the
  // files.
  absl::StatusOr<std::shared_ptr<grpc::Channel>> Channel() const;
  const std::string& address() const { return backend_.address; }

 private:
  void Refresh();

  const BackendEndpoint backend_;
  std::optional<TlsFiles> files_;  // used by the constructor and the thread
  mutable absl::Mutex mutex_;
  absl::StatusOr<std::shared_ptr<grpc::Channel>> channel_
      ABSL_GUARDED_BY(mutex_);
  BackgroundThread thread_;  // last: uses the other members
};

}  // namespace carme::proxy

#endif  // CARME_PROXY_CONTROL_BACKEND_CALL_CHANNEL_H_
