// carme.v1.HistoryService: what ran, and what it used.
#ifndef CARME_BACKEND_RPC_HISTORY_SERVICE_H_
#define CARME_BACKEND_RPC_HISTORY_SERVICE_H_

#include <memory>

#include "backend/audit/audit_log.h"
#include "backend/history/history.h"
#include "common/clock.h"

namespace grpc {
class Service;
}

namespace carme::backend {

// All outlive the service.
std::unique_ptr<grpc::Service> NewHistoryService(History* history,
                                                 AuditLog* audit,
                                                 const Clock* clock);

}  // namespace carme::backend

#endif  // CARME_BACKEND_RPC_HISTORY_SERVICE_H_
