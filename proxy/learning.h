// What comes from the backend, on its way to the loops and into the file.
#ifndef CARME_PROXY_LEARNING_H_
#define CARME_PROXY_LEARNING_H_

#include <condition_variable>
#include <memory>
#include <mutex>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "common/clock.h"
#include "proxy/proxy_config.h"
#include "proxy/proxy_server.h"
#include "proxy/route_memory.h"
#include "proxy/route_table.h"

namespace carme::proxy {

// Thread-safe.
class Learning {
 public:
  // Tells `server` what an earlier process has left, if it can be used; it and
  // `clock` live on.
  Learning(const ProxyConfig& config, ProxyServer& server, const Clock& clock);

  // The backend's word.
  void Take(std::shared_ptr<const RouteUpdate> update);
  // Until there are routes, the backend's or remembered ones.
  // DEADLINE_EXCEEDED.
  absl::Status WaitForRoutes(absl::Duration patience);

  // Now, for whoever reads it next.
  void WriteDown() { memory_.Flush().IgnoreError(); }
  // Another process writes the file from now on.
  void LeaveToAnother() { memory_.Stop(); }

 private:
  ProxyServer& server_;
  RouteMemory memory_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool knows_ = false;  // guarded by mutex_
};

}  // namespace carme::proxy

#endif  // CARME_PROXY_LEARNING_H_
