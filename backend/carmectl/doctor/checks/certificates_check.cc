// The certificates that Carme's programs use between each other, and their
// authority.
#include <openssl/pem.h>
#include <openssl/x509_vfy.h>

#include <memory>
#include <optional>
#include <string>

#include "absl/strings/str_cat.h"
#include "backend/carmectl/doctor/checks/messages.h"
#include "backend/carmectl/doctor/host/check.h"
#include "common/file.h"
#include "common/pki/certificate.h"
#include "common/pki/machine_identity.h"
#include "common/pki/revocations.h"
#include "common/pki/x509_maker.h"

namespace carme::carmectl {
namespace {

constexpr absl::Duration kExpiringSoon = absl::Hours(14 * 24);

constexpr FindingKind kCertificateUnreadable{
    "certificate-unreadable", Severity::kError,
    "The program does not start without this file."};
constexpr FindingKind kCertificateExpired{
    "certificate-expired", Severity::kError,
    "Other programs refuse connections with an expired certificate."};
constexpr FindingKind kCertificateExpiring{
    "certificate-expiring", Severity::kWarning,
    "Carme stops working when the certificate expires."};
constexpr FindingKind kCertificateNotYetValid{
    "certificate-not-yet-valid", Severity::kError,
    "The clock of this host, or of the one that issued it, is wrong."};
constexpr FindingKind kCertificateKeyMismatch{
    "certificate-key-mismatch", Severity::kError,
    "The program cannot use a key that belongs to another certificate."};
constexpr FindingKind kCertificateUntrusted{
    "certificate-untrusted", Severity::kError,
    "Other programs accept only certificates of the site's authority."};
constexpr FindingKind kCertificateRole{
    "certificate-wrong-role", Severity::kError,
    "The URI of a certificate decides which program it is; others refuse it."};
constexpr FindingKind kCertificateNoName{
    "certificate-without-name", Severity::kError,
    "Frontend, proxy and agents look for a DNS name in the backend's "
    "certificate."};
constexpr FindingKind kCertificateRevoked{
    "certificate-revoked", Severity::kError,
    "Other programs refuse a revoked certificate."};
constexpr FindingKind kAuthorityInvalid{
    "authority-unreadable", Severity::kError,
    "Without the authority's certificate no other program can be verified."};
constexpr FindingKind kRevocationListInvalid{
    "revocation-list-unreadable", Severity::kError,
    "The program does not start with a list that the authority did not sign."};

struct SiteCertificate {
  MachineRole role;
  CertificatePaths paths;
  std::string ca;
  std::string crl;
};

bool IsIssuedBy(std::string_view pem, std::string_view authorities) {
  const X509Ptr certificate = CertificateFromPem(pem);
  const std::unique_ptr<X509_STORE, decltype(&X509_STORE_free)> store(
      X509_STORE_new(), &X509_STORE_free);
  const BioPtr authority_text = ReadingBio(authorities);
  for (;;) {
    const X509Ptr authority(
        PEM_read_bio_X509(authority_text.get(), nullptr, nullptr, nullptr));
    if (!authority) break;
    X509_STORE_add_cert(store.get(), authority.get());
  }
  const std::unique_ptr<STACK_OF(X509), void (*)(STACK_OF(X509)*)> chain(
      sk_X509_new_null(),
      [](STACK_OF(X509) * all) { sk_X509_pop_free(all, X509_free); });
  const BioPtr chain_text = ReadingBio(pem);
  while (X509* const each =
             PEM_read_bio_X509(chain_text.get(), nullptr, nullptr, nullptr)) {
    sk_X509_push(chain.get(), each);
  }
  const std::unique_ptr<X509_STORE_CTX, decltype(&X509_STORE_CTX_free)> verify(
      X509_STORE_CTX_new(), &X509_STORE_CTX_free);
  X509_STORE_CTX_init(verify.get(), store.get(), certificate.get(),
                      chain.get());
  // Times are findings of their own.
  X509_STORE_CTX_set_flags(verify.get(), X509_V_FLAG_NO_CHECK_TIME);
  return certificate && X509_verify_cert(verify.get()) == 1;
}

std::string Remedy(const SiteCertificate& site) {
  return FormatMessage(host_check_messages::kRenewRemedy,
                       {{"role", RoleName(site.role)},
                        {"certificate", site.paths.certificate},
                        {"key", site.paths.key}});
}

class CertificatesCheck : public Check {
 public:
  CheckInfo info() const override {
    return {"certificates",
            "the programs' certificates: times, authority, role, key",
            {HostRole::kProxy, HostRole::kFrontend, HostRole::kBackend,
             HostRole::kMetrics, HostRole::kNode},
            {kCertificateUnreadable, kCertificateExpired, kCertificateExpiring,
             kCertificateNotYetValid, kCertificateKeyMismatch,
             kCertificateUntrusted, kCertificateRole, kCertificateNoName,
             kCertificateRevoked, kAuthorityInvalid, kRevocationListInvalid}};
  }

