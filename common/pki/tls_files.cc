#include "common/pki/tls_files.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "common/file.h"
#include "common/log.h"
#include "common/pki/certificate.h"
#include "common/status.h"

namespace carme {
namespace {

absl::Status Named(const absl::Status& status, const std::string& path) {
  return status.ok() ? status
                     : absl::FailedPreconditionError(
                           absl::StrCat("\"", path, "\": ", status.message()));
}

// A missing file is a step of the installation that was not done.
absl::StatusOr<std::string> WithRemedy(absl::StatusOr<std::string> content) {
  if (!absl::IsNotFound(content.status())) return content;
  return absl::NotFoundError(
      absl::StrCat(content.status().message(),
                   ": copy it there (docs/admin/certificates.md)"));
}

absl::Status ReadRevocations(const TlsFilePaths& paths, TlsMaterial* material) {
  if (paths.crl.empty()) return absl::OkStatus();
  ASSIGN_OR_RETURN(material->crl, WithRemedy(ReadFile(paths.crl)));
  auto revoked = Revocations::Read(material->crl, material->ca);
  RETURN_IF_ERROR(Named(revoked.status(), paths.crl));
  material->revoked = *std::move(revoked);
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<TlsMaterial> ReadTlsFiles(const TlsFilePaths& paths) {
  TlsMaterial material;
  ASSIGN_OR_RETURN(material.certificate,
                   WithRemedy(ReadFile(paths.certificate)));
  ASSIGN_OR_RETURN(material.key, WithRemedy(ReadSecretFile(paths.key)));
  RETURN_IF_ERROR(
      Named(CheckKeyPair(material.certificate, material.key),
            absl::StrCat(paths.certificate, "\" and \"", paths.key)));
  if (!paths.ca.empty()) {
    ASSIGN_OR_RETURN(material.ca, WithRemedy(ReadFile(paths.ca)));
    RETURN_IF_ERROR(Named(ReadCertificate(material.ca).status(), paths.ca));
  }
  RETURN_IF_ERROR(ReadRevocations(paths, &material));
  return material;
}

absl::Status CheckPeriod(const std::string& path, const std::string& pem,
                         absl::Time now) {
  ASSIGN_OR_RETURN(const CertificateFacts facts, ReadCertificate(pem));
  constexpr char kFormat[] = "%Y-%m-%d %H:%M UTC";
  if (now > facts.not_after) {
    return absl::FailedPreconditionError(absl::StrCat(
        "\"", path, "\" expired on ",
        absl::FormatTime(kFormat, facts.not_after, absl::UTCTimeZone()),
        ": renew it (docs/admin/certificates.md)"));
  }
  if (now < facts.not_before) {
    return absl::FailedPreconditionError(absl::StrCat(
        "\"", path, "\" is valid from ",
        absl::FormatTime(kFormat, facts.not_before, absl::UTCTimeZone()),
        ", and the clock shows ",
        absl::FormatTime(kFormat, now, absl::UTCTimeZone()),
        ": correct the clock, and start a time service such as chrony"));
  }
  return absl::OkStatus();
}

TlsFiles::TlsFiles(TlsFilePaths paths, FileWatch watch, TlsMaterial material)
    : paths_(std::move(paths)),
      watch_(std::move(watch)),
      material_(std::move(material)) {}

absl::StatusOr<TlsFiles> TlsFiles::Open(TlsFilePaths paths) {
  // Before the files are read, so that no change is missed.
  FileWatch watch({paths.certificate, paths.key, paths.ca, paths.crl});
  ASSIGN_OR_RETURN(TlsMaterial material, ReadTlsFiles(paths));
  return TlsFiles(std::move(paths), std::move(watch), std::move(material));
}

absl::StatusOr<TlsFiles> TlsFiles::OpenValid(TlsFilePaths paths,
                                             absl::Time now) {
  ASSIGN_OR_RETURN(TlsFiles files, Open(std::move(paths)));
  RETURN_IF_ERROR(
      CheckPeriod(files.paths_.certificate, files.material_.certificate, now));
  return files;
}

bool TlsFiles::Refresh() {
  if (!watch_.Changed() && wrong_.empty()) return false;
  absl::StatusOr<TlsMaterial> material = ReadTlsFiles(paths_);
  if (material.ok()) {
    material_ = *std::move(material);
    wrong_.clear();
    LogInfo("certificate read again", {{"file", paths_.certificate},
                                       {"revoked", material_.revoked.size()}});
    return true;
  }
  const std::string wrong = material.status().ToString();
  if (wrong != wrong_) {
    LogError("certificate reload failed, keeping the current one",
             {{"error", wrong}});
  }
  wrong_ = wrong;
  TlsMaterial newer = material_;
  if (!ReadRevocations(paths_, &newer).ok() ||
      newer.revoked == material_.revoked) {
    return false;
  }
  material_ = std::move(newer);
  return true;
}

}  // namespace carme
