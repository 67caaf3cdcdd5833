// The certificate that browsers see: its times, its key, and whether it covers
// the portal and the jobs.
#include <algorithm>
#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "backend/carmectl/doctor/checks/messages.h"
#include "backend/carmectl/doctor/host/check.h"
#include "backend/carmectl/doctor/host/peer_connection.h"
#include "common/file.h"
#include "common/pki/certificate.h"

namespace carme::carmectl {
namespace {

constexpr absl::Duration kPublicExpiringSoon = absl::Hours(14 * 24);

constexpr FindingKind kPublicUnreadable{
    "public-certificate-unreadable", Severity::kError,
    "carme-proxy does not start without this file."};
constexpr FindingKind kPublicInvalidTime{
    "public-certificate-expired", Severity::kError,
    "Browsers refuse the portal, and users cannot continue because of HSTS."};
constexpr FindingKind kPublicExpiring{
    "public-certificate-expiring", Severity::kWarning,
    "When it expires, browsers refuse the portal."};
constexpr FindingKind kPublicKeyMismatch{
    "public-certificate-key-mismatch", Severity::kError,
    "carme-proxy cannot use a key that belongs to another certificate."};
constexpr FindingKind kPublicNames{
    "public-certificate-names", Severity::kError,
    "Browsers refuse a certificate that does not have the name in the address "
    "bar."};

// Whether one of the certificate's names is valid for `wanted`, which may be
// "*.DOMAIN".
bool Covers(const std::vector<std::string>& names, const std::string& wanted) {
  const size_t dot = wanted.find('.');
  const std::string wildcard =
      dot == std::string::npos ? "" : absl::StrCat("*", wanted.substr(dot));
  return std::any_of(names.begin(), names.end(), [&](const std::string& name) {
    return name == wanted || (!wildcard.empty() && name == wildcard);
  });
}

std::vector<std::string> WantedNames(const ProxySettings& proxy) {
  std::vector<std::string> wanted;
  const auto add = [&](const std::string& prefix, const std::string& address) {
    const auto parsed = ParseHostPort(address, 443);
    if (parsed.ok()) wanted.push_back(prefix + parsed->host);
  };
  add("", proxy.portal_host);
  if (!proxy.jobs_host.empty()) {
    add("", proxy.jobs_host);
  } else {
    add("*.", proxy.jobs_domain);
  }
  return wanted;
}

class PublicCertificateCheck : public Check {
 public:
  CheckInfo info() const override {
    return {"public-certificate",
            "the certificate for browsers: times, key, names",
            {HostRole::kProxy},
            {kPublicUnreadable, kPublicInvalidTime, kPublicExpiring,
             kPublicKeyMismatch, kPublicNames}};
  }

  std::vector<Finding> Run(const Host& host) const override {
    std::vector<Finding> findings;
    if (!host.proxy()) return findings;
    std::vector<std::string> names;
    for (const CertificatePaths& paths : host.proxy()->certificates) {
      CheckOne(paths, host.options().now, &names, &findings);
    }
    if (names.empty()) return findings;
    for (const std::string& wanted : WantedNames(*host.proxy())) {
      if (Covers(names, wanted)) continue;
      findings.push_back(
          {kPublicNames,
           FormatMessage(
               host_check_messages::kPublicNames,
               {{"host", wanted}, {"names", absl::StrJoin(names, ", ")}}),
           FormatMessage(host_check_messages::kPublicNamesRemedy,
                         {{"names", absl::StrJoin(WantedNames(*host.proxy()),
                                                  " and ")}})});
    }
    return findings;
  }

 private:
  static void CheckOne(const CertificatePaths& paths, absl::Time now,
                       std::vector<std::string>* names,
                       std::vector<Finding>* findings) {
    const auto pem = ReadFile(paths.certificate);
    const auto facts = pem.ok() ? ReadCertificate(*pem) : pem.status();
    if (!facts.ok()) {
      findings->push_back(
          {kPublicUnreadable,
           FormatMessage(host_check_messages::kCertificateUnreadable,
                         {{"path", paths.certificate},
                          {"cause", facts.status().message()}}),
           FormatMessage(host_check_messages::kPublicUnreadableRemedy,
                         {{"certificate", paths.certificate}})});
      return;
    }
    names->insert(names->end(), facts->dns_names.begin(),
                  facts->dns_names.end());
    const std::string period = FormatMessage(
        host_check_messages::kPublicPeriod,
        {{"certificate", paths.certificate},
         {"begin",
          absl::FormatTime("%Y-%m-%d", facts->not_before, absl::UTCTimeZone())},
         {"end", absl::FormatTime("%Y-%m-%d", facts->not_after,
                                  absl::UTCTimeZone())}});
    const std::string renew =
        FormatMessage(host_check_messages::kPublicRenewRemedy);
    if (now < facts->not_before || now >= facts->not_after) {
      findings->push_back({kPublicInvalidTime, period, renew});
    } else if (now + kPublicExpiringSoon >= facts->not_after) {
      findings->push_back({kPublicExpiring, period, renew});
    }
    const auto key = ReadFile(paths.key);
    if (key.ok() && !CheckKeyPair(*pem, *key).ok()) {
      findings->push_back(
          {kPublicKeyMismatch,
           FormatMessage(
               host_check_messages::kKeyMismatch,
               {{"key", paths.key}, {"certificate", paths.certificate}}),
           FormatMessage(host_check_messages::kPublicKeyRemedy)});
    }
  }
};

}  // namespace

std::unique_ptr<Check> MakePublicCertificateCheck() {
  return std::make_unique<PublicCertificateCheck>();
}

}  // namespace carme::carmectl
