#include "backend/audit/archive/archiving.h"

#include <algorithm>
#include <memory>
#include <optional>

#include "absl/strings/str_cat.h"
#include "backend/audit/archive/archive_file.h"
#include "backend/audit/archive/messages.h"
#include "backend/audit/audit_table.h"
#include "backend/audit/verification.h"
#include "common/encoding.h"
#include "common/message.h"
#include "common/status.h"

namespace carme::backend {
namespace {

// Rows of one transaction. The backend waits for it.
constexpr int64_t kGoAtOnce = 10000;

absl::StatusOr<ChainHead> Verified(Database* database,
                                   const std::string& known) {
  ASSIGN_OR_RETURN(
      const AuditVerification verdict,
      VerifyAudit(database, known, [] { return absl::OkStatus(); }));
  if (verdict.broken_at == 0) return verdict.begin;
  return MakePlainError(audit_archive_messages::kLogBroken,
                        {{"problem", verdict.why}});
}

// The end of the entries of `piece` that may be removed, `last` if it has none.
// nullopt: the end is in a later piece.
std::optional<ChainHead> EndIn(const AuditPiece& piece, int64_t before,
                               ChainHead last) {
  for (const AuditEntry& entry : piece.entries) {
    if (entry.at >= before) return last;
    last = {entry.sequence, entry.hash};
  }
  if (piece.last) return last;
  return std::nullopt;
}

// Calls `take` with the entries after `begin` that are older than `before`, up
// to the first that is not. Returns where they end.
template <typename Take>
absl::StatusOr<ChainHead> ForEachOld(Database* database, const ChainHead& begin,
                                     int64_t before, const Take& take) {
  ChainHead last = begin;
  AuditPiece piece{.entries = {}, .next = begin.sequence};
  while (true) {
    ASSIGN_OR_RETURN(
        piece, ReadPiece(database, {}, AuditOrder::kOldestFirst, piece.next));
    const std::optional<ChainHead> end = EndIn(piece, before, last);
    for (const AuditEntry& entry : piece.entries) {
      if (end && entry.sequence > end->sequence) break;
      RETURN_IF_ERROR(take(entry));
      last = {entry.sequence, entry.hash};
    }
    if (end) return last;
  }
}

// Writes the file and reads it back. Returns where its entries end.
absl::StatusOr<ChainHead> WriteArchive(Database* database,
                                       const ChainHead& begin,
                                       const ArchiveOrder& order) {
  std::unique_ptr<ArchiveWriter> writer;
  const auto add = [&](const AuditEntry& entry) -> absl::Status {
    if (writer == nullptr) {
      ASSIGN_OR_RETURN(writer, ArchiveWriter::Create(order.file, begin));
    }
    return writer->Add(entry);
  };
  ASSIGN_OR_RETURN(
      const ChainHead end,
      ForEachOld(database, begin, absl::ToUnixMicros(order.before), add));
  if (writer == nullptr) return begin;
  RETURN_IF_ERROR(writer->Close());
  ASSIGN_OR_RETURN(const ArchiveFacts facts, ReadArchive(order.file, {}));
  if (facts.begin == begin && facts.end == end) return end;
  return MakePlainError(audit_archive_messages::kFileDiffers,
                        {{"path", order.file}});
}

std::string NameOf(const std::string& path) {
  return path.substr(path.rfind('/') + 1);
}

AuditEntry EntryOf(const ArchiveOrder& order, const ArchiveDone& done,
                   const ChainHead& head) {
  AuditEntry entry{.sequence = head.sequence + 1,
                   .at = absl::ToUnixMicros(order.now),
                   .act = kArchiveAct,
                   .actor = order.actor,
                   .actor_uid = order.actor_uid.value(),
                   .subject = NameOf(order.file),
                   .decision = "allow",
                   .result = absl::StrCat(
                       "ok: entries ", done.begin.sequence + 1, " to ",
                       done.end.sequence, ", hash ", HexEncode(done.end.hash)),
                   .machine = "carmectl"};
  entry.hash = ChainHash(head.hash, entry);
  return entry;
}

absl::Status Remember(Database& db, const ChainHead& upto,
                      const ArchiveOrder& order) {
  ASSIGN_OR_RETURN(
      Statement write,
      db.Prepare("INSERT INTO audit_archives VALUES (?1, ?2, ?3, ?4)"));
  write.Bind(1, upto.sequence).BindBlob(2, upto.hash);
  write.Bind(3, NameOf(order.file)).Bind(4, absl::ToUnixMicros(order.now));
  return write.Run();
}

absl::StatusOr<ChainHead> PlaceIn(Database& db, int64_t sequence) {
  ASSIGN_OR_RETURN(Statement read,
                   db.Prepare("SELECT hash FROM audit WHERE sequence = ?1"));
  ASSIGN_OR_RETURN(const bool row, read.Bind(1, sequence).Step());
  if (row) return ChainHead{sequence, read.Blob(0)};
  return MakePlainError(audit_archive_messages::kEntryGone,
                        {{"sequence", sequence}});
}

// Deletes the entries after `from` up to `to`. The chain then begins at `to`.
// FAILED_PRECONDITION: another archiving is running.
absl::StatusOr<ChainHead> LetGo(Database& db, const ChainHead& from, int64_t to,
                                const ArchiveOrder& order) {
  ASSIGN_OR_RETURN(const AuditBegin begin, ReadBeginIn(db));
  if (begin.head != from) {
    return MakePlainError(
        audit_archive_messages::kConcurrentRun,
        {{"begin", begin.head.sequence}, {"expected", from.sequence}});
  }
  ASSIGN_OR_RETURN(const ChainHead upto, PlaceIn(db, to));
  RETURN_IF_ERROR(Remember(db, upto, order));
  ASSIGN_OR_RETURN(Statement remove,
                   db.Prepare("DELETE FROM audit WHERE sequence <= ?1"));
  RETURN_IF_ERROR(remove.Bind(1, to).Run());
  return upto;
}

// One transaction. Returns where the chain begins after it.
absl::StatusOr<ChainHead> GoOn(Database& db, const ChainHead& from,
                               const ArchiveDone& done,
                               const ArchiveOrder& order) {
  if (from == done.begin) {
    ASSIGN_OR_RETURN(const ChainHead head, ReadHeadIn(db));
    RETURN_IF_ERROR(AppendEntriesIn(db, {EntryOf(order, done, head)}));
  }
  return LetGo(db, from, std::min(from.sequence + kGoAtOnce, done.end.sequence),
               order);
}

}  // namespace

absl::StatusOr<ArchiveDone> ArchiveAudit(Database* database,
                                         const ArchiveOrder& order) {
  ArchiveDone done;
  ASSIGN_OR_RETURN(done.begin, Verified(database, order.known));
  ASSIGN_OR_RETURN(done.end, WriteArchive(database, done.begin, order));
  ChainHead from = done.begin;
  const auto go_on = [&](Database& db) -> absl::Status {
    ASSIGN_OR_RETURN(from, GoOn(db, from, done, order));
    return absl::OkStatus();
  };
  while (from != done.end) RETURN_IF_ERROR(database->Transact(go_on));
  return done;
}

}  // namespace carme::backend
