#include "backend/identity/factor_store.h"

#include <optional>

#include "backend/identity/totp.h"
#include "common/status.h"

namespace carme {
namespace {

constexpr int64_t kNoStepYet = -1;

absl::Status WrongCode() {
  return absl::UnauthenticatedError("wrong or used code");
}

}  // namespace

absl::StatusOr<bool> FactorStore::HasTotp(const std::string& username) {
  bool found = false;
  RETURN_IF_ERROR(database_.Query([&](Database& db) -> absl::Status {
    ASSIGN_OR_RETURN(
        Statement read,
        db.Prepare("SELECT 1 FROM factors WHERE username=?1 AND kind='totp'"));
    ASSIGN_OR_RETURN(found, read.Bind(1, username).Step());
    return absl::OkStatus();
  }));
  return found;
}

absl::Status FactorStore::UseTotp(const std::string& username,
                                  std::string_view code, absl::Time now) {
  return database_.Transact([&](Database& db) -> absl::Status {
    ASSIGN_OR_RETURN(Statement read,
                     db.Prepare("SELECT secret, last_step FROM factors "
                                "WHERE username=?1 AND kind='totp'"));
    ASSIGN_OR_RETURN(const bool found, read.Bind(1, username).Step());
    if (!found) return WrongCode();
    const std::optional<int64_t> step =
        MatchTotp(read.Blob(0), code, now, read.Int(1));
    if (!step) return WrongCode();
    ASSIGN_OR_RETURN(Statement write,
                     db.Prepare("UPDATE factors SET last_step=?2 "
                                "WHERE username=?1 AND kind='totp' "
                                "AND last_step<?2"));
    RETURN_IF_ERROR(write.Bind(1, username).Bind(2, *step).Run());
    return db.Changes() == 1 ? absl::OkStatus() : WrongCode();
  });
}

absl::Status FactorStore::EnrolTotp(const std::string& username,
                                    std::string_view secret,
                                    std::string_view code, absl::Time now) {
  const std::optional<int64_t> step = MatchTotp(secret, code, now, kNoStepYet);
  if (!step) return WrongCode();
  const absl::Status stored =
      database_.Transact([&](Database& db) -> absl::Status {
        ASSIGN_OR_RETURN(Statement write,
                         db.Prepare("INSERT INTO factors (username, kind, "
                                    "secret, last_step, created_at) "
                                    "VALUES (?1, 'totp', ?2, ?3, ?4)"));
        return write.Bind(1, username)
            .BindBlob(2, secret)
            .Bind(3, *step)
            .Bind(4, absl::ToUnixMicros(now))
            .Run();
      });
  return absl::IsAlreadyExists(stored) ? WrongCode() : stored;
}

}  // namespace carme
