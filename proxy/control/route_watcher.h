// Keeps a stream of routes from the backend open and reconnects after errors.
//
// Runs on its own thread. `on_update` is called on gRPC's threads, one call at
// a time.
#ifndef CARME_PROXY_CONTROL_ROUTE_WATCHER_H_
#define CARME_PROXY_CONTROL_ROUTE_WATCHER_H_

#include <functional>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "common/concurrency/background_thread.h"
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
  // Paths. The stream is restarted with the new files when one of them changes.
  std::string ca_file;
  std::string certificate_file;
  std::string key_file;
  std::string crl_file{};  // empty: no revocation list
  // After this time without a message the stream is restarted. The backend
  // sends a message every 10 s.
  absl::Duration max_silence = absl::Seconds(30);
  int expiry_warn_days = 21;
};

class RouteWatcher {
 public:
  using OnUpdate = std::function<void(std::shared_ptr<const RouteUpdate>)>;

  RouteWatcher(BackendEndpoint source, OnUpdate on_update);
  // The destructor ends the stream and joins the thread.
  void Start();

 private:
  class Stream;
  // Watches one stream to its end; returns the time until the next.
  absl::Duration WatchNext();
  absl::Status WatchOnce();
  void Warn(const TlsMaterial& tls);

  const BackendEndpoint source_;
  const OnUpdate on_update_;
  // Used by the thread only.
  bool connected_ = false;
  bool loss_logged_ = false;
  absl::Duration retry_delay_;
  ExpiryWarnings warnings_;
  BackgroundThread thread_;  // last: uses the other members
};

// Converts a message. Invalid addresses or ids are an error, and the stream is
// restarted. `certificate` and `key` are the client certificate for agents.
absl::StatusOr<std::shared_ptr<const RouteUpdate>> ToRouteUpdate(
    const v1::WatchRoutesResponse& message, const std::string& certificate,
    const std::string& key);

}  // namespace carme::proxy

#endif  // CARME_PROXY_CONTROL_ROUTE_WATCHER_H_
