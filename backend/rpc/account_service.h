// carme.v1.AccountService: the caller's own sessions, access tokens and
// password.
#ifndef CARME_BACKEND_RPC_ACCOUNT_SERVICE_H_
#define CARME_BACKEND_RPC_ACCOUNT_SERVICE_H_

#include <memory>

#include "backend/audit/audit_log.h"
#include "backend/identity/access_tokens.h"
#include "backend/identity/credentials.h"
#include "backend/identity/directory.h"
#include "backend/identity/sqlite_sessions.h"
#include "backend/identity/throttle.h"

namespace grpc {
class Service;
}

namespace carme::backend {

struct AccountServiceParts {
  SqliteSessions* sessions;
  AccessTokens* tokens;
  Credentials* credentials;
  Directory* directory;
  Throttle* throttle;  // of guesses at the old password
  AuditLog* audit;
};

// All parts outlive the service.
std::unique_ptr<grpc::Service> NewAccountService(
    const AccountServiceParts& parts);

}  // namespace carme::backend

#endif  // CARME_BACKEND_RPC_ACCOUNT_SERVICE_H_
