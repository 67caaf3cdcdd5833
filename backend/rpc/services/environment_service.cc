#include <grpcpp/server_context.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "backend/audit/audit_log.h"
#include "backend/environments/environments.h"
#include "backend/jobs/model/job_proto.h"
#include "backend/rpc/access/audit_event.h"
#include "backend/rpc/access/caller.h"
#include "backend/rpc/access/client_error.h"
#include "backend/rpc/convert/paging.h"
#include "backend/rpc/services/services.h"
#include "carme/v1/environment.grpc.pb.h"
#include "common/edf/text.h"
#include "common/grpc/grpc_status.h"
#include "common/printable.h"
#include "common/protobuf/text_code.h"
#include "common/status.h"

namespace carme::backend {
namespace {

constexpr size_t kMaxSubjectBytes = 64;

void Fill(const StoredEnvironment& environment, v1::EnvironmentEntry* entry) {
  entry->set_name(environment.name);
  entry->set_revision(environment.revision);
  carme::backend::Fill(environment.changed_at, entry->mutable_changed_at());
}

void Fill(const EdfProblem& problem, v1::EnvironmentProblem* row) {
  row->set_number(static_cast<int>(problem.number));
  row->set_file(ValidUtf8(problem.place.file));
  row->set_line(problem.place.line);
  row->set_text(ValidUtf8(problem.text.text));
  FillTextCode(problem.text, &v1::EnvironmentProblem::mutable_text_code, row);
}

class EnvironmentService : public v1::EnvironmentService::Service {
 public:
  EnvironmentService(Environments* environments, AuditLog* audit)
      : environments_(*environments), audit_(*audit) {}

  grpc::Status ListEnvironments(
      grpc::ServerContext* context, const v1::ListEnvironmentsRequest* request,
      v1::ListEnvironmentsResponse* response) override {
    const Caller caller = CallerOf(*context);
    response->set_offered(environments_.offered());
    response->set_max_environments(kMaxEnvironments);
    response->set_max_bytes(kMaxEnvironmentBytes);
    if (!environments_.offered()) return grpc::Status::OK;
    const auto own = environments_.List(caller.session);
    if (!own.ok())
      return ToGrpc(ClientError(own.status(), caller, "your environments"));
    std::vector<v1::EnvironmentEntry> entries;
    for (const StoredEnvironment& environment : *own) {
      Fill(environment, &entries.emplace_back());
    }
    for (std::string& name : environments_.ListSites()) {
      v1::EnvironmentEntry& entry = entries.emplace_back();
      entry.set_name(std::move(name));
      entry.set_site(true);
    }
    const absl::StatusOr<std::string> next =
        CutPage(PageOf(*request, kWholeList), &entries);
    if (!next.ok()) return ToGrpc(next.status());
    response->set_next_page_token(*next);
    for (v1::EnvironmentEntry& entry : entries) {
      *response->add_environments() = std::move(entry);
    }
    return grpc::Status::OK;
  }

  grpc::Status GetEnvironment(grpc::ServerContext* context,
                              const v1::GetEnvironmentRequest* request,
                              v1::GetEnvironmentResponse* response) override {
    const Caller caller = CallerOf(*context);
    return ToGrpc(ClientError(Get(caller, *request, response), caller,
                              "your environments"));
  }

  grpc::Status SaveEnvironment(grpc::ServerContext* context,
                               const v1::SaveEnvironmentRequest* request,
                               v1::SaveEnvironmentResponse* response) override {
    const Caller caller = CallerOf(*context);
    const absl::Status saved = Save(caller, *request, response);
    return Answer(*context, caller, "save-environment", request->name(), saved);
  }

  grpc::Status DeleteEnvironment(
      grpc::ServerContext* context, const v1::DeleteEnvironmentRequest* request,
      v1::DeleteEnvironmentResponse* /*response*/) override {
    const Caller caller = CallerOf(*context);
    absl::Status deleted = audit_.Ready();
    if (deleted.ok()) {
      deleted = environments_.Delete(caller.session, request->name());
    }
    return Answer(*context, caller, "delete-environment", request->name(),
                  deleted);
  }

  grpc::Status RenderEnvironment(
      grpc::ServerContext* context, const v1::RenderEnvironmentRequest* request,
      v1::RenderEnvironmentResponse* response) override {
    const Caller caller = CallerOf(*context);
    const absl::StatusOr<EdfResult> result =
        environments_.Render(caller.session, request->text(), request->name());
    if (!result.ok())
      return ToGrpc(ClientError(result.status(), caller, "your environments"));
    if (result->edf) response->set_rendered(EdfToToml(*result->edf));
    for (const EdfProblem& problem : result->problems.list()) {
      Fill(problem, response->add_problems());
    }
    for (const EdfProblem& warning : result->warnings.list()) {
      Fill(warning, response->add_warnings());
    }
    return grpc::Status::OK;
  }

 private:
  absl::Status Get(const Caller& caller,
                   const v1::GetEnvironmentRequest& request,
                   v1::GetEnvironmentResponse* response) {
    if (request.site()) {
      ASSIGN_OR_RETURN(std::string text,
                       environments_.FindSites(request.name()));
      response->mutable_environment()->set_name(request.name());
      response->mutable_environment()->set_site(true);
      response->set_text(ValidUtf8(text));
      return absl::OkStatus();
    }
    ASSIGN_OR_RETURN(StoredEnvironment environment,
                     environments_.Find(caller.session, request.name()));
    Fill(environment, response->mutable_environment());
    response->set_text(std::move(environment.text));
    return absl::OkStatus();
  }

  absl::Status Save(const Caller& caller,
                    const v1::SaveEnvironmentRequest& request,
                    v1::SaveEnvironmentResponse* response) {
    RETURN_IF_ERROR(audit_.Ready());
    ASSIGN_OR_RETURN(const StoredEnvironment saved,
                     environments_.Save(caller.session, request.name(),
                                        request.text(), request.revision()));
    Fill(saved, response->mutable_environment());
    return absl::OkStatus();
  }

  // Records one audit entry; responds to a change once the entry is on disk.
  grpc::Status Answer(const grpc::ServerContext& context, const Caller& caller,
                      const char* act, const std::string& name,
                      const absl::Status& status) {
    const absl::Status shown = ClientError(status, caller, "your environments");
    AuditEvent event = Outcome(EventOf(context, caller, act), shown);
    event.subject = PlainText(name, kMaxSubjectBytes);
    const absl::Status noted = RecordChange(&audit_, event);
    return ToGrpc(noted.ok() ? shown : noted);
  }

  Environments& environments_;
  AuditLog& audit_;
};

}  // namespace

std::unique_ptr<grpc::Service> NewEnvironmentService(Environments* environments,
                                                     AuditLog* audit) {
  return std::make_unique<EnvironmentService>(environments, audit);
}

}  // namespace carme::backend
