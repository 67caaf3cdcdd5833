// carme.v1.ClusterService: what the cluster has, from the watcher's memory.
#ifndef CARME_BACKEND_RPC_CLUSTER_SERVICE_H_
#define CARME_BACKEND_RPC_CLUSTER_SERVICE_H_

#include <memory>

#include "backend/jobs/jobs.h"
#include "backend/slurm/scheduler.h"

namespace grpc {
class Service;
}

namespace carme::backend {

// Both outlive the service.
std::unique_ptr<grpc::Service> NewClusterService(Scheduler* scheduler,
                                                 Jobs* jobs);

}  // namespace carme::backend

#endif  // CARME_BACKEND_RPC_CLUSTER_SERVICE_H_
