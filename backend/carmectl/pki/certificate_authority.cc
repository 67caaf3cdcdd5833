#include "backend/carmectl/pki/certificate_authority.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "backend/carmectl/pki/messages.h"
#include "backend/carmectl/pki/signing.h"
#include "common/file.h"
#include "common/pki/certificate.h"
#include "common/pki/certificate_request.h"
#include "common/status.h"

namespace carme::carmectl {
namespace {

constexpr mode_t kSecret = 0600;
constexpr mode_t kPublic = 0644;
constexpr size_t kMaxDnsNames = 16;

bool IsServer(MachineRole role) {
  return role == MachineRole::kBackend || role == MachineRole::kMetrics;
}

absl::Status CheckOrder(const CertificateOrder& order) {
  if (order.identity.role == MachineRole::kJob) {
    return MakePlainError(pki_messages::kJobRole);
  }
  if (!IsMachineName(order.identity.name)) {
    return MakePlainError(pki_messages::kInvalidName,
                          {{"name", order.identity.name}});
  }
  if (IsServer(order.identity.role) == order.dns_names.empty()) {
    return MakePlainError(IsServer(order.identity.role)
                              ? pki_messages::kDnsNameMissing
                              : pki_messages::kDnsNamesUnexpected);
  }
  if (order.dns_names.size() > kMaxDnsNames) {
    return MakePlainError(
        pki_messages::kTooManyDnsNames,
        {{"names", order.dns_names.size()}, {"max", kMaxDnsNames}});
  }
  for (const std::string& name : order.dns_names) {
    if (!IsMachineName(name)) {
      return MakePlainError(pki_messages::kInvalidDnsName, {{"name", name}});
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<UniqueFd> Lock(const std::string& directory) {
  UniqueFd fd(open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!fd.valid()) {
    return ErrnoError(errno, absl::StrCat("open \"", directory, "\""));
  }
  struct stat info {};
  if (fstat(fd.get(), &info) != 0 || info.st_uid != geteuid() ||
      (info.st_mode & 0077) != 0) {
    return MakePlainError(
        pki_messages::kDirectoryOwner,
        {{"directory", directory},
         {"owner", info.st_uid},
         {"mode", absl::StrFormat("%03o", info.st_mode & 0777)},
         {"uid", geteuid()}});
  }
  if (flock(fd.get(), LOCK_EX | LOCK_NB) != 0) {
    return ErrnoError(errno, absl::StrCat("lock \"", directory, "\""));
  }
  return fd;
}

}  // namespace

std::string PkiAuthority::File(const std::string& name) const {
  return absl::StrCat(directory_, "/", name);
}

absl::Status PkiAuthority::Init(const std::string& directory,
                                absl::Duration life, absl::Time now) {
  if (mkdir(directory.c_str(), 0700) != 0 && errno != EEXIST) {
    return ErrnoError(errno, absl::StrCat("make \"", directory, "\""));
  }
  PkiAuthority authority;
  authority.directory_ = directory;
  ASSIGN_OR_RETURN(authority.lock_, Lock(directory));
  if (access(authority.File("ca.pem").c_str(), F_OK) == 0) {
    return MakePlainError(pki_messages::kAuthorityExists,
                          {{"directory", directory}});
  }
  ASSIGN_OR_RETURN(authority.key_, authority.KeyOfInit());
  ASSIGN_OR_RETURN(
      authority.certificate_,
      MakeAuthorityCertificate(authority.key_.get(), now, now + life));
  RETURN_IF_ERROR(authority.WriteIndex());
  RETURN_IF_ERROR(authority.WriteRevocations(now));
  // Written last: the file marks a complete authority.
  return WriteNewFile(authority.File("ca.pem"),
                      ToPem(authority.certificate_.get()), kPublic);
}

// A new key, or that of an interrupted Init.
absl::StatusOr<std::shared_ptr<EVP_PKEY>> PkiAuthority::KeyOfInit() const {
  absl::StatusOr<std::string> left = ReadSecretFile(File("ca.key"));
  KeyPtr key = left.ok() ? KeyFromPem(*left) : NewP256Key();
  if (key == nullptr) {
    return MakePlainError(pki_messages::kKeyUnusable,
                          {{"path", File("ca.key")}});
  }
  if (absl::IsNotFound(left.status())) {
    RETURN_IF_ERROR(WriteNewFile(File("ca.key"), ToPem(key.get()), kSecret));
  } else {
    RETURN_IF_ERROR(left.status());
  }
  return std::shared_ptr<EVP_PKEY>(key.release(), EVP_PKEY_free);
}

absl::StatusOr<PkiAuthority> PkiAuthority::Open(const std::string& directory) {
  PkiAuthority authority;
  authority.directory_ = directory;
  ASSIGN_OR_RETURN(authority.lock_, Lock(directory));
  ASSIGN_OR_RETURN(const std::string key,
                   ReadSecretFile(authority.File("ca.key")));
  ASSIGN_OR_RETURN(const std::string certificate,
                   ReadFile(authority.File("ca.pem")));
  RETURN_IF_ERROR(Annotate(CheckKeyPair(certificate, key),
                           absl::StrCat("authority \"", directory, "\"")));
  authority.key_ = KeyFromPem(key);
  authority.certificate_ = CertificateFromPem(certificate);
  ASSIGN_OR_RETURN(const std::string index,
                   ReadFile(authority.File("index"), 16 << 20));
  ASSIGN_OR_RETURN(authority.entries_, ParseIndex(index));
  return authority;
}

absl::Status PkiAuthority::WriteIndex() const {
  return WriteFile(File("index"), FormatIndex(entries_), kSecret);
}

absl::Status PkiAuthority::CheckHasNone(const MachineIdentity& identity,
                                        absl::Time now) const {
  for (const IssuedEntry& entry : entries_) {
    if (entry.identity == identity && entry.IsGood(now)) {
      return MakePlainError(
          pki_messages::kCertificateExists,
          {{"identity", ToUri(identity)}, {"serial", entry.serial}});
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<std::string> PkiAuthority::Stem(
    const CertificateOrder& order, bool again,
    const std::vector<const char*>& endings) {
  std::string stem = order.stem;
  if (stem.empty()) {
    stem = File(absl::StrCat(std::string(RoleName(order.identity.role)), "-",
                             order.identity.name));
    if (again) absl::StrAppend(&stem, "-", entries_.size() + 1);
  }
  for (const char* ending : endings) {
    if (access((stem + ending).c_str(), F_OK) == 0) {
      return MakePlainError(pki_messages::kFileExists,
                            {{"stem", stem}, {"ending", ending}});
    }
  }
  return stem;
}

absl::StatusOr<std::string> PkiAuthority::Certify(const CertificateOrder& order,
                                                  EVP_PKEY* key,
                                                  absl::Time now) {
  ASSIGN_OR_RETURN(const X509Ptr certificate,
                   MakeProgramCertificate(
                       {certificate_.get(), key_.get()}, key,
                       {order.identity, order.dns_names,
                        IsServer(order.identity.role), now, now + order.life}));
  ASSIGN_OR_RETURN(const CertificateFacts facts, FactsOf(certificate.get()));
  entries_.push_back({.serial = facts.serial,
                      .identity = order.identity,
                      .dns_names = order.dns_names,
                      .not_before = facts.not_before,
                      .not_after = facts.not_after,
                      .revoked_at = std::nullopt});
  RETURN_IF_ERROR(WriteIndex());
  return ToPem(certificate.get());
}

absl::StatusOr<IssuedFiles> PkiAuthority::Make(const CertificateOrder& order,
                                               bool again, absl::Time now) {
  RETURN_IF_ERROR(CheckOrder(order));
  ASSIGN_OR_RETURN(const std::string stem,
                   Stem(order, again, {".key", ".pem"}));
  const KeyPtr key = NewP256Key();
  ASSIGN_OR_RETURN(const std::string pem, Certify(order, key.get(), now));
  const IssuedFiles files{.certificate = stem + ".pem", .key = stem + ".key"};
  RETURN_IF_ERROR(WriteNewFile(files.key, ToPem(key.get()), kSecret));
  RETURN_IF_ERROR(WriteNewFile(files.certificate, pem, kPublic));
  return files;
}

absl::StatusOr<IssuedFiles> PkiAuthority::Issue(const CertificateOrder& order,
                                                absl::Time now) {
  RETURN_IF_ERROR(CheckHasNone(order.identity, now));
  return Make(order, false, now);
}

absl::StatusOr<std::string> PkiAuthority::Sign(const CertificateOrder& order,
                                               std::string_view csr_pem,
                                               bool again, absl::Time now) {
  RETURN_IF_ERROR(CheckOrder(order));
  if (!again) RETURN_IF_ERROR(CheckHasNone(order.identity, now));
  ASSIGN_OR_RETURN(const auto key, KeyOfRequest(csr_pem));
  ASSIGN_OR_RETURN(const std::string stem, Stem(order, again, {".pem"}));
  ASSIGN_OR_RETURN(const std::string pem, Certify(order, key.get(), now));
  RETURN_IF_ERROR(WriteNewFile(stem + ".pem", pem, kPublic));
  return stem + ".pem";
}

absl::StatusOr<IssuedFiles> PkiAuthority::Renew(const MachineIdentity& identity,
                                                absl::Duration life,
                                                const std::string& stem,
                                                absl::Time now) {
  const auto newest = std::find_if(
      entries_.rbegin(), entries_.rend(), [&](const IssuedEntry& entry) {
        return entry.identity == identity && !entry.revoked_at;
      });
  if (newest == entries_.rend()) {
    return MakePlainError(pki_messages::kNothingToRenew,
                          {{"identity", ToUri(identity)}});
  }
  return Make({.identity = identity,
               .dns_names = newest->dns_names,
               .life = life,
               .stem = stem},
              true, now);
}

absl::Status PkiAuthority::Revoke(const std::string& serial, absl::Time now) {
  const auto found =
      std::find_if(entries_.begin(), entries_.end(),
                   [&](const IssuedEntry& e) { return e.serial == serial; });
  if (found == entries_.end()) {
    return MakePlainError(pki_messages::kSerialNotFound, {{"serial", serial}});
  }
  if (!found->revoked_at) found->revoked_at = now;
  RETURN_IF_ERROR(WriteIndex());
  // Also if the certificate was revoked before, because a crash may have
  // prevented this write.
  return WriteRevocations(now);
}

absl::Status PkiAuthority::WriteRevocations(absl::Time now) const {
  ASSIGN_OR_RETURN(
      const std::string list,
      MakeRevocationList({certificate_.get(), key_.get()}, entries_, now));
  return WriteFile(File("crl.pem"), list, kPublic);
}

}  // namespace carme::carmectl
