// Whether nftables on this host limits access to Carme's ports. Other firewalls
// are not visible from here.
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "backend/carmectl/doctor/checks/messages.h"
#include "backend/carmectl/doctor/host/check.h"
#include "backend/carmectl/doctor/host/peer_connection.h"

namespace carme::carmectl {
namespace {

constexpr FindingKind kPortUnlimited{
    "firewall-port-unlimited", Severity::kWarning,
    "Only some hosts need this port (docs/admin/dmz.md); others could use up "
    "its connections."};
constexpr FindingKind kFirewallUnreadable{
    "firewall-not-checked", Severity::kNote,
    "A firewall on another host is not visible from here."};

// What nft takes for a chain that exists already, too.
constexpr char kInputChain[] = "{ type filter hook input priority 0; }";

struct GuardedPort {
  int first;
  int last;
  std::string purpose;
};

// Adds the numbers and ranges that follow `dport`: "9443", "34000-34999",
// "{ 9443, 9444 }".
void ReadPorts(const std::vector<std::string>& words, size_t index,
               std::vector<std::pair<int, int>>* ranges) {
  for (; index < words.size(); ++index) {
    const std::string& word = words[index];
    if (word == "{" || word == "==" || word.empty()) continue;
    const std::pair<std::string, std::string> ends =
        absl::StrSplit(word, absl::MaxSplits('-', 1));
    int first = 0;
    if (!absl::SimpleAtoi(ends.first, &first)) return;
    int last = first;
    if (!ends.second.empty() && !absl::SimpleAtoi(ends.second, &last)) return;
    ranges->emplace_back(first, last);
  }
}

// The ports that a rule of the ruleset mentions.
std::vector<std::pair<int, int>> RuledPorts(const std::string& ruleset) {
  std::vector<std::pair<int, int>> ranges;
  for (absl::string_view line : absl::StrSplit(ruleset, '\n')) {
    const std::vector<std::string> words =
        absl::StrSplit(line, absl::ByAnyChar(" \t,"), absl::SkipEmpty());
    for (size_t index = 0; index + 1 < words.size(); ++index) {
      if (words[index] == "dport") ReadPorts(words, index + 1, &ranges);
    }
  }
  return ranges;
}

// A chain that drops whatever no rule accepts.
bool DropsInput(const std::string& ruleset) {
  for (absl::string_view line : absl::StrSplit(ruleset, '\n')) {
    if (absl::StrContains(line, "hook input") &&
        absl::StrContains(line, "policy drop")) {
      return true;
    }
  }
  return false;
}

void AddPort(const std::string& listen, const std::string& purpose,
             std::vector<GuardedPort>* ports) {
  const auto parsed = ParseHostPort(listen);
  if (!parsed.ok() || parsed->host == "127.0.0.1" || parsed->host == "::1") {
    return;
  }
  ports->push_back({parsed->port, parsed->port, purpose});
}

class FirewallCheck : public Check {
 public:
  CheckInfo info() const override {
    return {"firewall",
            "nftables has rules for the ports between Carme's hosts",
            {HostRole::kProxy, HostRole::kBackend, HostRole::kMetrics,
             HostRole::kNode},
            {kPortUnlimited, kFirewallUnreadable}};
  }

  std::vector<Finding> Run(const Host& host) const override {
    const std::vector<GuardedPort> ports = GuardedPorts(host);
    if (ports.empty()) return {};
    const auto listed =
        host.tools().Run({.arguments = {"nft", "list", "ruleset"}});
    if (!listed.ok() || !listed->ok()) {
      return {{kFirewallUnreadable,
               listed.ok() ? FirstLine(listed->error)
                           : std::string(listed.status().message()),
               FormatMessage(host_check_messages::kFirewallUnreadableRemedy)}};
    }
    if (DropsInput(listed->output)) return {};
    std::vector<Finding> findings;
    const auto ruled = RuledPorts(listed->output);
    for (const GuardedPort& port : ports) {
      bool found = false;
      for (const auto& [first, last] : ruled) {
        found = found || (first <= port.first && port.last <= last);
      }
      if (!found) findings.push_back(Unlimited(port));
    }
    return findings;
  }

 private:
  static std::vector<GuardedPort> GuardedPorts(const Host& host) {
    std::vector<GuardedPort> ports;
    if (host.backend()) {
      AddPort(host.backend()->listen_clients, "frontend and proxy", &ports);
      AddPort(host.backend()->listen_agents, "compute nodes", &ports);
    }
    if (host.metrics()) {
      AddPort(host.metrics()->listen_clients, "the frontend", &ports);
      AddPort(host.metrics()->listen_agents, "compute nodes", &ports);
    }
    if (host.proxy() && !host.proxy()->agents_listen.empty()) {
      AddPort(host.proxy()->agents_listen, "compute nodes", &ports);
    }
    if (host.node()) {
      ports.push_back(
          {host.node()->port_first, host.node()->port_last, "the proxy"});
    }
    return ports;
  }

  static Finding Unlimited(const GuardedPort& port) {
    const std::string range = port.first == port.last
                                  ? absl::StrCat(port.first)
                                  : absl::StrCat(port.first, "-", port.last);
    return {kPortUnlimited,
            FormatMessage(host_check_messages::kPortUnlimited,
                          {{"port", range}, {"purpose", port.purpose}}),
            FormatMessage(host_check_messages::kPortUnlimitedRemedy,
                          {{"chain", kInputChain}, {"port", range}})};
  }
};

}  // namespace

std::unique_ptr<Check> MakeFirewallCheck() {
  return std::make_unique<FirewallCheck>();
}

}  // namespace carme::carmectl
