// The parts of the backend that know who is logged in, wired.
#ifndef CARME_BACKEND_ACCOUNTS_H_
#define CARME_BACKEND_ACCOUNTS_H_

#include <functional>
#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "backend/audit/audit_log.h"
#include "backend/config.h"
#include "backend/factors.h"
#include "backend/identity/access_tokens.h"
#include "backend/identity/credentials.h"
#include "backend/identity/sqlite_sessions.h"
#include "backend/identity/standing.h"
#include "backend/jobs/admin_jobs.h"
#include "backend/jobs/live_jobs.h"
#include "carme/v1/admin.pb.h"
#include "common/pki/expiry.h"

namespace grpc {
class Service;
}

namespace carme::backend {

// What it stands on; all outlive it.
struct AccountsBase {
  Database* database;
  const Clock* clock;
  Directory* directory;
  AuditLog* audit;
  const BackendConfig* config;
};

// Sessions and access tokens. Not to be moved: the parts know each other.
class Accounts {
 public:
  // Reads the tables.
  static absl::StatusOr<std::unique_ptr<Accounts>> Open(
      const AccountsBase& base);
  Accounts(const Accounts&) = delete;
  Accounts& operator=(const Accounts&) = delete;

  // AccountService and AdminService; `certificates` says how ours are, and
  // `components` how the site's parts are. All pointers outlive the services.
  void AddServices(Factors* factors, LiveJobs* jobs, AdminJobs* admin_jobs,
                   std::function<std::vector<CertificateHealth>()> certificates,
                   std::function<std::vector<v1::ComponentHealth>()> components,
                   std::vector<std::unique_ptr<grpc::Service>>* services);

  SqliteSessions* sessions() { return sessions_.get(); }
  Credentials& credentials() { return credentials_; }
  Standing& standing() { return standing_; }

 private:
  Accounts(const AccountsBase& base, std::unique_ptr<SqliteSessions> sessions,
           std::unique_ptr<AccessTokens> tokens);

  const AccountsBase base_;
  const std::unique_ptr<SqliteSessions> sessions_;
  const std::unique_ptr<AccessTokens> tokens_;
  Standing standing_;
  Credentials credentials_;
};

}  // namespace carme::backend

#endif  // CARME_BACKEND_ACCOUNTS_H_
