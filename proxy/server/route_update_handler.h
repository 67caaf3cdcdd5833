// What comes from the backend, on its way to the loops and into the file.
#ifndef CARME_PROXY_SERVER_ROUTE_UPDATE_HANDLER_H_
#define CARME_PROXY_SERVER_ROUTE_UPDATE_HANDLER_H_

#include <condition_variable>
#include <memory>
#include <mutex>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "common/clock.h"
#include "proxy/config/proxy_config.h"
#include "proxy/control/route_snapshot_file.h"
#include "proxy/control/route_table.h"
#include "proxy/server/proxy_server.h"

namespace carme::proxy {

// Thread-safe.
class RouteUpdateHandler {
 public:
  // Tells `server` what an earlier process has left, if it can be used; it and
  // `clock` live on.
  RouteUpdateHandler(const ProxyConfig& config, ProxyServer& server,
                     const Clock& clock);

  // The backend's word.
  void OnUpdate(std::shared_ptr<const RouteUpdate> update);
  // Until there are routes, the backend's or from_snapshot_file ones.
  // DEADLINE_EXCEEDED.
  absl::Status WaitForRoutes(absl::Duration timeout);

  // Now, for whoever reads it next.
  void Flush() { snapshot_file_.Flush().IgnoreError(); }
  // Another process writes the file from now on.
  void StopPersisting() { snapshot_file_.Stop(); }

 private:
  ProxyServer& server_;
  RouteSnapshotFile snapshot_file_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool have_routes_ = false;  // guarded by mutex_
};

}  // namespace carme::proxy

#endif  // CARME_PROXY_SERVER_ROUTE_UPDATE_HANDLER_H_
