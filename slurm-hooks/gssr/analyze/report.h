// Reports of a recording as text and as a page that prints well. Pure.
#ifndef CARME_SLURM_HOOKS_GSSR_ANALYZE_REPORT_H_
#define CARME_SLURM_HOOKS_GSSR_ANALYZE_REPORT_H_

#include <string>
#include <vector>

#include "slurm-hooks/gssr/analyze/summary.h"

namespace carme::gssr {

// Without its ranks and GPUs.
std::string FormatJob(const JobSummary& job);
std::string FormatReport(const std::vector<JobSummary>& jobs);
std::string FormatHtml(const std::string& report);

}  // namespace carme::gssr

#endif  // CARME_SLURM_HOOKS_GSSR_ANALYZE_REPORT_H_
