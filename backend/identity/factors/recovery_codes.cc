#include "backend/identity/factors/recovery_codes.h"

#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "backend/identity/factors/messages.h"
#include "backend/notifications/event.h"
#include "common/crypto/hash.h"
#include "common/protobuf/message_error.h"
#include "common/random.h"
#include "common/status.h"

namespace carme::backend {
namespace {

// 32 characters, so that each is five bits of a random byte; without 0 and O,
// 1 and I.
constexpr std::string_view kAlphabet = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789";
static_assert(kAlphabet.size() == 32);
constexpr size_t kCharacters = 16;
constexpr size_t kGroup = 4;
constexpr size_t kMaxTyped = 64;

std::string NewCode() {
  std::string code;
  for (const char byte : RandomBytes(kCharacters)) {
    if (code.size() % (kGroup + 1) == kGroup) code.push_back('-');
    code.push_back(kAlphabet[static_cast<unsigned char>(byte) % 32]);
  }
  return code;
}

std::string HashOf(Uid uid, std::string_view normal) {
  return Sha256(absl::StrCat("carme-recovery-v1:", uid.value(), ":",
                             absl::string_view(normal.data(), normal.size())));
}

absl::StatusOr<int> CountLeft(Database& db, Uid uid) {
  ASSIGN_OR_RETURN(Statement read,
                   db.Prepare("SELECT count(*) FROM recovery_codes "
                              "WHERE uid=?1 AND used_at IS NULL"));
  RETURN_IF_ERROR(read.Bind(1, int64_t{uid.value()}).Step().status());
  return static_cast<int>(read.Int(0));
}

absl::Status InvalidRecoveryCode() {
  return MakeError(factor_messages::kRecoveryCodeInvalid);
}

DisplayText TextOfUse(std::string_view client_address, int left) {
  const DisplayText address = client_address.empty()
                                  ? MakeText(factor_messages::kUnknownAddress)
                                  : DisplayText(std::string(client_address));
  if (left == 0) {
    return MakeText(factor_messages::kRecoveryCodeUsedLast,
                    {{"address", address}});
  }
  if (left == 1) {
    return MakeText(factor_messages::kRecoveryCodeUsedOneLeft,
                    {{"address", address}});
  }
  return MakeText(factor_messages::kRecoveryCodeUsed,
                  {{"address", address}, {"left", left}});
}

}  // namespace

std::optional<std::string> NormalRecoveryCode(std::string_view text) {
  if (text.size() > kMaxTyped) return std::nullopt;
  std::string code;
  for (const char c : text) {
    if (c == '-' || c == ' ') continue;
    code.push_back(absl::ascii_toupper(static_cast<unsigned char>(c)));
    if (kAlphabet.find(code.back()) == std::string_view::npos) {
      return std::nullopt;
    }
  }
  return code.size() == kCharacters ? std::optional(code) : std::nullopt;
}

absl::Status DeleteRecoveryCodes(Database& db, Uid uid) {
  ASSIGN_OR_RETURN(Statement write,
                   db.Prepare("DELETE FROM recovery_codes WHERE uid=?1"));
  return write.Bind(1, int64_t{uid.value()}).Run();
}

absl::StatusOr<std::vector<std::string>> WriteRecoveryCodes(Database& db,
                                                            Uid uid) {
  RETURN_IF_ERROR(DeleteRecoveryCodes(db, uid));
  std::vector<std::string> codes;
  for (int i = 0; i < RecoveryCodes::kCount; ++i) {
    codes.push_back(NewCode());
    ASSIGN_OR_RETURN(
        Statement write,
        db.Prepare("INSERT INTO recovery_codes (uid, hash) VALUES (?1,?2)"));
    RETURN_IF_ERROR(
        write.Bind(1, int64_t{uid.value()})
            .BindBlob(2, HashOf(uid, *NormalRecoveryCode(codes.back())))
            .Run());
  }
  return codes;
}

absl::StatusOr<std::vector<std::string>> RecoveryCodes::Renew(Uid uid) {
  std::vector<std::string> codes;
  RETURN_IF_ERROR(database_.Transact([&](Database& db) -> absl::Status {
    ASSIGN_OR_RETURN(codes, WriteRecoveryCodes(db, uid));
    return absl::OkStatus();
  }));
  return codes;
}

absl::StatusOr<int> RecoveryCodes::CountUnused(Uid uid) {
  int left = 0;
  RETURN_IF_ERROR(database_.Query([&](Database& db) -> absl::Status {
    ASSIGN_OR_RETURN(left, CountLeft(db, uid));
    return absl::OkStatus();
  }));
  return left;
}

absl::Status RecoveryCodes::Check(Uid uid, std::string_view text) {
  const std::optional<std::string> code = NormalRecoveryCode(text);
  if (!code) return InvalidRecoveryCode();
  return database_.Query([&](Database& db) -> absl::Status {
    ASSIGN_OR_RETURN(Statement read,
                     db.Prepare("SELECT 1 FROM recovery_codes WHERE uid=?1 "
                                "AND hash=?2 AND used_at IS NULL"));
    ASSIGN_OR_RETURN(const bool found, read.Bind(1, int64_t{uid.value()})
                                           .BindBlob(2, HashOf(uid, *code))
                                           .Step());
    return found ? absl::OkStatus() : InvalidRecoveryCode();
  });
}

absl::Status RecoveryCodes::Use(Uid uid, std::string_view text,
                                std::string_view client_address) {
  const std::optional<std::string> code = NormalRecoveryCode(text);
  if (!code) return InvalidRecoveryCode();
  return database_.Transact([&](Database& db) -> absl::Status {
    const absl::Time now = clock_.Now();
    ASSIGN_OR_RETURN(Statement spend,
                     db.Prepare("UPDATE recovery_codes SET used_at=?3 "
                                "WHERE uid=?1 AND hash=?2 "
                                "AND used_at IS NULL"));
    RETURN_IF_ERROR(spend.Bind(1, int64_t{uid.value()})
                        .BindBlob(2, HashOf(uid, *code))
                        .Bind(3, absl::ToUnixMicros(now))
                        .Run());
    if (db.Changes() != 1) return InvalidRecoveryCode();
    ASSIGN_OR_RETURN(const int left, CountLeft(db, uid));
    const Event event{.uid = uid,
                      .kind = v1::NOTIFICATION_KIND_ACCOUNT,
                      .text = TextOfUse(client_address, left)};
    return PostEvent(db, event, now);
  });
}

}  // namespace carme::backend
