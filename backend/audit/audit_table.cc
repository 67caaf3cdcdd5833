#include "backend/audit/audit_table.h"

#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "backend/audit/messages.h"
#include "backend/store/row_mapper.h"
#include "common/protobuf/message_error.h"
#include "common/status.h"

namespace carme::backend {
namespace {

const RowMapper<AuditEntry>& AuditColumns() {
  static const auto* const columns = new RowMapper<AuditEntry>({
      {"sequence", &AuditEntry::sequence},
      {"at", &AuditEntry::at},
      {"act", &AuditEntry::act},
      {"actor", &AuditEntry::actor},
      {"actor_uid", &AuditEntry::actor_uid},
      {"subject", &AuditEntry::subject},
      {"decision", &AuditEntry::decision},
      {"result", &AuditEntry::result},
      {"source", &AuditEntry::source},
      {"machine", &AuditEntry::machine},
      {"request_id", &AuditEntry::request_id},
      {"session_id", &AuditEntry::session_id},
      BlobColumn<AuditEntry>("hash", &AuditEntry::hash),
  });
  return *columns;
}

// The SQL of the two orders.
struct OrderTerms {
  const char* beyond;
  const char* upto;
  const char* order;
};
OrderTerms OrderTermsOf(AuditOrder order) {
  return order == AuditOrder::kOldestFirst ? OrderTerms{">", "<=", "ASC"}
                                           : OrderTerms{"<", ">=", "DESC"};
}

// With an actor in the filter, only that actor's entries are read, by an index.
const char* OfActor(const AuditFilter& filter) {
  return filter.actor.empty() ? " AND ?5 = ''" : " AND actor = ?5";
}

// The sequence at which a piece ends; nullopt if the table ends earlier.
absl::StatusOr<std::optional<int64_t>> EndOfPiece(Database& db,
                                                  const OrderTerms& terms,
                                                  const AuditFilter& filter,
                                                  int64_t from) {
  ASSIGN_OR_RETURN(
      Statement find,
      db.Prepare(absl::StrCat("SELECT sequence FROM audit WHERE sequence ",
                              terms.beyond, " ?1", OfActor(filter),
                              " ORDER BY sequence ", terms.order,
                              " LIMIT 1 OFFSET ?2")));
  find.Bind(1, from).Bind(2, static_cast<int64_t>(kAuditPiece) - 1);
  find.Bind(5, filter.actor);
  ASSIGN_OR_RETURN(const bool row, find.Step());
  if (!row) return std::optional<int64_t>();
  return std::optional<int64_t>(find.Int(0));
}

std::string Select(const OrderTerms& terms, const AuditFilter& filter) {
  return absl::StrCat(
      "SELECT ", AuditColumns().list(), " FROM audit WHERE sequence ",
      terms.beyond, " ?1 AND sequence ", terms.upto,
      " ?2 AND at >= ?3 AND at < ?4", OfActor(filter),
      " AND (?6 = '' OR act = ?6)"
      " AND (?7 = '' OR decision = ?7) AND (?8 = '' OR instr(lower(subject ||"
      " char(10) || result || char(10) || source || char(10) || request_id),"
      " lower(?8)) > 0)"
      " ORDER BY sequence ",
      terms.order, " LIMIT ?9");
}

absl::Status Fill(Database& db, const AuditFilter& filter, AuditOrder order,
                  int64_t from, size_t max, AuditPiece* piece) {
  const OrderTerms terms = OrderTermsOf(order);
  ASSIGN_OR_RETURN(const std::optional<int64_t> end,
                   EndOfPiece(db, terms, filter, from));
  const int64_t far = order == AuditOrder::kOldestFirst ? kNewest : kOldest;
  piece->last = !end;
  piece->next = end.value_or(far);
  ASSIGN_OR_RETURN(Statement read, db.Prepare(Select(terms, filter)));
  read.Bind(1, from).Bind(2, piece->next);
  read.Bind(3, filter.since).Bind(4, filter.until);
  read.Bind(5, filter.actor).Bind(6, filter.act).Bind(7, filter.decision);
  read.Bind(8, filter.text).Bind(9, static_cast<int64_t>(max));
  while (true) {
    ASSIGN_OR_RETURN(const bool row, read.Step());
    if (!row) return absl::OkStatus();
    ASSIGN_OR_RETURN(AuditEntry entry, AuditColumns().Read(read));
    piece->entries.push_back(std::move(entry));
    if (piece->entries.size() < max) continue;
    piece->next = piece->entries.back().sequence;
    piece->last = false;
    return absl::OkStatus();
  }
}

}  // namespace

absl::StatusOr<ChainHead> ReadHeadIn(Database& db) {
  ASSIGN_OR_RETURN(Statement read,
                   db.Prepare("SELECT sequence, hash FROM audit "
                              "ORDER BY sequence DESC LIMIT 1"));
  ASSIGN_OR_RETURN(const bool row, read.Step());
  ChainHead head;
  if (row) head = {read.Int(0), read.Blob(1)};
  if (head.sequence < 0 || head.sequence == kNewest ||
      head.hash.size() != ChainStart().size()) {
    return MakeError(audit_messages::kHeadInvalid,
                     {{"sequence", head.sequence},
                      {"bytes", head.hash.size()},
                      {"expected", ChainStart().size()}});
  }
  return head;
}

absl::StatusOr<ChainHead> ReadHead(Database* database) {
  ChainHead head;
  RETURN_IF_ERROR(database->Query([&](Database& db) -> absl::Status {
    ASSIGN_OR_RETURN(head, ReadHeadIn(db));
    return absl::OkStatus();
  }));
  return head;
}

absl::StatusOr<AuditBegin> ReadBeginIn(Database& db) {
  // A database of an older Carme has no archives; it is only read here.
  ASSIGN_OR_RETURN(Statement look,
                   db.Prepare("SELECT 1 FROM sqlite_master WHERE type = "
                              "'table' AND name = 'audit_archives'"));
  ASSIGN_OR_RETURN(const bool has_archives, look.Step());
  AuditBegin begin;
  if (!has_archives) return begin;
  ASSIGN_OR_RETURN(Statement read,
                   db.Prepare("SELECT upto, hash, file FROM audit_archives "
                              "ORDER BY upto DESC LIMIT 1"));
  ASSIGN_OR_RETURN(const bool row, read.Step());
  if (row) begin = {{read.Int(0), read.Blob(1)}, read.Text(2)};
  return begin;
}

absl::StatusOr<AuditBegin> ReadBegin(Database* database) {
  AuditBegin begin;
  RETURN_IF_ERROR(database->Query([&](Database& db) -> absl::Status {
    ASSIGN_OR_RETURN(begin, ReadBeginIn(db));
    return absl::OkStatus();
  }));
  return begin;
}

absl::Status AppendEntriesIn(Database& db,
                             const std::vector<AuditEntry>& entries) {
  static const std::string insert = AuditColumns().InsertInto("audit");
  for (const AuditEntry& entry : entries) {
    ASSIGN_OR_RETURN(Statement write, db.Prepare(insert));
    AuditColumns().Bind(write, entry);
    RETURN_IF_ERROR(write.Run());
  }
  return absl::OkStatus();
}

absl::Status AppendEntries(Database* database,
                           const std::vector<AuditEntry>& entries) {
  return database->Transact(
      [&](Database& db) { return AppendEntriesIn(db, entries); });
}

absl::StatusOr<AuditPiece> ReadPieceIn(Database& db, const AuditFilter& filter,
                                       AuditOrder order, int64_t from,
                                       size_t max) {
  AuditPiece piece;
  RETURN_IF_ERROR(Fill(db, filter, order, from, max, &piece));
  return piece;
}

absl::StatusOr<AuditPiece> ReadPiece(Database* database,
                                     const AuditFilter& filter,
                                     AuditOrder order, int64_t from,
                                     size_t max) {
  AuditPiece piece;
  RETURN_IF_ERROR(database->Query([&](Database& db) {
    return Fill(db, filter, order, from, max, &piece);
  }));
  return piece;
}

}  // namespace carme::backend
