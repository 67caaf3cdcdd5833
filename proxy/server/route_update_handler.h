// Applies updates of the backend to the loops and the snapshot file.
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
  // Applies the snapshot file to `server` if it is valid. `server` and `clock`
  // must outlive it.
  RouteUpdateHandler(const ProxyConfig& config, ProxyServer& server,
                     const Clock& clock);

  // Called for each update of the backend.
  void OnUpdate(std::shared_ptr<const RouteUpdate> update);
  // Waits for routes of the backend or the snapshot file. DEADLINE_EXCEEDED.
  absl::Status WaitForRoutes(absl::Duration timeout);

  // Writes the snapshot file for the next process.
  void Flush() { snapshot_file_.Flush().IgnoreError(); }
  // Stops writing: another process owns the file now.
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
