// Keeps a stream of routes from the backend open, for ever.
//
// Thread rule: a thread of its own; `on_update` and `on_state` are called on
// threads of gRPC, never two at a time.
#ifndef CARME_PROXY_CONTROL_ROUTE_WATCHER_H_
#define CARME_PROXY_CONTROL_ROUTE_WATCHER_H_

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "common/pki/expiry.h"
#include "common/pki/tls_files.h"
#include "proxy/control/route_table.h"

namespace carme::v1 {
class WatchRoutesResponse;
}

namespace carme::proxy {

struct BackendEndpoint {
  std::string address;      // host:port
  std::string server_name;  // in the backend's certificate
  // Paths. When one of them changes the stream begins anew with the new files.
  std::string ca_file;
  std::string certificate_file;
  std::string key_file;
  std::string crl_file{};  // empty: no list
  // A stream that is silent for this long is dead: the backend sends something
  // every 10 s.
  absl::Duration max_silence = absl::Seconds(30);
  int expiry_warn_days = 21;
};

class RouteWatcher {
 public:
  using OnUpdate = std::function<void(std::shared_ptr<const RouteUpdate>)>;

  RouteWatcher(BackendEndpoint source, OnUpdate on_update);
  // Ends the stream and waits for the thread.
  ~RouteWatcher();
  void Start();

 private:
  class Stream;
  void Loop();
  absl::Status WatchOnce();
  void Warn(const TlsMaterial& tls);
  bool WaitBeforeRetry(absl::Duration delay);

  const BackendEndpoint source_;
  const OnUpdate on_update_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool stopping_ = false;  // guarded by mutex_
  bool connected_ = false;
  ExpiryWarnings warnings_;
  std::thread thread_;
};

// The message as the loops use it. What cannot be used (an address that is
// none, an id that is none) is an error, and the stream is begun anew.
// `certificate` and `key` are what the agents will be shown.
absl::StatusOr<std::shared_ptr<const RouteUpdate>> ToRouteUpdate(
    const v1::WatchRoutesResponse& message, const std::string& certificate,
    const std::string& key);

}  // namespace carme::proxy

#endif  // CARME_PROXY_CONTROL_ROUTE_WATCHER_H_
