#include "slurm-hooks/agent/control/registration.h"

#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "carme/v1/agent.pb.h"
#include "common/log.h"
#include "common/status.h"

namespace carme::agent {
namespace {

absl::StatusOr<ProxyTrust> ReadTrust(const std::string& ca_pem,
                                     const std::string& crl_pem) {
  if (ca_pem.empty()) return WrongField("proxy_ca_pem", "PEM");
  ProxyTrust trust{.ca_pem = ca_pem, .revoked = {}};
  if (!crl_pem.empty()) {
    ASSIGN_OR_RETURN(trust.revoked, Revocations::Read(crl_pem, ca_pem));
  }
  return trust;
}

// One permanent connection each.
constexpr int kMaxProxies = 8;

absl::StatusOr<std::vector<net::Address>> ReadDial(
    const carme::v1::RegisterResponse& response) {
  std::vector<net::Address> proxies;
  for (const std::string& address : response.dial()) {
    const auto proxy = net::Address::Parse(address);
    if (!proxy.ok() || proxy->port() == 0 ||
        response.dial_size() > kMaxProxies) {
      return WrongField("dial", "a few addresses with ports");
    }
    proxies.push_back(*proxy);
  }
  return proxies;
}

}  // namespace

absl::StatusOr<ProxyTrust> CheckProxyTrust(const carme::v1::ProxyTrust& trust) {
  return ReadTrust(trust.ca_pem(), trust.crl_pem());
}

absl::StatusOr<Registration> CheckRegistration(
    const carme::v1::RegisterResponse& response) {
  if (!IsJobId(response.job_id())) return WrongField("job_id", "a job id");
  const bool without_app = response.has_image_build() || response.has_batch() ||
                           !response.linked_to().empty();
  if (!without_app && !IsPlainText(response.app()))
    return WrongField("app", "the id of an app");
  // A batch job accepts no connections.
  if (response.certificate_pem().empty() && !response.has_batch())
    return WrongField("certificate_pem", "PEM");
  ASSIGN_OR_RETURN(ProxyTrust trust, ReadTrust(response.proxy_ca_pem(),
                                               response.proxy_crl_pem()));
  if (!IsMachineName(response.proxy_name())) {
    return WrongField("proxy_name", "a machine's name");
  }
  ASSIGN_OR_RETURN(std::vector<net::Address> dial, ReadDial(response));
  ASSIGN_OR_RETURN(JobPlan plan, CheckJobPlan(response));
  if (response.has_metrics()) {
    plan.metrics = ReadMetricsPlan(response.metrics());
    // Metrics never make a job fail.
    if (!plan.metrics) {
      LogWarning("the backend's plan for metrics is invalid, sampling nothing");
    }
  }
  ASSIGN_OR_RETURN(VerifyingKey key,
                   VerifyingKey::FromRaw(response.ticket_public_key()));
  std::set<std::string> apps;
  for (const AppPlan& app : plan.apps) apps.insert(app.id);
  return Registration{
      .rules = {JobId(response.job_id()), std::move(apps), std::move(key)},
      .certificate_pem = response.certificate_pem(),
      .trust = std::move(trust),
      .proxy = {MachineRole::kProxy, response.proxy_name()},
      .plan = std::move(plan),
      .dial = std::move(dial)};
}

}  // namespace carme::agent
