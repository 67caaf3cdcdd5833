// Moves old entries out of the table into a file (archive_file.h), while the
// backend runs or not. At no point of it is an entry in neither; a crash leaves
// some in both, which the next archive begins with.
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
  std::string file;     // a new one
  absl::Time before;    // the entries up to the first that is not older
  std::string known{};  // as for VerifyAudit; may be ""
  std::string actor;    // who runs it
  Uid actor_uid;
  absl::Time now;
};

struct ArchiveDone {
  ChainHead begin;  // the entry before the first that went
  ChainHead end;    // equal to begin: none was old enough, and no file is made
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
