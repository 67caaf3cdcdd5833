#include "backend/health/observations.h"

#include <sys/statvfs.h>

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "backend/health/messages.h"
#include "backend/slurm/cluster_detail.h"
#include "common/message.h"
#include "common/printable.h"

namespace carme::backend {
namespace {

constexpr int kMaxParts = 100;
constexpr size_t kLongestDetail = 300;
// Below both limits, the database's disk is reported.
constexpr int64_t kLowBytes = int64_t{1} << 30;
constexpr int64_t kLowPercent = 10;
// Below this, a running backend fills the disk within hours.
constexpr int64_t kVeryLowBytes = int64_t{64} << 20;
constexpr size_t kManyEntriesWait = 1000;
// How long a refused connection is reported.
constexpr absl::Duration kRefusalShown = absl::Minutes(10);
// A proxy reconnects within seconds.
constexpr absl::Duration kProxyComesWithin = absl::Seconds(30);
// The identity backend sends a message every 10 s.
constexpr absl::Duration kMessageExpectedWithin = absl::Seconds(30);

void SetTime(absl::Time time, google::protobuf::Timestamp* stamp) {
  stamp->set_seconds(absl::ToUnixSeconds(time));
}

void SetTimes(absl::Time since, absl::Time observed_at,
              v1::ComponentHealth* health) {
  if (since != absl::InfinitePast()) SetTime(since, health->mutable_since());
  if (observed_at != absl::InfinitePast()) {
    SetTime(observed_at, health->mutable_observed_at());
  }
}

v1::ComponentHealth Row(v1::HealthState state, std::string detail = "") {
  v1::ComponentHealth health;
  health.set_state(state);
  health.set_detail(Readable(detail, kLongestDetail));
  return health;
}

v1::ComponentHealth OfAvailability(const Availability::State& state) {
  if (!state.observed()) return Row(v1::HEALTH_STATE_UNKNOWN);
  v1::ComponentHealth health =
      state.status.ok()
          ? Row(v1::HEALTH_STATE_OK)
          : Row(v1::HEALTH_STATE_DOWN, std::string(state.status.message()));
  SetTimes(state.since, state.observed_at, &health);
  return health;
}

// Those that are not OK first, up to the maximum.
void AddParts(std::vector<v1::ComponentHealth> parts,
              v1::ComponentHealth* health) {
  std::stable_sort(parts.begin(), parts.end(),
                   [](const auto& a, const auto& b) {
                     const auto is_ok = [](const auto& part) {
                       return part.state() == v1::HEALTH_STATE_OK;
                     };
                     return !is_ok(a) && is_ok(b);
                   });
  if (parts.size() > kMaxParts) parts.resize(kMaxParts);
  for (v1::ComponentHealth& part : parts) *health->add_parts() = part;
}

v1::HealthState StateOf(const NodeState& node) {
  switch (node.condition) {
    case v1::NODE_CONDITION_DOWN:
      return v1::HEALTH_STATE_DOWN;
    case v1::NODE_CONDITION_DRAINING:
    case v1::NODE_CONDITION_OUT:
      return v1::HEALTH_STATE_DEGRADED;
    case v1::NODE_CONDITION_UNSPECIFIED:
      return v1::HEALTH_STATE_UNKNOWN;
    default:
      return v1::HEALTH_STATE_OK;
  }
}

v1::ComponentHealth NodeRow(const std::string& name, const NodeDetail& node) {
  std::string detail = node.state.slurm;
  if (!node.reason.empty()) absl::StrAppend(&detail, ": ", node.reason);
  v1::ComponentHealth row = Row(StateOf(node.state), std::move(detail));
  row.set_name(name);
  SetTimes(node.reason_since, absl::InfinitePast(), &row);
  return row;
}

}  // namespace

v1::ComponentHealth ObserveSlurmctld(const SlurmSnapshot& snapshot) {
  if (snapshot.since == absl::InfinitePast()) {
    return Row(v1::HEALTH_STATE_UNKNOWN);
  }
  v1::ComponentHealth health =
      snapshot.reachable ? Row(v1::HEALTH_STATE_OK)
                         : Row(v1::HEALTH_STATE_DOWN, snapshot.problem);
  health.set_name(snapshot.cluster_name);
  // A missing response is observed as of the snapshot.
  SetTimes(snapshot.since,
           snapshot.reachable ? snapshot.asked_at : absl::InfinitePast(),
           &health);
  return health;
}

v1::ComponentHealth ObserveSlurmdbd(const History::Health& accounting) {
  v1::ComponentHealth health;
  switch (accounting.state) {
    case v1::Accounting::STATE_DISABLED:
      return Row(v1::HEALTH_STATE_DISABLED);
    case v1::Accounting::STATE_AVAILABLE:
      health = Row(v1::HEALTH_STATE_OK);
      break;
    case v1::Accounting::STATE_UNAVAILABLE:
      health = Row(v1::HEALTH_STATE_DOWN,
                   FormatMessage(health_messages::kSlurmdbdDown));
      break;
    case v1::Accounting::STATE_HIDDEN:
      health = Row(v1::HEALTH_STATE_DEGRADED,
                   FormatMessage(health_messages::kSlurmdbdHidesJobs));
      break;
    default:
      return Row(v1::HEALTH_STATE_UNKNOWN);
  }
  SetTimes(accounting.since.value_or(absl::InfinitePast()),
           accounting.asked_at.value_or(absl::InfinitePast()), &health);
  return health;
}

v1::ComponentHealth ObserveNodes(const SlurmSnapshot& snapshot) {
  if (snapshot.detail == nullptr || snapshot.nodes.empty()) {
    return Row(v1::HEALTH_STATE_UNKNOWN);
  }
  const bool some_have_feature =
      std::any_of(snapshot.nodes.begin(), snapshot.nodes.end(),
                  [](const SlurmNode& node) { return node.has_feature; });
  std::vector<v1::ComponentHealth> parts;
  int64_t total = 0;
  for (const SlurmNode& node : snapshot.nodes) {
    const auto detail = snapshot.detail->nodes.find(node.name);
    if (some_have_feature && !node.has_feature) continue;
    if (detail == snapshot.detail->nodes.end()) continue;
    ++total;
    v1::ComponentHealth part = NodeRow(node.name, detail->second);
    if (part.state() != v1::HEALTH_STATE_OK) parts.push_back(std::move(part));
  }
  const auto missing = static_cast<int64_t>(parts.size());
  v1::ComponentHealth health;
  if (!snapshot.reachable) {
    health = Row(v1::HEALTH_STATE_UNKNOWN,
                 FormatMessage(health_messages::kNodesOutdated));
  } else if (missing == 0) {
    health = Row(v1::HEALTH_STATE_OK);
  } else {
    health = Row(
        missing == total ? v1::HEALTH_STATE_DOWN : v1::HEALTH_STATE_DEGRADED,
        FormatMessage(health_messages::kNodesTakeNoJobs,
                      {{"missing", missing}, {"total", total}}));
  }
  (*health.mutable_figures())["nodes"] = total;
  (*health.mutable_figures())["nodes_available"] = total - missing;
  SetTimes(absl::InfinitePast(), snapshot.asked_at, &health);
  AddParts(std::move(parts), &health);
  return health;
}

v1::ComponentHealth ObserveDirectory(
    const std::vector<LdapServers::Health>& servers) {
  std::vector<v1::ComponentHealth> parts;
  int working = 0;
  int failing = 0;
  absl::Time observed_at = absl::InfinitePast();
  for (const LdapServers::Health& server : servers) {
    v1::ComponentHealth part = OfAvailability(server.state);
    part.set_name(server.address);
    working += part.state() == v1::HEALTH_STATE_OK ? 1 : 0;
    failing += part.state() == v1::HEALTH_STATE_DOWN ? 1 : 0;
    observed_at = std::max(observed_at, server.state.observed_at);
    parts.push_back(std::move(part));
  }
  v1::ComponentHealth health = Row(v1::HEALTH_STATE_UNKNOWN);
  if (working > 0) {
    health = failing == 0
                 ? Row(v1::HEALTH_STATE_OK)
                 : Row(v1::HEALTH_STATE_DEGRADED,
                       FormatMessage(
                           health_messages::kDirectoryServersDown,
                           {{"failing", failing}, {"total", servers.size()}}));
  } else if (failing > 0) {
    health = Row(v1::HEALTH_STATE_DOWN,
                 servers.size() == 1
                     ? parts.front().detail()
                     : FormatMessage(health_messages::kNoDirectoryServer));
  }
  SetTimes(absl::InfinitePast(), observed_at, &health);
  AddParts(std::move(parts), &health);
  return health;
}

v1::ComponentHealth ObserveMail(bool offered, const Availability::State& server,
                                const std::string& name) {
  if (!offered) return Row(v1::HEALTH_STATE_DISABLED);
  v1::ComponentHealth health = OfAvailability(server);
  health.set_name(name);
  return health;
}

v1::ComponentHealth ObserveDatabase(const Availability::State& writes,
                                    const std::string& directory) {
  v1::ComponentHealth health = OfAvailability(writes);
  if (health.state() == v1::HEALTH_STATE_UNKNOWN) {
    health = Row(v1::HEALTH_STATE_OK);
  }
  struct statvfs disk {};
  if (statvfs(directory.c_str(), &disk) != 0) return health;
  const auto block = static_cast<int64_t>(disk.f_frsize);
  const int64_t free = block * static_cast<int64_t>(disk.f_bavail);
  const int64_t total = block * static_cast<int64_t>(disk.f_blocks);
  (*health.mutable_figures())["free_bytes"] = free;
  (*health.mutable_figures())["total_bytes"] = total;
  const bool low = free < kVeryLowBytes ||
                   (free < kLowBytes && free * 100 < total * kLowPercent);
  if (health.state() != v1::HEALTH_STATE_OK || !low) return health;
  health.set_state(v1::HEALTH_STATE_DEGRADED);
  health.set_detail(
      FormatMessage(health_messages::kDiskAlmostFull,
                    {{"directory", directory}, {"free", free >> 20}}));
  health.clear_since();  // `since` of the writes belongs to another state
  return health;
}

v1::ComponentHealth ObserveAuditLog(const AuditLog::Health& log) {
  v1::ComponentHealth health = Row(v1::HEALTH_STATE_OK);
  if (!log.status.ok()) {
    health =
        Row(v1::HEALTH_STATE_DOWN,
            FormatMessage(health_messages::kAuditLogFails,
                          {{"problem", std::string(log.status.message())}}));
  } else if (log.waiting > kManyEntriesWait) {
    health = Row(v1::HEALTH_STATE_DEGRADED,
                 FormatMessage(health_messages::kAuditLogSlow));
  }
  (*health.mutable_figures())["head"] = log.head.sequence;
  (*health.mutable_figures())["waiting"] = static_cast<int64_t>(log.waiting);
  return health;
}

v1::ComponentHealth ObserveRootProgram(const Availability::State& state) {
  return OfAvailability(state);
}

v1::ComponentHealth ObserveProxies(
    const std::vector<ProxyConnections::Proxy>& proxies, absl::Time started,
    absl::Time now) {
  std::vector<v1::ComponentHealth> parts;
  size_t connected = 0;
  for (const ProxyConnections::Proxy& proxy : proxies) {
    v1::ComponentHealth part =
        proxy.connected
            ? Row(v1::HEALTH_STATE_OK)
            : Row(v1::HEALTH_STATE_DOWN,
                  FormatMessage(health_messages::kProxyNotConnected));
    part.set_name(proxy.address);
    SetTimes(proxy.since, absl::InfinitePast(), &part);
    connected += proxy.connected ? 1 : 0;
    parts.push_back(std::move(part));
  }
  v1::ComponentHealth health;
  if (connected == 0) {
    // A proxy whose stream has just ended may reconnect.
    const bool awaited = now - started < kProxyComesWithin && proxies.empty();
    health = awaited ? Row(v1::HEALTH_STATE_UNKNOWN)
                     : Row(v1::HEALTH_STATE_DOWN,
                           FormatMessage(health_messages::kNoProxyConnected));
  } else {
    health = connected == proxies.size()
                 ? Row(v1::HEALTH_STATE_OK)
                 : Row(v1::HEALTH_STATE_DEGRADED,
                       FormatMessage(health_messages::kProxiesNotConnected,
                                     {{"missing", proxies.size() - connected},
                                      {"total", proxies.size()}}));
  }
  (*health.mutable_figures())["connected"] = static_cast<int64_t>(connected);
  AddParts(std::move(parts), &health);
  return health;
}

v1::ComponentHealth ObserveAgentPort(const ConnectionCounts& counts,
                                     absl::Time now) {
  v1::ComponentHealth health = Row(v1::HEALTH_STATE_OK);
  if (now - counts.refused_at < kRefusalShown) {
    health = Row(v1::HEALTH_STATE_DEGRADED,
                 FormatMessage(health_messages::kAgentPortRefuses,
                               {{"address", counts.refused_address}}));
  }
  (*health.mutable_figures())["connections"] = counts.open;
  (*health.mutable_figures())["addresses"] = counts.addresses;
  (*health.mutable_figures())["refused"] = counts.refused;
  return health;
}

v1::ComponentHealth ObserveIdentityBackend(absl::Time last_message_at,
                                           absl::Duration max_silence,
                                           absl::Time started, absl::Time now) {
  v1::ComponentHealth health = Row(v1::HEALTH_STATE_OK);
  if (last_message_at == absl::InfinitePast()) {
    health = now - started < kMessageExpectedWithin
                 ? Row(v1::HEALTH_STATE_UNKNOWN)
                 : Row(v1::HEALTH_STATE_DOWN,
                       FormatMessage(health_messages::kIdentityBackendNever));
  } else if (now - last_message_at >= kMessageExpectedWithin) {
    const bool is_down = now - last_message_at >= max_silence;
    health =
        Row(is_down ? v1::HEALTH_STATE_DOWN : v1::HEALTH_STATE_DEGRADED,
            FormatMessage(is_down ? health_messages::kIdentityBackendLost
                                  : health_messages::kIdentityBackendSilent));
  }
  SetTimes(absl::InfinitePast(), last_message_at, &health);
  return health;
}

v1::ComponentHealth ObserveCertificates(
    const std::vector<CertificateHealth>& certificates, absl::Time now) {
  std::vector<std::string> ended;
  std::vector<std::string> soon;
  for (const CertificateHealth& one : certificates) {
    if (one.not_after <= now) {
      ended.push_back(one.program);
    } else if (one.soon) {
      soon.push_back(one.program);
    }
  }
  if (!ended.empty()) {
    return Row(v1::HEALTH_STATE_DOWN,
               FormatMessage(health_messages::kCertificatesExpired,
                             {{"names", absl::StrJoin(ended, ", ")}}));
  }
  if (!soon.empty()) {
    return Row(v1::HEALTH_STATE_DEGRADED,
               FormatMessage(health_messages::kCertificatesExpireSoon,
                             {{"names", absl::StrJoin(soon, ", ")}}));
  }
  return Row(certificates.empty() ? v1::HEALTH_STATE_UNKNOWN
                                  : v1::HEALTH_STATE_OK);
}

}  // namespace carme::backend
