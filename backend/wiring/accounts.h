// The component that holds sessions and access tokens.
#ifndef CARME_BACKEND_WIRING_ACCOUNTS_H_
#define CARME_BACKEND_WIRING_ACCOUNTS_H_

#include <functional>
#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "backend/audit/audit_log.h"
#include "backend/identity/session/access_tokens.h"
#include "backend/identity/session/directory_cache.h"
#include "backend/identity/session/session_store.h"
#include "backend/identity/session/token_authenticator.h"
#include "backend/jobs/admin_jobs.h"
#include "backend/jobs/lifecycle/active_jobs.h"
#include "backend/wiring/authentication.h"
#include "backend/wiring/backend_config.h"
#include "carme/v1/admin.pb.h"
#include "common/pki/expiry.h"

namespace grpc {
class Service;
}

namespace carme::backend {

// All pointers must outlive the object.
struct AccountsParts {
  Database* database;
  const Clock* clock;
  Directory* directory;
  AuditLog* audit;
  const BackendConfig* config;
};

// Owns what sessions and access tokens consist of.
class Accounts {
 public:
  // Loads the sessions and tokens from the database.
  static absl::StatusOr<std::unique_ptr<Accounts>> Open(
      const AccountsParts& parts);
  Accounts(const Accounts&) = delete;
  Accounts& operator=(const Accounts&) = delete;

  // Adds AccountService and AdminService. `certificates` and `components`
  // report the health of the site. All pointers must outlive the services.
  void AddServices(Authentication* authentication, ActiveJobs* jobs,
                   AdminJobs* admin_jobs,
                   std::function<std::vector<CertificateHealth>()> certificates,
                   std::function<std::vector<v1::ComponentHealth>()> components,
                   std::vector<std::unique_ptr<grpc::Service>>* services);

  SessionStore* sessions() { return sessions_.get(); }
  TokenAuthenticator& credentials() { return credentials_; }
  DirectoryCache& directory_cache() { return directory_cache_; }

 private:
  Accounts(const AccountsParts& parts, std::unique_ptr<SessionStore> sessions,
           std::unique_ptr<AccessTokens> tokens);

  const AccountsParts parts_;
  const std::unique_ptr<SessionStore> sessions_;
  const std::unique_ptr<AccessTokens> tokens_;
  DirectoryCache directory_cache_;
  TokenAuthenticator credentials_;
};

}  // namespace carme::backend

#endif  // CARME_BACKEND_WIRING_ACCOUNTS_H_