  std::vector<Finding> Run(const Host& host) const override {
    std::vector<Finding> findings;
    const absl::Time now = host.options().now;
    if (const auto& proxy = host.proxy()) {
      CheckSite({MachineRole::kProxy, proxy->backend.own, proxy->backend.ca,
                 proxy->backend.crl},
                now, &findings);
    }
    if (const auto& frontend = host.frontend()) {
      CheckSite({MachineRole::kFrontend, frontend->backend.own,
                 frontend->backend.ca, frontend->backend.crl},
                now, &findings);
    }
    if (const auto& backend = host.backend()) {
      CheckSite({MachineRole::kBackend, backend->own, backend->client_ca,
                 backend->client_crl},
                now, &findings);
      const BackendLink& identity = backend->identity_backend;
      if (!identity.address.empty()) {
        CheckSite(
            {MachineRole::kCluster, identity.own, identity.ca, identity.crl},
            now, &findings);
      }
      if (!backend->ldap_ca.empty()) {
        CheckAuthority(backend->ldap_ca, now, &findings);
      }
    }
    if (const auto& metrics = host.metrics()) {
      CheckSite(
          {MachineRole::kMetrics, metrics->own, metrics->ca, metrics->crl}, now,
          &findings);
    }
    if (host.node()) CheckAuthority(host.node()->ca, now, &findings);
    return findings;
  }

 private:
  using Findings = std::vector<Finding>;

  static void CheckTimes(const std::string& path, const CertificateFacts& facts,
                         absl::Time now, const std::string& remedy,
                         Findings* findings) {
    const auto day = [](absl::Time time) {
      return absl::FormatTime("%Y-%m-%d %H:%M", time, absl::UTCTimeZone());
    };
    if (now < facts.not_before) {
      findings->push_back(
          {kCertificateNotYetValid,
           FormatMessage(host_check_messages::kNotYetValid,
                         {{"path", path},
                          {"begin", day(facts.not_before)},
                          {"now", day(now)}}),
           FormatMessage(host_check_messages::kNotYetValidRemedy)});
    } else if (now >= facts.not_after) {
      findings->push_back(
          {kCertificateExpired,
           FormatMessage(host_check_messages::kExpired,
                         {{"path", path}, {"end", day(facts.not_after)}}),
           remedy});
    } else if (now + kExpiringSoon >= facts.not_after) {
      findings->push_back(
          {kCertificateExpiring,
           FormatMessage(host_check_messages::kExpiring,
                         {{"path", path}, {"end", day(facts.not_after)}}),
           remedy});
    }
  }

  // The text of the file; empty: it has no certificate.
  static std::string CheckAuthority(const std::string& path, absl::Time now,
                                    Findings* findings) {
    const auto pem = ReadFile(path);
    const auto facts = pem.ok() ? ReadCertificate(*pem) : pem.status();
    if (!facts.ok()) {
      findings->push_back(
          {kAuthorityInvalid,
           FormatMessage(host_check_messages::kAuthorityUnreadable,
                         {{"path", path}, {"cause", facts.status().message()}}),
           FormatMessage(host_check_messages::kAuthorityRemedy,
                         {{"path", path}})});
      return "";
    }
    CheckTimes(path, *facts, now,
               FormatMessage(host_check_messages::kNewAuthorityRemedy),
               findings);
    return *pem;
  }

