#include "backend/identity/factors/factor_store.h"

#include <optional>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "backend/identity/factors/messages.h"
#include "backend/identity/factors/recovery_codes.h"
#include "backend/identity/factors/totp.h"
#include "backend/notifications/event.h"
#include "backend/store/row_mapper.h"
#include "common/encoding.h"
#include "common/printable.h"
#include "common/protobuf/message_error.h"
#include "common/random.h"
#include "common/status.h"

namespace carme::backend {
namespace {

constexpr int64_t kNoStepYet = -1;
constexpr int kIdBytes = 8;

int64_t Number(Uid uid) { return int64_t{uid.value()}; }

absl::Status InvalidCode() { return MakeError(factor_messages::kCodeInvalid); }

absl::Status CheckName(std::string_view name) {
  const std::optional<size_t> length = PrintableLength(name);
  if (length && *length > 0 && *length <= FactorStore::kMaxNameBytes) {
    return absl::OkStatus();
  }
  return MakeError(factor_messages::kNameInvalid,
                   {{"max", FactorStore::kMaxNameBytes}});
}

absl::StatusOr<int64_t> CountFactors(Database& db, Uid uid) {
  ASSIGN_OR_RETURN(
      Statement read,
      db.Prepare("SELECT count(*) FROM second_factors WHERE uid=?1"));
  RETURN_IF_ERROR(read.Bind(1, Number(uid)).Step().status());
  return read.Int(0);
}

// A secret is enrolled once, even if concurrent requests finish the same
// enrollment.
absl::Status CheckNewSecret(Database& db, Uid uid, std::string_view secret) {
  ASSIGN_OR_RETURN(Statement read, db.Prepare("SELECT 1 FROM second_factors "
                                              "WHERE uid=?1 AND secret=?2"));
  ASSIGN_OR_RETURN(const bool found,
                   read.Bind(1, Number(uid)).BindBlob(2, secret).Step());
  return found ? MakeError(factor_messages::kSecretEnrolled) : absl::OkStatus();
}

// Whether one more may be enrolled.
absl::Status CheckRoom(Database& db, Uid uid, EnrollmentKind which) {
  ASSIGN_OR_RETURN(const int64_t count, CountFactors(db, uid));
  if (which == EnrollmentKind::kFirst && count > 0) {
    return MakeError(factor_messages::kEnrolledMeanwhile);
  }
  if (count < FactorStore::kMaxPerAccount) return absl::OkStatus();
  return MakeError(factor_messages::kTooMany,
                   {{"max", FactorStore::kMaxPerAccount}});
}

// A row's secret part.
struct Secret {
  std::string_view secret;
  int64_t algorithm = 0;
  std::optional<std::string_view> credential_id = {};
  int64_t counter = 0;
};

absl::Status Insert(Database& db, Uid uid, const EnrolledFactor& factor,
                    const Secret& secret) {
  ASSIGN_OR_RETURN(
      Statement write,
      db.Prepare("INSERT INTO second_factors (id, uid, kind, name, secret, "
                 "algorithm, credential_id, counter, created_at) "
                 "VALUES (?1,?2,?3,?4,?5,?6,?7,?8,?9)"));
  write.Bind(1, factor.id)
      .Bind(2, Number(uid))
      .Bind(3, FactorName(factor.kind))
      .Bind(4, factor.name)
      .BindBlob(5, secret.secret)
      .Bind(6, secret.algorithm)
      .Bind(8, secret.counter)
      .Bind(9, absl::ToUnixMicros(factor.created_at));
  // Otherwise NULL.
  if (secret.credential_id) write.BindBlob(7, *secret.credential_id);
  return write.Run();
}

absl::StatusOr<Enrollment> Add(Database& database, Uid uid,
                               EnrolledFactor factor, const Secret& secret,
                               EnrollmentKind which) {
  RETURN_IF_ERROR(CheckName(factor.name));
  factor.id = HexEncode(RandomBytes(kIdBytes));
  Enrollment made{.factor = std::move(factor)};
  const auto add = [&](Database& db) -> absl::Status {
    RETURN_IF_ERROR(CheckRoom(db, uid, which));
    RETURN_IF_ERROR(CheckNewSecret(db, uid, secret.secret));
    RETURN_IF_ERROR(Insert(db, uid, made.factor, secret));
    if (which == EnrollmentKind::kAdditional) return absl::OkStatus();
    ASSIGN_OR_RETURN(made.recovery_codes, WriteRecoveryCodes(db, uid));
    return absl::OkStatus();
  };
  RETURN_IF_ERROR(database.Transact(add));
  return made;
}

const RowMapper<EnrolledFactor>& FactorColumns() {
  static const auto* const columns = new RowMapper<EnrolledFactor>({
      {"id", &EnrolledFactor::id},
      ConvertedColumn<EnrolledFactor, std::string>(
          "kind",
          [](const EnrolledFactor& factor) {
            return std::string(FactorName(factor.kind));
          },
          [](const std::string& kind, EnrolledFactor* factor) {
            factor->kind = kind == FactorName(v1::FACTOR_TOTP)
                               ? v1::FACTOR_TOTP
                               : v1::FACTOR_PASSKEY;
          }),
      {"name", &EnrolledFactor::name},
      {"created_at", &EnrolledFactor::created_at},
      {"used_at", &EnrolledFactor::used_at},
  });
  return *columns;
}

const RowMapper<PasskeyKey>& PasskeyColumns() {
  static const auto* const columns = new RowMapper<PasskeyKey>({
      BlobColumn<PasskeyKey>("credential_id", &PasskeyKey::credential_id),
      BlobColumn<PasskeyKey>("secret", &PasskeyKey::public_key),
      {"algorithm", &PasskeyKey::algorithm},
      {"counter", &PasskeyKey::counter},
  });
  return *columns;
}

// Sets counter and last use. The caller's transaction excludes concurrent uses.
absl::Status Spend(Database& db, const std::string& id, int64_t counter,
                   absl::Time now) {
  ASSIGN_OR_RETURN(Statement write,
                   db.Prepare("UPDATE second_factors SET counter=?2, "
                              "used_at=?3 WHERE id=?1"));
  return write.Bind(1, id)
      .Bind(2, counter)
      .Bind(3, absl::ToUnixMicros(now))
      .Run();
}

}  // namespace

absl::StatusOr<std::vector<EnrolledFactor>> FactorStore::List(Uid uid) {
  std::vector<EnrolledFactor> list;
  RETURN_IF_ERROR(database_.Query([&](Database& db) -> absl::Status {
    ASSIGN_OR_RETURN(Statement row, db.Prepare(absl::StrCat(
                                        "SELECT ", FactorColumns().list(),
                                        " FROM second_factors WHERE uid=?1 "
                                        "ORDER BY created_at, id")));
    row.Bind(1, Number(uid));
    ASSIGN_OR_RETURN(list, FactorColumns().ReadAll(row));
    return absl::OkStatus();
  }));
  return list;
}

absl::Status FactorStore::UseTotp(Uid uid, std::string_view code) {
  return database_.Transact([&](Database& db) -> absl::Status {
    const absl::Time now = clock_.Now();
    ASSIGN_OR_RETURN(Statement row, db.Prepare("SELECT id, secret, counter "
                                               "FROM second_factors "
                                               "WHERE uid=?1 AND kind='totp'"));
    row.Bind(1, Number(uid));
    // Spends every secret that matches, so that a code cannot be used twice.
    bool right = false;
    while (true) {
      ASSIGN_OR_RETURN(const bool more, row.Step());
      if (!more) return right ? absl::OkStatus() : InvalidCode();
      const std::optional<int64_t> step =
          MatchTotp(row.Blob(1), code, now, row.Int(2));
      if (!step) continue;
      RETURN_IF_ERROR(Spend(db, row.Text(0), *step, now));
      right = true;
    }
  });
}

absl::StatusOr<Enrollment> FactorStore::AddTotp(Uid uid, std::string_view name,
                                                std::string_view secret,
                                                std::string_view code,
                                                EnrollmentKind which) {
  const absl::Time now = clock_.Now();
  const std::optional<int64_t> step = MatchTotp(secret, code, now, kNoStepYet);
  if (!step) return InvalidCode();
  return Add(
      database_, uid,
      {.kind = v1::FACTOR_TOTP, .name = std::string(name), .created_at = now},
      {.secret = secret, .counter = *step}, which);
}

absl::StatusOr<std::vector<PasskeyKey>> FactorStore::Passkeys(Uid uid) {
  std::vector<PasskeyKey> keys;
  RETURN_IF_ERROR(database_.Query([&](Database& db) -> absl::Status {
    ASSIGN_OR_RETURN(
        Statement row,
        db.Prepare(absl::StrCat("SELECT ", PasskeyColumns().list(),
                                " FROM second_factors WHERE uid=?1 AND "
                                "kind='passkey' ORDER BY created_at, id")));
    row.Bind(1, Number(uid));
    ASSIGN_OR_RETURN(keys, PasskeyColumns().ReadAll(row));
    return absl::OkStatus();
  }));
  return keys;
}

absl::Status FactorStore::RecordAssertion(const PasskeyKey& key,
                                          uint32_t counter) {
  return database_.Transact([&](Database& db) -> absl::Status {
    ASSIGN_OR_RETURN(Statement read,
                     db.Prepare("SELECT id, counter FROM second_factors "
                                "WHERE credential_id=?1"));
    ASSIGN_OR_RETURN(const bool found,
                     read.BindBlob(1, key.credential_id).Step());
    if (!found) return MakeError(factor_messages::kPasskeyRemoved);
    const auto before = static_cast<uint32_t>(read.Int(1));
    if (CounterMayFollow(before, counter)) {
      return Spend(db, read.Text(0), counter, clock_.Now());
    }
    return MakeError(factor_messages::kPasskeyCounter,
                     {{"before", before}, {"after", counter}});
  });
}

absl::StatusOr<Enrollment> FactorStore::AddPasskey(Uid uid,
                                                   std::string_view name,
                                                   const PasskeyKey& key,
                                                   EnrollmentKind which) {
  absl::StatusOr<Enrollment> made = Add(database_, uid,
                                        {.kind = v1::FACTOR_PASSKEY,
                                         .name = std::string(name),
                                         .created_at = clock_.Now()},
                                        {.secret = key.public_key,
                                         .algorithm = key.algorithm,
                                         .credential_id = key.credential_id,
                                         .counter = key.counter},
                                        which);
  if (!absl::IsAlreadyExists(made.status())) return made;
  return MakeError(factor_messages::kPasskeyEnrolled);
}

absl::Status FactorStore::Remove(Uid uid, const std::string& id) {
  return database_.Transact([&](Database& db) -> absl::Status {
    ASSIGN_OR_RETURN(const int64_t count, CountFactors(db, uid));
    ASSIGN_OR_RETURN(
        Statement write,
        db.Prepare("DELETE FROM second_factors WHERE id=?1 AND uid=?2"));
    RETURN_IF_ERROR(write.Bind(1, id).Bind(2, Number(uid)).Run());
    if (db.Changes() != 1) {
      return MakeError(factor_messages::kNotFound);
    }
    if (count > 1) return absl::OkStatus();
    return MakeError(factor_messages::kLast);
  });
}

absl::Status FactorStore::RemoveAll(Uid uid, const DisplayText& why) {
  return database_.Transact([&](Database& db) -> absl::Status {
    ASSIGN_OR_RETURN(Statement write,
                     db.Prepare("DELETE FROM second_factors WHERE uid=?1"));
    RETURN_IF_ERROR(write.Bind(1, Number(uid)).Run());
    RETURN_IF_ERROR(DeleteRecoveryCodes(db, uid));
    const Event event{
        .uid = uid, .kind = v1::NOTIFICATION_KIND_ACCOUNT, .text = why};
    return PostEvent(db, event, clock_.Now());
  });
}

}  // namespace carme::backend
