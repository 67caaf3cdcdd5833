#include "backend/identity/session/access_token_table.h"

#include "absl/strings/str_cat.h"
#include "backend/store/row_mapper.h"
#include "common/status.h"

namespace carme::backend {
namespace {

const RowMapper<AccessTokenRow>& TokenColumns() {
  static const auto* const columns = new RowMapper<AccessTokenRow>({
      {"id", [](auto& row) -> auto& { return row.token.id;
}
}  // namespace
, BlobColumn<AccessTokenRow>("hash", &AccessTokenRow::hash),
    {"uid", [](auto& row) -> auto& {return row.token.uid;
}  // namespace carme::backend
}
, {"username", [](auto& row) -> auto& {return row.token.username;
}
}
, {"name", [](auto& row) -> auto& {return row.token.name;
}
}
,
    ListColumn<AccessTokenRow>(
        "scopes", [](auto& row) -> auto& { return row.token.scopes; }, ' '),
    {"created_at", [](auto& row) -> auto& {return row.token.created_at;
}
}
, {"expires_at", [](auto& row) -> auto& {return row.token.expires_at;
}
}
, {"used_at", [](auto& row) -> auto& {return row.token.used_at;
}
}
, {"used_from", [](auto& row) -> auto& {return row.token.used_from;
}
}
, {"revoked_at", &AccessTokenRow::revoked_at},
    {"suspended_at", [](auto& row) -> auto& {return row.token.suspended_at;
}
}
,
    ListColumn<AccessTokenRow>(
        "addresses", [](auto& row) -> auto& { return row.token.addresses; },
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
