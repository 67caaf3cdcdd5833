#include "proxy/server/route_update_handler.h"

#include <utility>

#include "common/log.h"
#include "common/pki/tls_files.h"
#include "common/status.h"
#include "proxy/server/messages.h"

namespace carme::proxy {
namespace {

absl::StatusOr<std::shared_ptr<const RouteUpdate>> Load(
    const ProxyConfig& config, RouteSnapshotFile& file) {
  ASSIGN_OR_RETURN(
      const TlsMaterial own,
      ReadTlsFiles({config.backend.certificate, config.backend.key}));
  return file.Load(own.certificate, own.key);
}

}  // namespace

RouteUpdateHandler::RouteUpdateHandler(const ProxyConfig& config,
                                       ProxyServer& server, const Clock& clock)
    : server_(server),
      snapshot_file_(config.state_directory + "/routes",
                     config.limits.stale_route_ttl, clock) {
  auto loaded = Load(config, snapshot_file_);
  if (loaded.ok()) {
    LogInfo("routes loaded from snapshot",
            {{"routes", (*loaded)->routes.size()}});
    server_.Apply(*std::move(loaded));
    have_routes_ = true;
  } else if (!absl::IsNotFound(loaded.status())) {
    LogError("route snapshot ignored", {{"error", loaded.status().ToString()}});
  }
}

void RouteUpdateHandler::OnUpdate(std::shared_ptr<const RouteUpdate> update) {
  snapshot_file_.Record(*update);
  server_.Apply(std::move(update));
  std::lock_guard lock(mutex_);
  if (std::exchange(have_routes_, true)) return;
  changed_.notify_all();
}

absl::Status RouteUpdateHandler::WaitForRoutes(absl::Duration timeout) {
  std::unique_lock lock(mutex_);
  if (changed_.wait_for(lock, absl::ToChronoMilliseconds(timeout),
                        [&] { return have_routes_; })) {
    return absl::OkStatus();
  }
  return MakePlainError(proxy_server_messages::kNoRoutes);
}

}  // namespace carme::proxy
