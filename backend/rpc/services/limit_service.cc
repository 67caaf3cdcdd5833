#include <grpcpp/server_context.h>

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "backend/audit/audit_log.h"
#include "backend/projects/projects.h"
#include "backend/quotas/quotas.h"
#include "backend/rpc/access/audit_event.h"
#include "backend/rpc/access/caller.h"
#include "backend/rpc/access/client_error.h"
#include "backend/rpc/convert/limit_proto.h"
#include "backend/rpc/convert/paging.h"
#include "backend/rpc/services/services.h"
#include "backend/rpc/start_form/start_limits.h"
#include "backend/slurm/scheduler.h"
#include "carme/v1/limit.grpc.pb.h"
#include "common/grpc/grpc_status.h"
#include "common/printable.h"
#include "common/status.h"

namespace carme::backend {
namespace {

constexpr size_t kMaxSubjectBytes = 128;

// The audited fields: subject, metric and limit.
std::string AuditDetail(const QuotaRule& rule) {
  return absl::StrCat(
      ": ", LimitName(rule.metric), " ",
      rule.max ? absl::StrCat(*rule.max) : "unlimited",
      rule.expires_at ? absl::FormatTime(" until %Y-%m-%dT%H:%M:%SZ",
                                         *rule.expires_at, absl::UTCTimeZone())
                      : " without expiry",
      rule.note.empty() ? "" : "; note: ", rule.note);
}

std::string SubjectOf(const QuotaRule& rule) {
  return Readable(QuotaSource(rule), kMaxSubjectBytes);
}

// Whether the rule matches all fields that the filter sets.
bool Matches(const v1::LimitRuleFilter& filter, const QuotaRule& rule) {
  const auto is = [](const std::string& wanted, const std::string& found) {
    return wanted.empty() || wanted == found;
  };
  return (filter.scope() == v1::LIMIT_SCOPE_UNSPECIFIED ||
          filter.scope() == rule.scope) &&
         (filter.metric() == v1::LIMIT_METRIC_UNSPECIFIED ||
          filter.metric() == rule.metric) &&
         is(filter.name(), rule.name) && is(filter.project(), rule.project) &&
         is(filter.username(), rule.username);
}

class LimitService : public v1::LimitService::Service {
 public:
  explicit LimitService(const LimitServiceParts& parts) : parts_(parts) {}

  grpc::Status GetLimits(grpc::ServerContext* context,
                         const v1::GetLimitsRequest* /*request*/,
                         v1::GetLimitsResponse* response) override {
    const Caller caller = CallerOf(*context);
    const absl::Status filled = FillLimits(caller.session,
                                           {.quotas = parts_.quotas,
                                            .projects = parts_.projects,
                                            .scheduler = parts_.scheduler},
                                           response);
    return ToGrpc(ClientError(filled, caller, "limits"));
  }

  grpc::Status ListLimitRules(grpc::ServerContext* context,
                              const v1::ListLimitRulesRequest* request,
                              v1::ListLimitRulesResponse* response) override {
    absl::StatusOr<std::vector<QuotaRule>> rules = parts_.quotas->Rules();
    if (!rules.ok())
      return ToGrpc(ClientError(rules.status(), CallerOf(*context), "limits"));
    std::erase_if(*rules, [&](const QuotaRule& rule) {
      return !Matches(request->filter(), rule);
    });
    const absl::StatusOr<std::string> next =
        CutPage(PageOf(*request, kWholeList), &*rules);
    if (!next.ok()) return ToGrpc(next.status());
    response->set_next_page_token(*next);
    for (const QuotaRule& rule : *rules) {
      carme::backend::Fill(rule, response->add_rules());
    }
    return grpc::Status::OK;
  }

  grpc::Status SetLimitRule(grpc::ServerContext* context,
                            const v1::SetLimitRuleRequest* request,
                            v1::SetLimitRuleResponse* response) override {
    const Caller caller = CallerOf(*context);
    const QuotaRule wanted = RuleOf(request->rule());
    const absl::StatusOr<QuotaRule> kept = Set(wanted, caller);
    const grpc::Status noted = Note(*context, caller, "limit-set",
                                    kept.ok() ? *kept : wanted, kept.status());
    if (!noted.ok()) return noted;
    carme::backend::Fill(*kept, response->mutable_rule());
    return grpc::Status::OK;
  }

  grpc::Status RemoveLimitRule(
      grpc::ServerContext* context, const v1::RemoveLimitRuleRequest* request,
      v1::RemoveLimitRuleResponse* /*response*/) override {
    const Caller caller = CallerOf(*context);
    const QuotaRule wanted = RuleOf(request->rule());
    absl::Status removed = parts_.audit->Ready();
    if (removed.ok()) removed = parts_.quotas->Remove(wanted);
    return Note(*context, caller, "limit-remove", wanted, removed);
  }

 private:
  absl::StatusOr<QuotaRule> Set(const QuotaRule& wanted, const Caller& caller) {
    RETURN_IF_ERROR(parts_.audit->Ready());
    return parts_.quotas->Set(wanted, caller.session.username);
  }

  grpc::Status Note(const grpc::ServerContext& context, const Caller& caller,
                    const char* act, const QuotaRule& rule,
                    const absl::Status& status) {
    AuditEvent event = Outcome(EventOf(context, caller, act), status);
    event.subject = SubjectOf(rule);
    if (status.ok()) event.result.append(AuditDetail(rule));
    const absl::Status noted = RecordChange(parts_.audit, event);
    if (!noted.ok()) return ToGrpc(noted);
    return ToGrpc(ClientError(status, caller, "limits"));
  }

  const LimitServiceParts parts_;
};

}  // namespace

std::unique_ptr<grpc::Service> NewLimitService(const LimitServiceParts& parts) {
  return std::make_unique<LimitService>(parts);
}

}  // namespace carme::backend
