// The backend's messages as values: the border between the contract and the
// loops.
#include <utility>

#include "carme/v1/routes.pb.h"
#include "common/status.h"
#include "proxy/route_watcher.h"

namespace carme::proxy {
namespace {

absl::StatusOr<std::shared_ptr<const Trust>> ToTrust(
    const v1::Keys& keys, const std::string& certificate,
    const std::string& key) {
  ASSIGN_OR_RETURN(VerifyingKey tickets,
                   VerifyingKey::FromRaw(keys.ticket_public_key()));
  net::TlsOptions options;
  options.certificate = certificate;
  options.key = key;
  options.peer_ca = keys.job_ca_pem();
  ASSIGN_OR_RETURN(std::shared_ptr<const net::TlsContext> agents,
                   net::TlsContext::Client(options));
  return std::make_shared<const Trust>(
      Trust{std::move(tickets), keys.ticket_public_key(), keys.job_ca_pem(),
            std::move(agents)});
}

absl::StatusOr<JobId> ToJobId(const std::string& text) {
  if (!IsJobId(text)) {
    return absl::InvalidArgumentError("job \"" + text + "\": expected an id");
  }
  return JobId(text);
}

}  // namespace

absl::StatusOr<std::shared_ptr<const RouteUpdate>> ToRouteUpdate(
    const v1::WatchRoutesResponse& message, const std::string& certificate,
    const std::string& key) {
  auto update = std::make_shared<RouteUpdate>();
  update->snapshot = message.snapshot();
  for (const v1::Route& route : message.routes()) {
    ASSIGN_OR_RETURN(JobId job, ToJobId(route.job_id()));
    ASSIGN_OR_RETURN(net::Address agent,
                     net::Address::FromIp(route.address(), route.port()));
    update->routes.push_back({std::move(job), agent});
  }
  for (const std::string& removed : message.removed()) {
    ASSIGN_OR_RETURN(JobId job, ToJobId(removed));
    update->removed.push_back(std::move(job));
  }
  for (const v1::RevokedSession& revoked : message.revoked_sessions()) {
    // Without an end it is kept until the backend says otherwise.
    absl::Time until =
        revoked.has_forget_after()
            ? absl::FromUnixSeconds(revoked.forget_after().seconds())
            : absl::InfiniteFuture();
    update->revoked.push_back({SessionId(revoked.session_id()), until});
  }
  for (const std::string& restored : message.restored_sessions()) {
    update->restored.emplace_back(restored);
  }
  for (const v1::JobStanding& standing : message.standings()) {
    ASSIGN_OR_RETURN(JobId job, ToJobId(standing.job_id()));
    update->standings.emplace_back(std::move(job), ToStanding(standing));
  }
  if (message.has_keys()) {
    ASSIGN_OR_RETURN(update->trust, ToTrust(message.keys(), certificate, key));
  } else if (message.snapshot()) {
    return absl::InvalidArgumentError("snapshot without keys");
  }
  return std::shared_ptr<const RouteUpdate>(std::move(update));
}

}  // namespace carme::proxy
