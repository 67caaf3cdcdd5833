// Moves old entries from the table to a file (archive_file.h), also while the
// backend runs. No entry is ever in neither; after a crash some are in both,
// and the next archive starts with them.
#ifndef CARME_BACKEND_AUDIT_ARCHIVE_ARCHIVING_H_
#define CARME_BACKEND_AUDIT_ARCHIVE_ARCHIVING_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "backend/audit/audit_entry.h"
#include "backend/audit/chain.h"
#include "backend/store/database.h"

namespace carme::backend {

struct ArchiveOrder {
  std::string file;     // must not exist
  absl::Time before;    // archives entries up to the first that is not older
  std::string known{};  // as for VerifyAudit; may be ""
  std::string actor;    // who runs it
  Uid actor_uid;
  absl::Time now;
};

struct ArchiveDone {
  ChainHead begin;  // the entry before the first archived one
  ChainHead end;    // equal to begin: no entry was old enough, no file was made
};

// 1. The whole chain is verified: DATA_LOSS, and nothing is done.
// 2. The file is written, made durable, and read back.
// 3. In transactions of 10,000 entries: from which entry on the chain is in the
//    table, then the entries go. The first brings an entry of its own, which
//    stays: who archived what, where to, and the file's last hash.
// ALREADY_EXISTS: the file; others: the disk's.
absl::StatusOr<ArchiveDone> ArchiveAudit(Database* database,
                                         const ArchiveOrder& order);

}  // namespace carme::backend

#endif  // CARME_BACKEND_AUDIT_ARCHIVE_ARCHIVING_H_