  static void CheckSite(const SiteCertificate& site, absl::Time now,
                        Findings* findings) {
    const std::string ca = CheckAuthority(site.ca, now, findings);
    const std::string& path = site.paths.certificate;
    const auto pem = ReadFile(path);
    const auto facts = pem.ok() ? ReadCertificate(*pem) : pem.status();
    if (!facts.ok()) {
      findings->push_back(
          {kCertificateUnreadable,
           FormatMessage(host_check_messages::kCertificateUnreadable,
                         {{"path", path}, {"cause", facts.status().message()}}),
           FormatMessage(host_check_messages::kIssueRemedy,
                         {{"role", RoleName(site.role)},
                          {"certificate", path},
                          {"key", site.paths.key}})});
      return;
    }
    CheckTimes(path, *facts, now, Remedy(site), findings);
    const auto key = ReadFile(site.paths.key);
    if (key.ok() && !CheckKeyPair(*pem, *key).ok()) {
      findings->push_back(
          {kCertificateKeyMismatch,
           FormatMessage(host_check_messages::kKeyMismatch,
                         {{"key", site.paths.key}, {"certificate", path}}),
           Remedy(site)});
    }
    if (!ca.empty() && !IsIssuedBy(*pem, ca)) {
      findings->push_back(
          {kCertificateUntrusted,
           FormatMessage(host_check_messages::kNotIssuedBy,
                         {{"certificate", path}, {"authority", site.ca}}),
           Remedy(site)});
    }
    CheckNames(site, *facts, findings);
    if (!site.crl.empty() && !ca.empty()) {
      CheckRevocation(site, *facts, ca, findings);
    }
  }

  static void CheckNames(const SiteCertificate& site,
                         const CertificateFacts& facts, Findings* findings) {
    const auto identity = TheIdentity(facts.uris);
    const std::string expected =
        absl::StrCat("carme://", std::string(RoleName(site.role)), "/NAME");
    if (!identity.ok() || identity->role != site.role) {
      findings->push_back(
          {kCertificateRole,
           FormatMessage(host_check_messages::kWrongIdentity,
                         {{"certificate", site.paths.certificate},
                          {"found", identity.ok() ? ToUri(*identity)
                                                  : "no program of Carme"},
                          {"expected", expected}}),
           Remedy(site)});
    }
    if (site.role == MachineRole::kBackend && facts.dns_names.empty()) {
      findings->push_back(
          {kCertificateNoName,
           FormatMessage(host_check_messages::kNoDnsName,
                         {{"certificate", site.paths.certificate}}),
           FormatMessage(host_check_messages::kNoDnsNameRemedy)});
    }
  }

  static void CheckRevocation(const SiteCertificate& site,
                              const CertificateFacts& facts,
                              const std::string& ca, Findings* findings) {
    const auto pem = ReadFile(site.crl);
    const auto list = pem.ok() ? Revocations::Read(*pem, ca)
                               : absl::StatusOr<Revocations>(pem.status());
    if (!list.ok()) {
      findings->push_back(
          {kRevocationListInvalid,
           FormatMessage(
               host_check_messages::kRevocationList,
               {{"path", site.crl}, {"cause", list.status().message()}}),
           FormatMessage(host_check_messages::kRevocationListRemedy,
                         {{"path", site.crl}})});
    } else if (list->Contains(facts.serial)) {
      findings->push_back(
          {kCertificateRevoked,
           FormatMessage(host_check_messages::kRevoked,
                         {{"certificate", site.paths.certificate},
                          {"serial", facts.serial}}),
           Remedy(site)});
    }
  }
};

}  // namespace

std::unique_ptr<Check> MakeCertificatesCheck() {
  return std::make_unique<CertificatesCheck>();
}

}  // namespace carme::carmectl
