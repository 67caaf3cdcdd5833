// Evaluates the rules over the samples in an archive. Pure.
#ifndef CARME_BACKEND_METRICS_FINDINGS_JOB_FINDINGS_H_
#define CARME_BACKEND_METRICS_FINDINGS_JOB_FINDINGS_H_

#include <string>
#include <vector>

#include "absl/time/time.h"
#include "carme/archive/v1/archive.pb.h"
#include "carme/v1/findings.pb.h"
#include "carme/v1/metrics_access.pb.h"
#include "common/metric_rules/rule_set.h"

namespace carme::metrics {

// The severest first. Only series that the rules read need be in `archive`.
// `now`: until when a job without an end has run.
std::vector<v1::JobFinding> FindIn(const archive::v1::JobArchive& archive,
                                   const metric_rules::RuleSet& rules,
                                   absl::Time now);

// Those whose rules concern the node, at most one for each node and rule; the
// title names the GPUs. `findings` are of `rules`.
v1::RecordNodeFindingsRequest NodeFindingsOf(
    const std::string& job, const std::vector<v1::JobFinding>& findings,
    const metric_rules::RuleSet& rules);

// Marks findings with what the job's owner says about their rules. `findings`
// is a repeated field or a vector.
template <typename Findings, typename Ratings>
void ApplyRatings(const Ratings& ratings, Findings* findings) {
  for (v1::JobFinding& finding : *findings) {
    for (const archive::v1::FindingRating& rating : ratings) {
      if (rating.rule() != finding.rule()) continue;
      finding.set_muted(rating.muted());
      finding.set_false_alarm(rating.false_alarm());
    }
  }
}

}  // namespace carme::metrics

#endif  // CARME_BACKEND_METRICS_FINDINGS_JOB_FINDINGS_H_
