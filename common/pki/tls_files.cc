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

absl::Status ReadRevocations(const TlsFilePaths& paths, TlsMaterial* material) {
  if (paths.crl.empty()) return absl::OkStatus();
  ASSIGN_OR_RETURN(material->crl, ReadFile(paths.crl));
  auto revoked = Revocations::Read(material->crl, material->ca);
  RETURN_IF_ERROR(Named(revoked.status(), paths.crl));
  material->revoked = *std::move(revoked);
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<TlsMaterial> ReadTlsFiles(const TlsFilePaths& paths) {
  TlsMaterial material;
  ASSIGN_OR_RETURN(material.certificate, ReadFile(paths.certificate));
  ASSIGN_OR_RETURN(material.key, ReadSecretFile(paths.key));
  RETURN_IF_ERROR(
      Named(CheckKeyPair(material.certificate, material.key),
            absl::StrCat(paths.certificate, "\" and \"", paths.key)));
  if (!paths.ca.empty()) {
    ASSIGN_OR_RETURN(material.ca, ReadFile(paths.ca));
    RETURN_IF_ERROR(Named(ReadCertificate(material.ca).status(), paths.ca));
  }
  RETURN_IF_ERROR(ReadRevocations(paths, &material));
  return material;
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
