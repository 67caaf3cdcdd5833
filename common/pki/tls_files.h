// The files of one TLS identity: loaded and validated together, and reloaded
// when they change.
#ifndef CARME_COMMON_PKI_TLS_FILES_H_
#define CARME_COMMON_PKI_TLS_FILES_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "common/pki/file_watch.h"
#include "common/pki/revocations.h"

namespace carme {

// Paths of PEM files.
struct TlsFilePaths {
  std::string certificate;  // with its chain
  std::string key;          // a secret: ReadSecretFile
  std::string ca{};         // trusted CAs; empty: none
  std::string crl{};        // revocation list; empty: none
};

struct TlsMaterial {
  std::string certificate;
  std::string key;
  std::string ca;
  std::string crl;  // PEM text
  Revocations revoked;
};

// Errors of the files, with the remedy for a missing one; FAILED_PRECONDITION
// with the name of the file: not PEM, a key of another certificate, a list that
// is not signed by the CA.
absl::StatusOr<TlsMaterial> ReadTlsFiles(const TlsFilePaths& paths);

// For a program that starts: no peer accepts a certificate outside of its
// period. FAILED_PRECONDITION, with the remedy.
absl::Status CheckPeriod(const std::string& path, const std::string& pem,
                         absl::Time now);

// Not thread-safe.
class TlsFiles {
 public:
  // ReadTlsFiles' errors.
  static absl::StatusOr<TlsFiles> Open(TlsFilePaths paths);
  // The same, and those of CheckPeriod.
  static absl::StatusOr<TlsFiles> OpenValid(TlsFilePaths paths, absl::Time now);

  const TlsMaterial& material() const { return material_; }

  // Checks the files for changes, with a few stat() calls. True: material() is
  // new. If the new files are invalid (a key was replaced before its
  // certificate), the old material stays in use and the error is logged once;
  // a valid revocation list is used nevertheless. Each call tries again until
  // the files are valid.
  bool Refresh();

 private:
  TlsFiles(TlsFilePaths paths, FileWatch watch, TlsMaterial material);
  TlsFilePaths paths_;
  FileWatch watch_;
  TlsMaterial material_;
  std::string wrong_;  // the error of the current files; empty: none
};

}  // namespace carme

#endif  // CARME_COMMON_PKI_TLS_FILES_H_
