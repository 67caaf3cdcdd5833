// The index of all issued certificates, one a line.
//
// Replaced as a whole (WriteFile), so that a crash leaves the old list or the
// new one. A line is written before its certificate is: what was ever signed
// can be revoked.
#ifndef CARME_BACKEND_CARMECTL_PKI_CERTIFICATE_INDEX_H_
#define CARME_BACKEND_CARMECTL_PKI_CERTIFICATE_INDEX_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "common/pki/machine_identity.h"

namespace carme::carmectl {

struct IssuedEntry {
  std::string serial;  // hexadecimal, as in CertificateFacts
  MachineIdentity identity;
  std::vector<std::string> dns_names;
  absl::Time not_before;
  absl::Time not_after;
  std::optional<absl::Time> revoked_at;

  bool IsGood(absl::Time now) const { return !revoked_at && now < not_after; }
};

// FAILED_PRECONDITION: a line that is none, named by its number. The times are
// whole seconds.
absl::StatusOr<std::vector<IssuedEntry>> ParseIndex(std::string_view text);
std::string FormatIndex(const std::vector<IssuedEntry>& entries);

}  // namespace carme::carmectl

#endif  // CARME_BACKEND_CARMECTL_PKI_CERTIFICATE_INDEX_H_
