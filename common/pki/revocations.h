// Which certificates their authority has taken back.
#ifndef CARME_COMMON_PKI_REVOCATIONS_H_
#define CARME_COMMON_PKI_REVOCATIONS_H_

#include <set>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace carme {

// A value. By serial alone: those of Carme's authorities are 127 random bits.
// A list does not grow stale: it is a file that an administrator puts there,
// and its nextUpdate is not looked at.
class Revocations {
 public:
  // Revokes nothing.
  Revocations() = default;

  // Reads the lists (one or several, PEM). INVALID_ARGUMENT: none, or one that
  // cannot be read, or that no certificate of `ca_pem` has signed.
  static absl::StatusOr<Revocations> Read(std::string_view crl_pem,
                                          std::string_view ca_pem);

  // `serial` as in CertificateFacts.
  bool Contains(const std::string& serial) const {
    return serials_.count(serial) > 0;
  }
  size_t size() const { return serials_.size(); }
  friend bool operator==(const Revocations&, const Revocations&) = default;

 private:
  std::set<std::string> serials_;
};

}  // namespace carme

#endif  // CARME_COMMON_PKI_REVOCATIONS_H_
