// The GPU saturation score of a job and its parts, with its components and the
// ratings of gssr-analyze beside it. Pure.
#ifndef CARME_BACKEND_METRICS_FINDINGS_SCORE_REPORT_H_
#define CARME_BACKEND_METRICS_FINDINGS_SCORE_REPORT_H_

#include <set>
#include <string>

#include "carme/archive/v1/archive.pb.h"
#include "carme/v1/findings.pb.h"

namespace carme::metrics {

// Sets the score, the ratings and the report of `receipt`. Parts are the GPUs;
// the ranks, with the GPUs on which their processes were seen; and the phases:
// before and from the first step, and those that the program reports as values
// of "phase" with a tag "name".
void AddScores(const archive::v1::JobArchive& archive, v1::JobReceipt* receipt);

// The names of the series that AddScores() reads.
std::set<std::string> ScoreSeries();

}  // namespace carme::metrics

#endif  // CARME_BACKEND_METRICS_FINDINGS_SCORE_REPORT_H_
