#include "backend/rpc/administration/dry_run_service.h"

#include <grpcpp/server_context.h>

#include "absl/status/statusor.h"
#include "backend/jobs/model/job_proto.h"
#include "backend/rpc/access/caller.h"
#include "backend/rpc/access/client_error.h"
#include "backend/rpc/convert/limit_proto.h"
#include "backend/templates/template_proto.h"
#include "carme/v1/dry_run.grpc.pb.h"
#include "common/grpc/grpc_status.h"

namespace carme::backend {
namespace {

void FillDryRun(const DryRunResult& result, v1::DryRun* message) {
  message->set_examined_jobs(result.examined);
  Fill(result.since, message->mutable_since());
  message->set_truncated(result.truncated);
  message->set_refused_jobs(result.refused);
  message->set_unknown_jobs(result.unknown);
  for (const DryRunUser& user : result.users) {
    v1::DryRunUser* row = message->add_users();
    row->set_username(user.username);
    row->set_examined_jobs(user.examined);
    row->set_refused_jobs(user.refused);
  }
  for (const DryRunJob& job : result.jobs) {
    v1::DryRunJob* row = message->add_jobs();
    row->set_id(job.id.value());
    row->set_owner(job.owner);
    row->set_name(job.name);
    Fill(job.submitted_at, row->mutable_submitted_at());
    Fill(job.violation, row->mutable_violation());
  }
}

class DryRunService : public v1::DryRunService::Service {
 public:
  explicit DryRunService(const DryRuns::Parts& parts) : dry_runs_(parts) {}

  grpc::Status DryRunLimitRule(grpc::ServerContext* context,
                               const v1::DryRunLimitRuleRequest* request,
                               v1::DryRunLimitRuleResponse* response) override {
    const Caller caller = CallerOf(*context);
    return Answer(caller,
                  dry_runs_.TryRule(caller.session, RuleOf(request->rule())),
                  response);
  }

  grpc::Status DryRunTemplate(grpc::ServerContext* context,
                              const v1::DryRunTemplateRequest* request,
                              v1::DryRunTemplateResponse* response) override {
    const Caller caller = CallerOf(*context);
    return Answer(caller,
                  dry_runs_.TryTemplate(caller.session, request->template_id(),
                                        TemplateOf(request->settings())),
                  response);
  }

 private:
  template <typename Response>
  static grpc::Status Answer(const Caller& caller,
                             const absl::StatusOr<DryRunResult>& result,
                             Response* response) {
    if (!result.ok()) {
      return ToGrpc(ClientError(result.status(), caller, "last week's jobs"));
    }
    FillDryRun(*result, response->mutable_dry_run());
    return grpc::Status::OK;
  }

  DryRuns dry_runs_;
};

}  // namespace

std::unique_ptr<grpc::Service> NewDryRunService(const DryRuns::Parts& parts) {
  return std::make_unique<DryRunService>(parts);
}

}  // namespace carme::backend
