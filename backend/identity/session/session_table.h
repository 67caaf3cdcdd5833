// The rows of the table of sessions.
#ifndef CARME_BACKEND_IDENTITY_SESSION_SESSION_TABLE_H_
#define CARME_BACKEND_IDENTITY_SESSION_SESSION_TABLE_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "backend/identity/session.h"
#include "backend/store/database.h"

namespace carme::backend {

struct SessionRow {
  Session session;
  std::string token_hash;
  std::string user_agent;
  std::string address;  // where it logged in from
  std::string last_address;
  absl::Time used_at;
  std::optional<absl::Time> ended_at = {};
};

// Thread-safe; every call is one transaction.
class SessionTable {
 public:
  explicit SessionTable(Database* database) : database_(*database) {}

  // Those that are not past their expiry, live or ended.
  absl::StatusOr<std::vector<SessionRow>> Read(absl::Time now);
  absl::Status Insert(const SessionRow& row);
  // Their last use and where it came from, and their role.
  absl::Status WriteUses(const std::vector<SessionRow>& rows);
  absl::Status WriteFresh(const SessionId& id, absl::Time until);
  struct End {
    SessionId id;
    absl::Time at;
  };
  absl::Status WriteEnds(const std::vector<End>& ends);
  absl::Status DeleteExpired(absl::Time now);

 private:
  Database& database_;
};

}  // namespace carme::backend

#endif  // CARME_BACKEND_IDENTITY_SESSION_SESSION_TABLE_H_
