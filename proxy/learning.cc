#include "proxy/learning.h"

#include <utility>

#include "common/log.h"
#include "common/pki/tls_files.h"
#include "common/status.h"

namespace carme::proxy {
namespace {

absl::StatusOr<std::shared_ptr<const RouteUpdate>> Recall(
    const ProxyConfig& config, RouteMemory& memory) {
  ASSIGN_OR_RETURN(
      const TlsMaterial own,
      ReadTlsFiles({config.backend.certificate, config.backend.key}));
  return memory.Recall(own.certificate, own.key);
}

}  // namespace

Learning::Learning(const ProxyConfig& config, ProxyServer& server,
                   const Clock& clock)
    : server_(server),
      memory_(config.state_directory + "/routes", config.limits.doubtful_route,
              clock) {
  auto recalled = Recall(config, memory_);
  if (recalled.ok()) {
    LogInfo("routes remembered", {{"routes", (*recalled)->routes.size()}});
    server_.Apply(*std::move(recalled));
    knows_ = true;
  } else if (!absl::IsNotFound(recalled.status())) {
    LogError("routes of before are not used",
             {{"why", recalled.status().ToString()}});
  }
}

void Learning::Take(std::shared_ptr<const RouteUpdate> update) {
  memory_.Note(*update);
  server_.Apply(std::move(update));
  std::lock_guard lock(mutex_);
  if (std::exchange(knows_, true)) return;
  changed_.notify_all();
}

absl::Status Learning::WaitForRoutes(absl::Duration patience) {
  std::unique_lock lock(mutex_);
  if (changed_.wait_for(lock, absl::ToChronoMilliseconds(patience),
                        [&] { return knows_; })) {
    return absl::OkStatus();
  }
  return absl::DeadlineExceededError(
      "no routes: neither from the backend nor from the process before");
}

}  // namespace carme::proxy
