// The certificate authority of a site for the programs of Carme, in a
// directory:
//
//   ca.key    its key, P-256, 0600       ca.pem   its certificate
//   index     what it has issued         crl.pem  what it has taken back
//   ROLE-NAME.key, ROLE-NAME.pem         what it issues
//
// Existing files are never overwritten, except index and crl.pem.
#ifndef CARME_BACKEND_CARMECTL_PKI_CERTIFICATE_AUTHORITY_H_
#define CARME_BACKEND_CARMECTL_PKI_CERTIFICATE_AUTHORITY_H_

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "backend/carmectl/pki/certificate_index.h"
#include "common/unique_fd.h"

struct evp_pkey_st;
struct x509_st;

namespace carme::carmectl {

struct CertificateOrder {
  MachineIdentity identity;
  // Required for a backend, not allowed for the others.
  std::vector<std::string> dns_names{};
  absl::Duration life = absl::Hours(24 * 365);
  // Path of the new files without .pem and .key; empty: ROLE-NAME in the
  // authority's directory.
  std::string stem{};
};

struct IssuedFiles {
  std::string certificate;
  std::string key;
};

// Not thread-safe. Locks the directory against other processes.
class PkiAuthority {
 public:
  // Makes the directory (0700) and in it the authority, with an empty
  // revocation list. ALREADY_EXISTS: there is one; PERMISSION_DENIED: the
  // directory exists and has another owner, or others have access to it.
  static absl::Status Init(const std::string& directory, absl::Duration life,
                           absl::Time now);
  // NOT_FOUND: no authority there; PERMISSION_DENIED: others may read its key;
  // UNAVAILABLE: in use by another process; FAILED_PRECONDITION: its files do
  // not belong together.
  static absl::StatusOr<PkiAuthority> Open(const std::string& directory);

  // Makes a key and its certificate. INVALID_ARGUMENT: a role that is no
  // program's (jobs' certificates are the backend's to issue), DNS names where
  // none belong or none where one must be, a life that is longer than the
  // authority's; ALREADY_EXISTS: the identity has a good certificate, or a file
  // is there.
  absl::StatusOr<IssuedFiles> Issue(const CertificateOrder& order,
                                    absl::Time now);
  // A new key and certificate for the identity of the newest certificate with
  // `identity`; the old one stays good until it ends or is revoked. NOT_FOUND:
  // there is none, or all are revoked.
  absl::StatusOr<IssuedFiles> Renew(const MachineIdentity& identity,
                                    absl::Duration life,
                                    const std::string& stem, absl::Time now);
  // As Issue, for the key of a request that was made elsewhere (its host keeps
  // it); nothing else is taken from the request. Returns the certificate's
  // path. `again`: also when the identity has a good certificate, which stays
  // good. INVALID_ARGUMENT: a request of KeyOfRequest's kinds, too.
  absl::StatusOr<std::string> Sign(const CertificateOrder& order,
                                   std::string_view csr_pem, bool again,
                                   absl::Time now);
  // Revokes a certificate and signs a new list. NOT_FOUND. A certificate that
  // is already revoked keeps its time.
  absl::Status Revoke(const std::string& serial, absl::Time now);

  const std::vector<IssuedEntry>& entries() const { return entries_; }

 private:
  PkiAuthority() = default;
  std::string File(const std::string& name) const;
  absl::StatusOr<std::shared_ptr<evp_pkey_st>> KeyOfInit() const;
  absl::StatusOr<IssuedFiles> Make(const CertificateOrder& order, bool again,
                                   absl::Time now);
  // ALREADY_EXISTS.
  absl::Status CheckHasNone(const MachineIdentity& identity,
                            absl::Time now) const;
  // A path without ending, of which none is there with one of `endings`.
  absl::StatusOr<std::string> Stem(const CertificateOrder& order, bool again,
                                   const std::vector<const char*>& endings);
  // The certificate, which is in the index by then; PEM.
  absl::StatusOr<std::string> Certify(const CertificateOrder& order,
                                      evp_pkey_st* key, absl::Time now);
  absl::Status WriteIndex() const;
  absl::Status WriteRevocations(absl::Time now) const;

  std::string directory_;
  UniqueFd lock_;
  std::shared_ptr<evp_pkey_st> key_;
  std::shared_ptr<x509_st> certificate_;
  std::vector<IssuedEntry> entries_;
};

}  // namespace carme::carmectl

#endif  // CARME_BACKEND_CARMECTL_PKI_CERTIFICATE_AUTHORITY_H_
