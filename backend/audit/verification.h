// Verifies the whole chain in the table.
#ifndef CARME_BACKEND_AUDIT_VERIFICATION_H_
#define CARME_BACKEND_AUDIT_VERIFICATION_H_

#include <cstdint>
#include <functional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "backend/audit/chain.h"
#include "backend/store/database.h"

namespace carme::backend {

struct AuditVerification {
  ChainHead begin;        // earlier entries are in archives
  int64_t entries = 0;    // valid ones, before the first invalid one
  int64_t broken_at = 0;  // sequence of the first invalid one; 0: none
  std::string why;        // why it is invalid; empty: all are valid
  ChainHead head;         // the last valid one
  int64_t known_at = 0;   // the entry with the known hash; 0: none was given
};

// Reads all entries of the table in pieces and in constant memory. `known` is a
// hash stored elsewhere, e.g. in the audit-head lines of the log; without one,
// entries deleted from the end and a recomputed chain cannot be detected.
// Archives are verified by archive_file.h; an entry must mention each. Entries
// appended meanwhile may be left out. `go_on` is called between pieces; its
// error ends the verification.
absl::StatusOr<AuditVerification> VerifyAudit(
    Database* database, const std::string& known,
    const std::function<absl::Status()>& go_on);

}  // namespace carme::backend

#endif  // CARME_BACKEND_AUDIT_VERIFICATION_H_
