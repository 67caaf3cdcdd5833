// Announcements for readers and administrators.
#ifndef CARME_BACKEND_RPC_ANNOUNCEMENTS_ANNOUNCEMENT_SERVICE_H_
#define CARME_BACKEND_RPC_ANNOUNCEMENTS_ANNOUNCEMENT_SERVICE_H_

#include <memory>

#include "backend/announcements/announcements.h"
#include "backend/audit/audit_log.h"

namespace grpc {
class Service;
}

namespace carme::backend {

// Both must outlive the service.
std::unique_ptr<grpc::Service> NewAnnouncementService(
    Announcements* announcements, AuditLog* audit);

}  // namespace carme::backend

#endif  // CARME_BACKEND_RPC_ANNOUNCEMENTS_ANNOUNCEMENT_SERVICE_H_
