#include "backend/audit/verification.h"

#include "absl/strings/str_cat.h"
#include "backend/audit/audit_table.h"
#include "backend/audit/messages.h"
#include "common/encoding.h"
#include "common/message.h"
#include "common/status.h"

namespace carme::backend {
namespace {

// The entries that the verification looks for.
struct Sought {
  const std::string& known;
  const std::string& file;  // that of the newest archive
  bool archive_found = false;
};

// False: an entry does not fit; `verdict` names it.
bool TakeAll(const AuditPiece& piece, Sought* sought, ChainCheck* check,
             AuditVerification* verdict) {
  for (const AuditEntry& entry : piece.entries) {
    const absl::Status status = check->Take(entry);
    if (!status.ok()) {
      verdict->broken_at = entry.sequence;
      verdict->why = std::string(status.message());
      return false;
    }
    if (entry.hash == sought->known) verdict->known_at = entry.sequence;
    sought->archive_found =
        sought->archive_found ||
        (entry.act == kArchiveAct && entry.subject == sought->file);
  }
  return true;
}

void CheckSought(const Sought& sought, AuditVerification* verdict) {
  const int64_t begin = verdict->begin.sequence;
  if (begin > 0 && !sought.archive_found) {
    verdict->broken_at = begin;
    verdict->why = FormatMessage(audit_messages::kEntriesMissing,
                                 {{"end", begin}, {"archive", sought.file}});
  } else if (!sought.known.empty() && sought.known != ChainStart() &&
             verdict->known_at == 0) {
    verdict->broken_at = verdict->head.sequence + 1;
    const MessageTemplate& why = begin > 0
                                     ? audit_messages::kHashNotFoundOrArchived
                                     : audit_messages::kHashNotFound;
    verdict->why = FormatMessage(why, {{"hash", HexEncode(sought.known)}});
  }
}

absl::StatusOr<AuditVerification> VerifyFrom(
    Database* database, const AuditBegin& begin, const std::string& known,
    const std::function<absl::Status()>& go_on) {
  ASSIGN_OR_RETURN(const ChainHead newest, ReadHead(database));
  AuditVerification verdict{.begin = begin.head, .why = {}, .head = {}};
  if (known == begin.head.hash) verdict.known_at = begin.head.sequence;
  Sought sought{.known = known, .file = begin.file};
  ChainCheck check(begin.head);
  AuditPiece piece{.entries = {}, .next = kOldest};
  bool fits = true;
  // Ends at `newest`, because the table can grow during the verification.
  while (fits && !piece.last && check.head().sequence < newest.sequence) {
    RETURN_IF_ERROR(go_on());
    ASSIGN_OR_RETURN(
        piece, ReadPiece(database, {}, AuditOrder::kOldestFirst, piece.next));
    fits = TakeAll(piece, &sought, &check, &verdict);
  }
  verdict.head = check.head();
  verdict.entries = verdict.head.sequence - begin.head.sequence;
  if (fits) CheckSought(sought, &verdict);
  return verdict;
}

}  // namespace

absl::StatusOr<AuditVerification> VerifyAudit(
    Database* database, const std::string& known,
    const std::function<absl::Status()>& go_on) {
  while (true) {
    ASSIGN_OR_RETURN(const AuditBegin begin, ReadBegin(database));
    ASSIGN_OR_RETURN(AuditVerification verdict,
                     VerifyFrom(database, begin, known, go_on));
    ASSIGN_OR_RETURN(const AuditBegin now, ReadBegin(database));
    // Otherwise entries were archived meanwhile, and the result is not valid.
    if (now.head == begin.head) return verdict;
  }
}

}  // namespace carme::backend
