// The table of the audit log. Rows are read in pieces, so that other users of
// the database do not wait long.
#ifndef CARME_BACKEND_AUDIT_AUDIT_TABLE_H_
#define CARME_BACKEND_AUDIT_AUDIT_TABLE_H_

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "backend/audit/audit_entry.h"
#include "backend/audit/chain.h"
#include "backend/store/database.h"

namespace carme::backend {

// A filter of entries. Empty texts match everything.
struct AuditFilter {
  int64_t since = std::numeric_limits<int64_t>::min();  // microseconds
  int64_t until = std::numeric_limits<int64_t>::max();  // not included
  std::string actor{};
  std::string act{};
  std::string decision{};
  std::string
      text{};  // in subject, result, source or request id; any ASCII case
};

enum class AuditOrder { kOldestFirst, kNewestFirst };

// Entries, and the start of the next piece.
struct AuditPiece {
  std::vector<AuditEntry> entries;
  int64_t next = 0;   // the `from` of the next piece
  bool last = false;  // there is none
};

// The number of entries examined for one piece (of the actor, if filtered).
inline constexpr size_t kAuditPiece = 1000;
// The `from` of the first piece.
inline constexpr int64_t kOldest = std::numeric_limits<int64_t>::min();
inline constexpr int64_t kNewest = std::numeric_limits<int64_t>::max();

// The head: position and hash of the newest entry; ChainStart() for an empty
// table. DATA_LOSS: the entry is invalid. The second: REQUIRES: inside a body.
absl::StatusOr<ChainHead> ReadHead(Database* database);
absl::StatusOr<ChainHead> ReadHeadIn(Database& database);

// The start of the chain in the table; earlier entries are in archives.
struct AuditBegin {
  ChainHead head;      // the last archived entry; ChainStart(): none
  std::string file{};  // the name of its archive
};
// REQUIRES, of the second: inside a body.
absl::StatusOr<AuditBegin> ReadBegin(Database* database);
absl::StatusOr<AuditBegin> ReadBeginIn(Database& database);

// Appends in one transaction. ALREADY_EXISTS: the sequence number exists. The
// second: REQUIRES: inside the body of a transaction.
absl::Status AppendEntries(Database* database,
                           const std::vector<AuditEntry>& entries);
absl::Status AppendEntriesIn(Database& database,
                             const std::vector<AuditEntry>& entries);

// The matching ones of the next kAuditPiece entries after (newest first:
// before) `from`, excluding it; at most `max`. The second: REQUIRES: inside a
// body.
absl::StatusOr<AuditPiece> ReadPiece(Database* database,
                                     const AuditFilter& filter,
                                     AuditOrder order, int64_t from,
                                     size_t max = kAuditPiece);
absl::StatusOr<AuditPiece> ReadPieceIn(Database& database,
                                       const AuditFilter& filter,
                                       AuditOrder order, int64_t from,
                                       size_t max = kAuditPiece);

}  // namespace carme::backend

#endif  // CARME_BACKEND_AUDIT_AUDIT_TABLE_H_
