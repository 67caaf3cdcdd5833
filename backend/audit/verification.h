// Verifies the whole chain as it stands in the table.
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

struct AuditVerdict {
  ChainHead begin;        // what came before went to archives
  int64_t entries = 0;    // that were good, before the first that was not
  int64_t broken_at = 0;  // the sequence of that one; 0: all are good
  std::string why;        // in words; empty: all are good
  ChainHead head;         // the last good one
  int64_t known_at = 0;   // which entry has the known hash; 0: none was given
};

// Reads from the first entry that is in the table to the last, in pieces and in
// constant memory. `known` is a hash that was noted outside of the table, e.g.
// from the log's audit-head lines, or empty: without one, entries that were cut
// off the end, and a chain that was computed anew, cannot be told. What is in
// archives is theirs to prove (archive_file.h); that there is one must be told
// by an entry. What is appended meanwhile may be left out. `go_on` is asked
// between pieces; its error ends it.
absl::StatusOr<AuditVerdict> VerifyAudit(
    Database* database, const std::string& known,
    const std::function<absl::Status()>& go_on);

}  // namespace carme::backend

#endif  // CARME_BACKEND_AUDIT_VERIFICATION_H_
