// carme.v1.TemplateService: what projects may ask for.
#ifndef CARME_BACKEND_RPC_TEMPLATE_SERVICE_H_
#define CARME_BACKEND_RPC_TEMPLATE_SERVICE_H_

#include <memory>

#include "backend/audit/audit_log.h"
#include "backend/slurm/scheduler.h"
#include "backend/templates/templates.h"

namespace grpc {
class Service;
}

namespace carme::backend {

// All outlive the service.
std::unique_ptr<grpc::Service> NewTemplateService(Templates* templates,
                                                  Scheduler* scheduler,
                                                  AuditLog* audit);

}  // namespace carme::backend

#endif  // CARME_BACKEND_RPC_TEMPLATE_SERVICE_H_
