#include "backend/identity/session/access_token_table.h"

#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "backend/identity/session/table_rows.h"
#include "common/status.h"

namespace carme::backend {
namespace {

AccessTokenRow AccessTokenRowOf(const Statement& row) {
  AccessTokenRow read{
      .token = {.id = row.Text(0),
                .uid = Uid(static_cast<uint32_t>(row.Int(2))),
                .username = row.Text(3),
                .name = row.Text(4),
                .scopes = absl::StrSplit(row.Text(5), ' ', absl::SkipEmpty()),
                .created_at = TimeAt(row, 6),
                .expires_at = TimeAt(row, 7),
                .addresses =
                    absl::StrSplit(row.Text(12), ' ', absl::SkipEmpty()),
                .used_from = row.Text(9)},
      .hash = row.Blob(1)};
  if (!row.IsNull(8)) read.token.used_at = TimeAt(row, 8);
  if (!row.IsNull(10)) read.revoked_at = TimeAt(row, 10);
  if (!row.IsNull(11)) read.token.suspended_at = TimeAt(row, 11);
  return read;
}

}  // namespace

absl::StatusOr<std::vector<AccessTokenRow>> AccessTokenTable::Read(
    absl::Time now) {
  return ReadRows<AccessTokenRow>(
      database_,
      "SELECT id, hash, uid, username, name, scopes, created_at, "
      "expires_at, used_at, used_from, revoked_at, suspended_at, addresses "
      "FROM access_tokens WHERE expires_at > ?1",
      now, AccessTokenRowOf);
}

absl::Status AccessTokenTable::Insert(const AccessTokenRow& row) {
  const AccessToken& token = row.token;
  return database_.Transact([&](Database& db) -> absl::Status {
    ASSIGN_OR_RETURN(
        Statement write,
        db.Prepare("INSERT INTO access_tokens (id, hash, uid, username, name, "
                   "scopes, created_at, expires_at, used_from, addresses) "
                   "VALUES (?1,?2,?3,?4,?5,?6,?7,?8,'',?9)"));
    return write.Bind(1, token.id)
        .BindBlob(2, row.hash)
        .Bind(3, static_cast<int64_t>(token.uid.value()))
        .Bind(4, token.username)
        .Bind(5, token.name)
        .Bind(6, absl::StrJoin(token.scopes, " "))
        .Bind(7, absl::ToUnixMicros(token.created_at))
        .Bind(8, absl::ToUnixMicros(token.expires_at))
        .Bind(9, absl::StrJoin(token.addresses, " "))
        .Run();
  });
}

absl::Status AccessTokenTable::WriteUses(
    const std::vector<AccessToken>& tokens) {
  return WriteEach(
      database_,
      "UPDATE access_tokens SET used_at=?2, used_from=?3 "
      "WHERE id=?1",
      tokens, [](const AccessToken& token, Statement& write) {
        write.Bind(1, token.id)
            .Bind(2, absl::ToUnixMicros(token.used_at.value_or(absl::Time())))
            .Bind(3, token.used_from);
      });
}

absl::Status AccessTokenTable::WriteRevocations(
    const std::vector<Revocation>& revocations) {
  return WriteEach(
      database_, "UPDATE access_tokens SET revoked_at=?2 WHERE id=?1",
      revocations, [](const Revocation& revocation, Statement& write) {
        write.Bind(1, revocation.id).Bind(2, absl::ToUnixMicros(revocation.at));
      });
}

absl::Status AccessTokenTable::WriteSuspensions(
    const std::vector<AccessToken>& tokens) {
  return WriteEach(database_,
                   "UPDATE access_tokens SET suspended_at=?2 WHERE id=?1",
                   tokens, [](const AccessToken& token, Statement& write) {
                     write.Bind(1, token.id);
                     if (token.suspended_at) {
                       write.Bind(2, absl::ToUnixMicros(*token.suspended_at));
                     }
                   });
}

absl::Status AccessTokenTable::Delete(absl::Time now,
                                      absl::Time revoked_before) {
  return database_.Query([&](Database& db) -> absl::Status {
    ASSIGN_OR_RETURN(Statement write,
                     db.Prepare("DELETE FROM access_tokens "
                                "WHERE expires_at<=?1 OR revoked_at<=?2"));
    return write.Bind(1, absl::ToUnixMicros(now))
        .Bind(2, absl::ToUnixMicros(revoked_before))
        .Run();
  });
}

}  // namespace carme::backend
