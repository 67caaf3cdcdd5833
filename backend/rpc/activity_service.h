// carme.v1.ActivityService: what the proxy saw of the use of jobs.
#ifndef CARME_BACKEND_RPC_ACTIVITY_SERVICE_H_
#define CARME_BACKEND_RPC_ACTIVITY_SERVICE_H_

#include <memory>

#include "backend/jobs/idle_watch.h"

namespace grpc {
class Service;
}

namespace carme::backend {

// `idle` outlives the service.
std::unique_ptr<grpc::Service> NewActivityService(IdleWatch* idle);

}  // namespace carme::backend

#endif  // CARME_BACKEND_RPC_ACTIVITY_SERVICE_H_
