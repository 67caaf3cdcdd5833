// A job's metrics of GPUs as the SQLite database of gssr 0.3.
#ifndef CARME_BACKEND_METRICS_PAGES_GSSR_DATABASE_H_
#define CARME_BACKEND_METRICS_PAGES_GSSR_DATABASE_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "backend/metrics/pages/export_files.h"
#include "carme/archive/v1/archive.pb.h"

namespace carme::metrics {

// One file. Each node is a process of step 0. A value that is missing is NULL;
// fields that were not sampled are left out unless the summary reads them.
// Writes a temporary file. NOT_FOUND: the job has no samples of GPUs;
// RESOURCE_EXHAUSTED: more than `max_bytes`; UNAVAILABLE: the file cannot be
// written.
absl::StatusOr<ExportedFile> ExportGssrDatabase(
    const archive::v1::JobArchive& archive, int64_t max_bytes,
    const ExportNames& names = {});

}  // namespace carme::metrics

#endif  // CARME_BACKEND_METRICS_PAGES_GSSR_DATABASE_H_
