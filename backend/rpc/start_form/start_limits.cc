#include "backend/rpc/start_form/start_limits.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "backend/jobs/diagnosis/slurm_limits.h"
#include "backend/jobs/model/job_proto.h"
#include "backend/rpc/convert/limit_proto.h"
#include "carme/v1/limit.pb.h"
#include "common/status.h"

namespace carme::backend {
namespace {

std::optional<absl::Time> WindowEndOf(QuotaMetric metric, absl::Time now) {
  switch (metric) {
    case v1::LIMIT_METRIC_JOBS_PER_DAY:
    case v1::LIMIT_METRIC_GPU_HOURS_PER_DAY:
      return DayOf(now).end;
    case v1::LIMIT_METRIC_GPU_HOURS_PER_MONTH:
      return MonthOf(now).end;
    default:
      return std::nullopt;
  }
}

void FillUse(const QuotaTerms& terms, const QuotaRule& rule,
             v1::LimitUse* row) {
  Fill(rule, row->mutable_rule());
  row->set_limit(LimitName(rule.metric));
  const Used used = UsedOf(UsageFor(terms, rule), rule.metric);
  row->set_used(used.all);
  row->set_spent(used.spent);
  if (const auto end = WindowEndOf(rule.metric, terms.now)) {
    Fill(*end, row->mutable_window_ends_at());
  }
}

bool LimitsProject(const QuotaRule& rule) { return !rule.project.empty(); }

void FillSlurm(const SlurmSnapshot& cluster, const Session& user,
               v1::GetLimitsResponse* response) {
  for (const OwnSlurmLimit& own :
       SlurmLimitsOf(cluster, user.username, user.uid)) {
    v1::SlurmLimit* row = response->add_slurm();
    row->set_owner(own.owner);
    row->set_name(own.limit.name);
    row->set_tres(own.limit.tres);
    row->set_max(own.limit.max);
    if (own.limit.used) row->set_used(*own.limit.used);
    row->set_sentence(own.sentence);
  }
  if (cluster.accounting == nullptr) return;
  for (const SlurmAssociation& row : cluster.accounting->associations) {
    if (row.user != user.username || !row.partition.empty()) continue;
    v1::SlurmShare* share = response->add_shares();
    share->set_account(row.account);
    share->set_shares(row.shares);
    share->set_fair_share(row.fair_share);
  }
  if (!cluster.accounting->associations.empty()) {
    Fill(cluster.accounting->asked_at, response->mutable_slurm_asked_at());
  }
}

absl::Status FillOwn(const Session& user, const StartLimitsSources& sources,
                     v1::GetLimitsResponse* response) {
  const Quotas::Asker asker = sources.quotas->AskerOf(user);
  ASSIGN_OR_RETURN(const QuotaTerms own, sources.quotas->For(asker, ""));
  for (const QuotaRule& rule : own.rules) {
    FillUse(own, rule, response->add_limits());
  }
  ASSIGN_OR_RETURN(const std::vector<ProjectRow> rows,
                   sources.projects->RowsOf(user.uid, false));
  for (const ProjectRow& row : rows) {
    if (!IsMember(row.project_role)) continue;
    const std::string& id = row.project.id.value();
    ASSIGN_OR_RETURN(const QuotaTerms terms, sources.quotas->For(asker, id));
    v1::ProjectLimits limits;
    limits.set_project(id);
    limits.set_project_name(row.project.settings.name);
    for (const QuotaRule& rule : terms.rules) {
      if (LimitsProject(rule)) FillUse(terms, rule, limits.add_limits());
    }
    if (limits.limits_size() > 0) {
      *response->add_projects() = std::move(limits);
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status FillLimits(const Session& user, const StartLimitsSources& sources,
                        v1::GetLimitsResponse* response) {
  RETURN_IF_ERROR(FillOwn(user, sources, response));
  FillSlurm(*sources.scheduler->Snapshot(), user, response);
  return absl::OkStatus();
}

}  // namespace carme::backend
