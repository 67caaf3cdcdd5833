// The receipt of a job: what it asked for, what it used, and what would have
// been enough. Pure.
#ifndef CARME_BACKEND_METRICS_FINDINGS_JOB_RECEIPT_H_
#define CARME_BACKEND_METRICS_FINDINGS_JOB_RECEIPT_H_

#include <set>
#include <string>

#include "carme/archive/v1/archive.pb.h"
#include "carme/v1/findings.pb.h"

namespace carme::metrics {

// Of the series in `archive`, without findings. A job that has not ended is
// receipted up to its last sample.
v1::JobReceipt MakeReceipt(const archive::v1::JobArchive& archive);

// Of an ended job.
v1::JobSummary SummaryOf(const std::string& job, const v1::JobReceipt& receipt);

// The names of the series that MakeReceipt() reads.
std::set<std::string> ReceiptSeries();
// Of these, those whose ArchivedSeries.peak it reads.
std::set<std::string> PeakSeries();

}  // namespace carme::metrics

#endif  // CARME_BACKEND_METRICS_FINDINGS_JOB_RECEIPT_H_
