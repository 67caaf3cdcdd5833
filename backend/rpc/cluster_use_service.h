// carme.v1.ClusterUseService: nodes, queue, forecast of free GPUs, history.
#ifndef CARME_BACKEND_RPC_CLUSTER_USE_SERVICE_H_
#define CARME_BACKEND_RPC_CLUSTER_USE_SERVICE_H_

#include <memory>

#include "backend/history/use_record.h"
#include "backend/jobs/live_jobs.h"
#include "backend/slurm/scheduler.h"
#include "common/clock.h"

namespace grpc {
class Service;
}

namespace carme::backend {

// All outlive the service.
std::unique_ptr<grpc::Service> NewClusterUseService(Scheduler* scheduler,
                                                    LiveJobs* live,
                                                    const UseRecord* record,
                                                    const Clock* clock);

}  // namespace carme::backend

#endif  // CARME_BACKEND_RPC_CLUSTER_USE_SERVICE_H_
