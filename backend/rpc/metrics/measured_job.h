// What carme-metrics receives of a job.
#ifndef CARME_BACKEND_RPC_METRICS_MEASURED_JOB_H_
#define CARME_BACKEND_RPC_METRICS_MEASURED_JOB_H_

#include "backend/jobs/model/job.h"
#include "carme/v1/metrics_access.pb.h"

namespace carme::backend {

v1::MeasuredJob MeasuredJobOf(const Job& job);

}  // namespace carme::backend

#endif  // CARME_BACKEND_RPC_METRICS_MEASURED_JOB_H_
