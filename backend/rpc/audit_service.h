// carme.v1.AuditService: the audit log over gRPC, read only.
#ifndef CARME_BACKEND_RPC_AUDIT_SERVICE_H_
#define CARME_BACKEND_RPC_AUDIT_SERVICE_H_

#include <memory>

#include "backend/audit/audit_log.h"
#include "backend/identity/session.h"
#include "backend/store/database.h"

namespace grpc {
class Service;
}

namespace carme::backend {

struct AuditServiceParts {
  Database* database;
  AuditLog* audit;
  Sessions* sessions;
};

// All parts outlive the service.
std::unique_ptr<grpc::Service> NewAuditService(const AuditServiceParts& parts);

}  // namespace carme::backend

#endif  // CARME_BACKEND_RPC_AUDIT_SERVICE_H_
