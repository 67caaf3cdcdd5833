#include "backend/carmectl/setup/site/site_authority.h"

#include <filesystem>
#include <optional>

#include "absl/strings/str_cat.h"
#include "backend/carmectl/pki/certificate_authority.h"
#include "common/file.h"
#include "common/pki/certificate.h"
#include "common/status.h"

namespace carme::carmectl {
namespace {

constexpr absl::Duration kAuthorityLife = absl::Hours(24 * 3650);
constexpr absl::Duration kProgramLife = absl::Hours(24 * 365);
constexpr absl::Duration kRenewBefore = absl::Hours(24 * 60);

// The files of a certificate in the directory, if its key is there too.
std::optional<PemPair> FindIssued(const std::string& directory,
                                  const IssuedEntry& entry) {
  std::error_code error;
  for (const auto& each :
       std::filesystem::directory_iterator(directory, error)) {
    if (each.path().extension() != ".pem") continue;
    const auto certificate = ReadFile(each.path());
    const auto facts =
        certificate.ok() ? ReadCertificate(*certificate) : certificate.status();
    if (!facts.ok() || facts->serial != entry.serial) continue;
    std::filesystem::path key_path = each.path();
    const auto key = ReadFile(key_path.replace_extension(".key"));
    if (key.ok() && CheckKeyPair(*certificate, *key).ok()) {
      return PemPair{*certificate, *key};
    }
  }
  return std::nullopt;
}

absl::StatusOr<PemPair> ReadIssued(const IssuedFiles& files) {
  PemPair pair;
  ASSIGN_OR_RETURN(pair.certificate, ReadFile(files.certificate));
  ASSIGN_OR_RETURN(pair.key, ReadFile(files.key));
  return pair;
}

absl::StatusOr<PemPair> CertificateFor(const std::string& directory,
                                       const CertificateOrder& order,
                                       absl::Time now,
                                       PkiAuthority* authority) {
  bool has_good = false;
  for (const IssuedEntry& entry : authority->entries()) {
    if (!(entry.identity == order.identity) || !entry.IsGood(now)) continue;
    has_good = true;
    if (entry.not_after < now + kRenewBefore) continue;
    const std::optional<PemPair> found = FindIssued(directory, entry);
    if (found) return *found;
  }
  if (has_good) {
    ASSIGN_OR_RETURN(const IssuedFiles renewed,
                     authority->Renew(order.identity, order.life, "", now));
    return ReadIssued(renewed);
  }
  ASSIGN_OR_RETURN(const IssuedFiles issued, authority->Issue(order, now));
  return ReadIssued(issued);
}

}  // namespace

absl::Status IssueSiteCertificates(const std::string& directory,
                                   const SiteAnswers& answers, absl::Time now,
                                   SiteMaterial* material) {
  std::error_code error;
  if (!std::filesystem::exists(absl::StrCat(directory, "/ca.key"), error)) {
    RETURN_IF_ERROR(PkiAuthority::Init(directory, kAuthorityLife, now));
  }
  ASSIGN_OR_RETURN(PkiAuthority authority, PkiAuthority::Open(directory));
  const auto make = [&](MachineRole role, const std::string& name,
                        std::vector<std::string> dns_names) {
    return CertificateFor(directory,
                          {.identity = {role, name},
                           .dns_names = std::move(dns_names),
                           .life = kProgramLife},
                          now, &authority);
  };
  ASSIGN_OR_RETURN(material->backend,
                   make(MachineRole::kBackend, "head", {kBackendName}));
  ASSIGN_OR_RETURN(material->frontend, make(MachineRole::kFrontend, "dmz", {}));
  ASSIGN_OR_RETURN(material->proxy, make(MachineRole::kProxy, "dmz", {}));
  for (const std::string& each : answers.further_clusters) {
    RETURN_IF_ERROR(make(MachineRole::kCluster, each, {}).status());
  }
  ASSIGN_OR_RETURN(material->authority,
                   ReadFile(absl::StrCat(directory, "/ca.pem")));
  ASSIGN_OR_RETURN(material->revocations,
                   ReadFile(absl::StrCat(directory, "/crl.pem")));
  return absl::OkStatus();
}

}  // namespace carme::carmectl
