// What carme-metrics reports of the GPUs of jobs. Carries no samples.
#ifndef CARME_BACKEND_RPC_METRICS_GPU_USE_SERVICE_H_
#define CARME_BACKEND_RPC_METRICS_GPU_USE_SERVICE_H_

#include <memory>

#include "backend/jobs/lifecycle/idle_monitor.h"

namespace grpc {
class Service;
}

namespace carme::backend {

// `idle` outlives the service.
std::unique_ptr<grpc::Service> NewGpuUseService(IdleMonitor* idle);

}  // namespace carme::backend

#endif  // CARME_BACKEND_RPC_METRICS_GPU_USE_SERVICE_H_
