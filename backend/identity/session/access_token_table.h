// The rows of the table of access tokens.
#ifndef CARME_BACKEND_IDENTITY_SESSION_ACCESS_TOKEN_TABLE_H_
#define CARME_BACKEND_IDENTITY_SESSION_ACCESS_TOKEN_TABLE_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "backend/store/database.h"
#include "common/ids.h"

namespace carme::backend {

// A token as shown to its owner; without the secret.
struct AccessToken {
  std::string id;  // public
  Uid uid;         // the owner
  std::string username;
  std::string name;
  std::vector<std::string> scopes;
  absl::Time created_at;
  absl::Time expires_at;
  // Networks from which it may be used; none: any.
  std::vector<std::string> addresses = {};
  std::optional<absl::Time> used_at = {};
  std::string used_from = {};
  // Since when the directory rejects its owner, or the role lacks a scope.
  std::optional<absl::Time> suspended_at = {};
};

struct AccessTokenRow {
  AccessToken token;
  std::string hash;  // SHA-256 of the secret
  std::optional<absl::Time> revoked_at = {};
};

// Thread-safe; every call is one transaction.
class AccessTokenTable {
 public:
  explicit AccessTokenTable(Database* database) : database_(*database) {}

  // Unexpired tokens, live or revoked.
  absl::StatusOr<std::vector<AccessTokenRow>> Read(absl::Time now);
  absl::Status Insert(const AccessTokenRow& row);
  absl::Status WriteUses(const std::vector<AccessToken>& tokens);
  struct Revocation {
    std::string id;
    absl::Time at;
  };
  absl::Status WriteRevocations(const std::vector<Revocation>& revocations);
  absl::Status WriteSuspensions(const std::vector<AccessToken>& tokens);
  // Deletes tokens that expired or were revoked before `revoked_before`.
  absl::Status Delete(absl::Time now, absl::Time revoked_before);

 private:
  Database& database_;
};

}  // namespace carme::backend

#endif  // CARME_BACKEND_IDENTITY_SESSION_ACCESS_TOKEN_TABLE_H_
