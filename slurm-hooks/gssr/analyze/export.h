// Writes recordings in the formats of gssr 0.3.
#ifndef CARME_SLURM_HOOKS_GSSR_ANALYZE_EXPORT_H_
#define CARME_SLURM_HOOKS_GSSR_ANALYZE_EXPORT_H_

#include <string>

#include "absl/status/status.h"
#include "slurm-hooks/gssr/analyze/recordings.h"

namespace carme::gssr {

// The table `data` of the SQLite database; pure.
std::string FormatCsv(const Recordings& recordings);

// The tables data, process_metadata and job_metadata of gssr 0.3. Replaces the
// file.
absl::Status ExportSqlite(const Recordings& recordings,
                          const std::string& path);

}  // namespace carme::gssr

#endif  // CARME_SLURM_HOOKS_GSSR_ANALYZE_EXPORT_H_
