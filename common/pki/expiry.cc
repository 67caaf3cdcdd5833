#include "common/pki/expiry.h"

#include "absl/strings/str_cat.h"
#include "common/log.h"
#include "common/pki/certificate.h"

namespace carme {

std::vector<CertificateHealth> HealthOf(const std::string& program,
                                        const std::string& pem, int warn_days,
                                        absl::Time now) {
  const auto facts = ReadCertificate(pem);
  if (!facts.ok()) return {};
  return {{.program = program,
           .name = facts->uris.empty() ? facts->subject : facts->uris.front(),
           .not_after = facts->not_after,
           .soon = facts->not_after < now + absl::Hours(24) * warn_days}};
}

std::vector<CertificateHealth> HealthOfList(const Revocations& list,
                                            const std::string& authority,
                                            absl::Time now) {
  const auto facts = ReadCertificate(authority);
  if (list.next_update() == absl::InfiniteFuture() || !facts.ok()) return {};
  return {{.program = "revocation list",
           .name = facts->subject,
           .not_after = list.next_update(),
           .soon = list.next_update() < now + absl::Hours(1)}};
}

void ExpiryWarnings::Check(const std::vector<CertificateHealth>& certificates,
                           absl::Time now) {
  for (const CertificateHealth& certificate : certificates) {
    if (!certificate.soon) continue;
    const char* const what =
        certificate.not_after < now ? "expired" : "expires soon";
    const auto [warned, is_new] = warned_.try_emplace(
        absl::StrCat(certificate.program, " ", certificate.name, " ", what),
        now);
    if (!is_new && now < warned->second + absl::Hours(24)) continue;
    warned->second = now;
    LogWarning(what, {{"of", certificate.program},
                      {"name", certificate.name},
                      {"not_after", absl::FormatTime(certificate.not_after,
                                                     absl::UTCTimeZone())},
                      {"remedy", "renew it: docs/admin/certificates.md"}});
  }
}

}  // namespace carme
