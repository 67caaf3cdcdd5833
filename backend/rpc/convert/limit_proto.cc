#include "backend/rpc/convert/limit_proto.h"

#include "absl/time/time.h"
#include "backend/jobs/model/job_proto.h"

namespace carme::backend {

void Fill(const QuotaRule& rule, v1::LimitRule* row) {
  row->set_scope(rule.scope);
  row->set_name(rule.name);
  row->set_project(rule.project);
  row->set_username(rule.username);
  row->set_metric(rule.metric);
  if (rule.max) row->set_max(*rule.max);
  row->set_note(rule.note);
  row->set_set_by(rule.set_by);
  if (rule.set_at != absl::InfinitePast()) {
    Fill(rule.set_at, row->mutable_set_at());
  }
  if (rule.expires_at) {
    Fill(*rule.expires_at, row->mutable_expires_at());
  }
  row->set_project_name(rule.project_name);
  row->set_source(QuotaSource(rule));
}

QuotaRule RuleOf(const v1::LimitRule& row) {
  QuotaRule rule;
  rule.scope = row.scope();
  rule.name = row.name();
  rule.project = row.project();
  rule.username = row.username();
  rule.metric = row.metric();
  if (row.has_max()) rule.max = row.max();
  rule.note = row.note();
  if (row.has_expires_at()) {
    rule.expires_at = absl::FromUnixSeconds(row.expires_at().seconds());
  }
  return rule;
}

}  // namespace carme::backend
