// The report as PDF: text of each job, then a plot of each metric for each of
// its steps. Pure.
#ifndef CARME_SLURM_HOOKS_GSSR_ANALYZE_PDF_REPORT_H_
#define CARME_SLURM_HOOKS_GSSR_ANALYZE_PDF_REPORT_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "slurm-hooks/gssr/analyze/summary.h"
#include "slurm-hooks/gssr/analyze/timeline.h"

namespace carme::gssr {

// What a plot can show.
inline constexpr size_t kMaxPlotPoints = 800;

// Without ranks and GPUs, of which there may be thousands. INTERNAL: the
// library failed.
absl::StatusOr<std::string> FormatPdf(
    const std::vector<JobSummary>& jobs,
    const std::vector<StepTimeline>& timelines);

}  // namespace carme::gssr

#endif  // CARME_SLURM_HOOKS_GSSR_ANALYZE_PDF_REPORT_H_
