#include "backend/audit/verification.h"

#include "absl/strings/str_cat.h"
#include "backend/audit/audit_table.h"
#include "common/encoding.h"
#include "common/status.h"

namespace carme {
namespace {

// False: an entry does not fit; the verdict says which.
bool TakeAll(const AuditPiece& piece, const std::string& known,
             ChainCheck* check, AuditVerdict* verdict) {
  for (const AuditEntry& entry : piece.entries) {
    const absl::Status status = check->Take(entry);
    if (!status.ok()) {
      verdict->broken_at = entry.sequence;
      verdict->why = std::string(status.message());
      return false;
    }
    if (entry.hash == known) verdict->known_at = entry.sequence;
  }
  return true;
}

}  // namespace

absl::StatusOr<AuditVerdict> VerifyAudit(
    Database* database, const std::string& known,
    const std::function<absl::Status()>& go_on) {
  ASSIGN_OR_RETURN(const ChainHead newest, ReadHead(database));
  AuditVerdict verdict;
  ChainCheck check;
  AuditPiece piece{.entries = {}, .next = kOldest};
  bool fits = true;
  // Not for ever behind a table that grows.
  while (fits && !piece.last && check.head().sequence < newest.sequence) {
    RETURN_IF_ERROR(go_on());
    ASSIGN_OR_RETURN(
        piece, ReadPiece(database, {}, AuditOrder::kOldestFirst, piece.next));
    fits = TakeAll(piece, known, &check, &verdict);
  }
  verdict.head = check.head();
  verdict.entries = verdict.head.sequence;
  if (fits && !known.empty() && known != ChainStart() &&
      verdict.known_at == 0) {
    verdict.broken_at = verdict.entries + 1;
    verdict.why = absl::StrCat(
        "no entry has the hash ", HexEncode(known),
        ": entries at the end are missing, or the chain was computed anew");
  }
  return verdict;
}

}  // namespace carme
