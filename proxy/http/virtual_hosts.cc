#include "proxy/http/virtual_hosts.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "common/http1/field.h"
#include "common/name_rules.h"

namespace carme::proxy {
namespace {

constexpr std::string_view kDefaultPort = ":443";

std::string_view WithoutDefaultPort(std::string_view host) {
  if (host.size() > kDefaultPort.size() &&
      host.substr(host.size() - kDefaultPort.size()) == kDefaultPort) {
    host.remove_suffix(kDefaultPort.size());
  }
  return host;
}

bool IsHost(std::string_view text) {
  std::string_view name = WithoutPort(text);
  if (name.empty() || name.front() == '.' || name.back() == '.') return false;
  constexpr CharacterSet kHost = kLowercase | kDecimalDigits | "-.";
  if (!kHost.ContainsAll(name)) return false;
  std::string_view port = text.substr(name.size());
  if (port == ":" || port.size() > 6) return false;
  return kDecimalDigits.ContainsAll(port.substr(port.empty() ? 0 : 1));
}

// A job's id has no "-".
std::optional<JobId> JobOfLabel(const std::string& label) {
  const size_t dash = label.find('-');
  const std::string id = label.substr(0, dash);
  if (!IsJobId(id)) return std::nullopt;
  if (dash == std::string::npos) return JobId(id);
  if (!kAppIdRule.Allows(label.substr(dash + 1))) return std::nullopt;
  return JobId(id);
}

absl::Status NotAHost(const char* what, std::string_view text) {
  return absl::InvalidArgumentError(
      std::string(what) + " \"" + std::string(text) +
      "\": expected a host name in lower case, and a port unless it is 443");
}

}  // namespace

std::string_view WithoutPort(std::string_view host) {
  return host.substr(0, host.find(':'));
}

absl::StatusOr<VirtualHosts> VirtualHosts::Create(
    std::string_view portal_host, std::string_view jobs_domain) {
  return Make(portal_host, "jobs_domain", jobs_domain, false);
}

absl::StatusOr<VirtualHosts> VirtualHosts::CreateWithPaths(
    std::string_view portal_host, std::string_view jobs_host) {
  return Make(portal_host, "jobs_host", jobs_host, true);
}

absl::StatusOr<VirtualHosts> VirtualHosts::Make(std::string_view portal_host,
                                                const char* what,
                                                std::string_view jobs_name,
                                                bool is_path_based) {
  if (!IsHost(portal_host)) return NotAHost("portal_host", portal_host);
  if (!IsHost(jobs_name)) return NotAHost(what, jobs_name);
  VirtualHosts hosts(std::string(WithoutDefaultPort(portal_host)),
                     std::string(WithoutDefaultPort(jobs_name)), is_path_based);
  std::string_view portal = WithoutPort(hosts.portal_);
  std::string_view jobs = WithoutPort(hosts.jobs_);
  const size_t jobs_end = portal.size() - std::min(portal.size(), jobs.size());
  const bool inside = portal.substr(jobs_end) == jobs &&
                      (jobs_end == 0 || portal[jobs_end - 1] == '.');
  if (inside) {
    return absl::InvalidArgumentError(
        "portal_host \"" + hosts.portal_ + "\": lies in " + what + " \"" +
        hosts.jobs_ + "\", where apps run; expected a host outside of it");
  }
  return hosts;
}

bool VirtualHosts::IsPortal(std::string_view host) const {
  return EqualsIgnoreCase(WithoutDefaultPort(host), portal_);
}

HostMatch VirtualHosts::Match(std::string_view host,
                              std::string_view target) const {
  host = WithoutDefaultPort(host);
  if (EqualsIgnoreCase(host, portal_)) return {HostKind::kPortal, {}};
  if (by_path_) {
    if (!EqualsIgnoreCase(host, jobs_)) return {};
    const std::string_view prefix = PrefixOf(target);
    if (prefix.empty() || prefix.front() != '/') return {HostKind::kNoJob, {}};
    std::string label(prefix.substr(1));
    // JobOfLabel() rejects upper case.
    std::optional<JobId> job = JobOfLabel(label);
    if (!job.has_value() || prefix.size() == target.size()) {
      return {HostKind::kNoJob, {}};
    }
    return {HostKind::kJob, {*std::move(job), std::move(label)}};
  }
  const size_t dot = host.find('.');
  if (dot == std::string_view::npos ||
      !EqualsIgnoreCase(host.substr(dot + 1), jobs_)) {
    return {};
  }
  std::string label(host.substr(0, dot));
  for (char& c : label)
    c = c >= 'A' && c <= 'Z' ? static_cast<char>(c | 32) : c;
  std::optional<JobId> job = JobOfLabel(label);
  if (!job.has_value()) return {};
  return {HostKind::kJob, {*std::move(job), std::move(label)}};
}

std::string VirtualHosts::HttpsOrigin(std::string_view host) const {
  const std::string name(WithoutPort(host));
  if (EqualsIgnoreCase(name, WithoutPort(portal_))) return "https://" + portal_;
  if (by_path_) {
    const bool jobs = EqualsIgnoreCase(name, WithoutPort(jobs_));
    return jobs ? "https://" + jobs_ : "";
  }
  const HostMatch match =
      Match(name + jobs_.substr(WithoutPort(jobs_).size()), "");
  return match.kind == HostKind::kJob ? JobOrigin(match.host) : "";
}

}  // namespace carme::proxy
