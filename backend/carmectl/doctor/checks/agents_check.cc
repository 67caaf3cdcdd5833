// Whether this proxy reaches the agents of running jobs. Other hosts cannot
// try it: the firewall of a node depends on where a connection comes from.
#include <algorithm>
#include <future>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "backend/carmectl/doctor/checks/messages.h"
#include "backend/carmectl/doctor/host/check.h"
#include "backend/carmectl/doctor/host/peer_connection.h"
#include "carme/v1/routes.pb.h"
#include "common/crypto/digest_header.h"
#include "common/file.h"
#include "common/status.h"

namespace carme::carmectl {
namespace {

constexpr FindingKind kAgentUnreachable{
    "agent-unreachable", Severity::kError,
    "The proxy passes requests to this job's apps through this connection."};
constexpr FindingKind kRoutesUnreadable{
    "routes-not-read", Severity::kNote,
    "The proxy's saved routes name the nodes that run jobs now."};

constexpr size_t kMaxNodes = 64;  // each is one connection
constexpr size_t kMaxFileBytes = 64 << 20;

struct Agent {
  std::string job;
  std::string address;  // "10.0.0.7:34001"
};

// One agent of each node, by the node's address. NOT_FOUND: no file.
absl::StatusOr<std::map<std::string, Agent>> ReadAgents(
    const std::string& path) {
  ASSIGN_OR_RETURN(const std::string text, ReadFile(path, kMaxFileBytes));
  ASSIGN_OR_RETURN(const std::string_view body,
                   RemoveDigestHeader("carme-routes 1", text));
  v1::WatchRoutesResponse routes;
  if (!routes.ParseFromArray(body.data(), static_cast<int>(body.size()))) {
    return MakePlainError(host_check_messages::kRoutesMalformed);
  }
  std::map<std::string, Agent> agents;
  for (const v1::Route& route : routes.routes()) {
    if (route.port() == 0) continue;  // the agent connects to the proxy
    const bool ipv6 = route.address().find(':') != std::string::npos;
    agents.insert_or_assign(
        route.address(),
        Agent{route.job_id(),
              absl::StrCat(ipv6 ? "[" : "", route.address(), ipv6 ? "]" : "",
                           ":", route.port())});
  }
  return agents;
}

class AgentsCheck : public Check {
 public:
  CheckInfo info() const override {
    return {"agents",
            "the proxy reaches the agents of running jobs, one of each node",
            {HostRole::kProxy},
            {kAgentUnreachable, kRoutesUnreadable}};
  }

  std::vector<Finding> Run(const Host& host) const override {
    if (!host.proxy()) return {};
    const std::string path = host.proxy()->state_directory + "/routes";
    const auto agents = ReadAgents(path);
    if (absl::IsNotFound(agents.status())) return {};
    if (!agents.ok()) return {Unreadable(path, agents.status())};

    std::vector<std::pair<Agent, std::future<absl::Status>>> attempts;
    for (const auto& [node, agent] : *agents) {
      if (attempts.size() == kMaxNodes) break;
      attempts.emplace_back(
          agent, std::async(std::launch::async, [&host, agent] {
            return ConnectToPeer(agent.address, host.resolver()).status();
          }));
    }
    std::vector<std::pair<Agent, absl::Status>> failed;
    for (auto& [agent, attempt] : attempts) {
      const absl::Status connected = attempt.get();
      if (!connected.ok()) failed.emplace_back(agent, connected);
    }
    return StillListed(host, path, failed);
  }

 private:
  // Agents whose jobs have not ended in the meantime.
  static std::vector<Finding> StillListed(
      const Host& host, const std::string& path,
      const std::vector<std::pair<Agent, absl::Status>>& failed) {
    if (failed.empty()) return {};
    const auto agents = ReadAgents(path);
    if (!agents.ok()) return {Unreadable(path, agents.status())};
    std::vector<Finding> findings;
    for (const auto& [agent, error] : failed) {
      const bool listed = std::any_of(
          agents->begin(), agents->end(), [&agent = agent](const auto& entry) {
            return entry.second.address == agent.address;
          });
      if (!listed) continue;
      findings.push_back(
          {kAgentUnreachable,
           FormatMessage(host_check_messages::kAgentUnreachable,
                         {{"job", agent.job}, {"cause", error.message()}}),
           FormatMessage(host_check_messages::kAgentUnreachableRemedy,
                         {{"config", host.ConfigPath(HostRole::kNode)}})});
    }
    return findings;
  }

  static Finding Unreadable(const std::string& path,
                            const absl::Status& error) {
    return {kRoutesUnreadable,
            FormatMessage(host_check_messages::kRoutesUnreadable,
                          {{"path", path}, {"cause", error.message()}}),
            FormatMessage(host_check_messages::kRoutesUnreadableRemedy)};
  }
};

}  // namespace

std::unique_ptr<Check> MakeAgentsCheck() {
  return std::make_unique<AgentsCheck>();
}

}  // namespace carme::carmectl
