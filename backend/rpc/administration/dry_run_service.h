// What limits and templates would have refused last week.
#ifndef CARME_BACKEND_RPC_ADMINISTRATION_DRY_RUN_SERVICE_H_
#define CARME_BACKEND_RPC_ADMINISTRATION_DRY_RUN_SERVICE_H_

#include <memory>

#include "backend/dry_run/dry_run.h"

namespace grpc {
class Service;
}

namespace carme::backend {

std::unique_ptr<grpc::Service> NewDryRunService(const DryRuns::Parts& parts);

}  // namespace carme::backend

#endif  // CARME_BACKEND_RPC_ADMINISTRATION_DRY_RUN_SERVICE_H_
