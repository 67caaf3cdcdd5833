// A job's metrics as a job of ClusterCockpit's job archive. Pure.
#ifndef CARME_BACKEND_METRICS_PAGES_CLUSTERCOCKPIT_H_
#define CARME_BACKEND_METRICS_PAGES_CLUSTERCOCKPIT_H_

#include <vector>

#include "absl/status/statusor.h"
#include "backend/metrics/pages/export_files.h"
#include "carme/archive/v1/archive.pb.h"

namespace carme::metrics {

// meta.json and data.json, as `cc-backend -import-job` takes them, with
// ClusterCockpit's names and units where it has them. A gap is null. Counters
// become rates. What was not sampled is absent, also where the schema requires
// it (cpu_load, flops_any, mem_bw, filesystems): the importer takes that.
// FAILED_PRECONDITION: the job has not ended, or its record has no nodes.
absl::StatusOr<std::vector<ExportedFile>> ExportClusterCockpit(
    const archive::v1::JobArchive& archive, const ExportNames& names = {});

}  // namespace carme::metrics

#endif  // CARME_BACKEND_METRICS_PAGES_CLUSTERCOCKPIT_H_
