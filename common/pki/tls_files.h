// The files of one TLS identity, read whole and tried out, and read again when
// they change.
#ifndef CARME_COMMON_PKI_TLS_FILES_H_
#define CARME_COMMON_PKI_TLS_FILES_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "common/pki/file_watch.h"
#include "common/pki/revocations.h"

namespace carme {

// Paths of PEM files.
struct TlsFilePaths {
  std::string certificate;  // with its chain
  std::string key;          // a secret: ReadSecretFile
  std::string ca{};         // whom to trust; empty: nobody is to be
  std::string crl{};        // whom no more; empty: no list
};

struct TlsMaterial {
  std::string certificate;
  std::string key;
  std::string ca;
  std::string crl;  // as text, for those who pass it on
  Revocations revoked;
};

// The files' errors; FAILED_PRECONDITION, naming the file: not PEM, a key that
// is not the certificate's, a list that the authority did not sign.
absl::StatusOr<TlsMaterial> ReadTlsFiles(const TlsFilePaths& paths);

// Not thread-safe.
class TlsFiles {
 public:
  // ReadTlsFiles' errors.
  static absl::StatusOr<TlsFiles> Open(TlsFilePaths paths);

  const TlsMaterial& material() const { return material_; }

  // Looks at the files, which costs some stat() calls. True: there is new
  // material. What cannot be used (a key that was replaced before its
  // certificate) changes nothing and is logged, once; the
  // revocation list is taken all the same when it is good. It is tried again at
  // each look until the files are good.
  bool Refresh();

 private:
  TlsFiles(TlsFilePaths paths, FileWatch watch, TlsMaterial material);
  TlsFilePaths paths_;
  FileWatch watch_;
  TlsMaterial material_;
  std::string wrong_;  // with the files as they are; empty: nothing
};

}  // namespace carme

#endif  // CARME_COMMON_PKI_TLS_FILES_H_
