// The table of the audit log: rows are appended and read, in pieces so short
// that nobody waits long for the database meanwhile.
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

// What to leave out. Empty texts let everything through.
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

// Entries, and where the next piece begins.
struct AuditPiece {
  std::vector<AuditEntry> entries;
  int64_t next = 0;   // the `from` of the next piece
  bool last = false;  // there is none
};

// How many entries are looked at for one piece; of the filter's actor, if any.
inline constexpr size_t kAuditPiece = 1000;
// The `from` of the first piece.
inline constexpr int64_t kOldest = std::numeric_limits<int64_t>::min();
inline constexpr int64_t kNewest = std::numeric_limits<int64_t>::max();

// The newest entry's; ChainStart() for an empty table. DATA_LOSS: that entry
// cannot be one of ours. The second: REQUIRES: inside a body.
absl::StatusOr<ChainHead> ReadHead(Database* database);
absl::StatusOr<ChainHead> ReadHeadIn(Database& database);

// Where the chain in the table begins, because all before went to an archive.
struct AuditBegin {
  ChainHead head;      // the last entry that went; ChainStart(): none did
  std::string file{};  // the name of the archive that it went to
};
// REQUIRES, of the second: inside a body.
absl::StatusOr<AuditBegin> ReadBegin(Database* database);
absl::StatusOr<AuditBegin> ReadBeginIn(Database& database);

// In one transaction. ALREADY_EXISTS: another has written that sequence. The
// second: REQUIRES: inside the body of a transaction.
absl::Status AppendEntries(Database* database,
                           const std::vector<AuditEntry>& entries);
absl::Status AppendEntriesIn(Database& database,
                             const std::vector<AuditEntry>& entries);

// What passes the filter of the next kAuditPiece entries after (or, newest
// first, before) `from`, which is not among them, but `most` at most.
// The second: REQUIRES: inside a body.
absl::StatusOr<AuditPiece> ReadPiece(Database* database,
                                     const AuditFilter& filter,
                                     AuditOrder order, int64_t from,
                                     size_t most = kAuditPiece);
absl::StatusOr<AuditPiece> ReadPieceIn(Database& database,
                                       const AuditFilter& filter,
                                       AuditOrder order, int64_t from,
                                       size_t most = kAuditPiece);

}  // namespace carme::backend

#endif  // CARME_BACKEND_AUDIT_AUDIT_TABLE_H_
