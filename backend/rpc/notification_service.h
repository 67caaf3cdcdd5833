// carme.v1.NotificationService: what the caller is told, and how.
#ifndef CARME_BACKEND_RPC_NOTIFICATION_SERVICE_H_
#define CARME_BACKEND_RPC_NOTIFICATION_SERVICE_H_

#include <memory>

#include "backend/audit/audit_log.h"
#include "backend/notifications/notifications.h"

namespace grpc {
class Service;
}

namespace carme::backend {

// Both outlive the service.
std::unique_ptr<grpc::Service> NewNotificationService(
    Notifications* notifications, AuditLog* audit);

}  // namespace carme::backend

#endif  // CARME_BACKEND_RPC_NOTIFICATION_SERVICE_H_
