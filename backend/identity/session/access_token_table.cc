#include "backend/identity/session/access_token_table.h"

#include "absl/strings/str_cat.h"
#include "backend/store/row_mapper.h"
#include "common/status.h"

namespace carme::backend {
namespace {

const RowMapper<AccessTokenRow>& TokenColumns() {
  static const auto* const columns = new RowMapper<AccessTokenRow>({
      {"id", Member(&AccessTokenRow::token, &AccessToken::id)},
      BlobColumn<AccessTokenRow>("hash", &AccessTokenRow::hash),
      {"uid", Member(&AccessTokenRow::token, &AccessToken::uid)},
      {"username", Member(&AccessTokenRow::token, &AccessToken::username)},
      {"name", Member(&AccessTokenRow::token, &AccessToken::name)},
      ListColumn<AccessTokenRow>(
          "scopes", Member(&AccessTokenRow::token, &AccessToken::scopes), ' '),
      {"created_at", Member(&AccessTokenRow::token, &AccessToken::created_at)},
      {"expires_at", Member(&AccessTokenRow::token, &AccessToken::expires_at)},
      {"used_at", Member(&AccessTokenRow::token, &AccessToken::used_at)},
      {"used_from", Member(&AccessTokenRow::token, &AccessToken::used_from)},
      {"revoked_at", &AccessTokenRow::revoked_at},
      {"suspended_at",
       Member(&AccessTokenRow::token, &AccessToken::suspended_at)},
      ListColumn<AccessTokenRow>(
          "addresses", Member(&AccessTokenRow::token, &AccessToken::addresses),
          ' '),
  });
  return *columns;
}

}  // namespace

absl::StatusOr<std::vector<AccessTokenRow>> AccessTokenTable::Read(
    absl::Time now) {
  std::vector<AccessTokenRow> tokens;
  RETURN_IF_ERROR(database_.Query([&](Database& db) -> absl::Status {
    ASSIGN_OR_RETURN(
        Statement rows,
        db.Prepare(absl::StrCat("SELECT ", TokenColumns().list(),
                                " FROM access_tokens WHERE expires_at > ?1")));
    rows.Bind(1, absl::ToUnixMicros(now));
    ASSIGN_OR_RETURN(tokens, TokenColumns().ReadAll(rows));
    return absl::OkStatus();
  }));
  return tokens;
}

absl::Status AccessTokenTable::Insert(const AccessTokenRow& row) {
  return database_.Transact([&](Database& db) -> absl::Status {
    ASSIGN_OR_RETURN(Statement write,
                     db.Prepare(TokenColumns().InsertInto("access_tokens")));
    TokenColumns().Bind(write, row);
    return write.Run();
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
                     BindColumn(write, 2, token.suspended_at);
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
