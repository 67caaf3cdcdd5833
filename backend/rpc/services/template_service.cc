#include <grpcpp/server_context.h>

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "backend/audit/audit_log.h"
#include "backend/rpc/access/audit_event.h"
#include "backend/rpc/access/caller.h"
#include "backend/rpc/access/client_error.h"
#include "backend/rpc/convert/paging.h"
#include "backend/rpc/convert/slurm_names.h"
#include "backend/rpc/services/messages.h"
#include "backend/rpc/services/services.h"
#include "backend/slurm/scheduler.h"
#include "backend/templates/template_import.h"
#include "backend/templates/template_proto.h"
#include "backend/templates/templates.h"
#include "carme/v1/template.grpc.pb.h"
#include "common/grpc/grpc_status.h"
#include "common/printable.h"
#include "common/protobuf/message_error.h"
#include "common/status.h"

namespace carme::backend {
namespace {

constexpr size_t kMaxSubjectBytes = 128;

// The audited fields.
std::string AuditDetail(const TemplateRecord& record) {
  const JobTemplate& made = record.job_template;
  return absl::StrCat(
      ": \"", made.name, "\", partition \"", made.partition, "\", GPUs ",
      made.no_gpus ? "none" : absl::StrJoin(made.gpu_types, " "), " at most ",
      made.max_gpus_per_node, " a node, nodes ", made.max_nodes, ", walltime ",
      absl::ToInt64Minutes(made.max_walltime), " min, account \"", made.account,
      "\", QOS \"", made.qos, "\", reservation \"", made.reservation, "\"",
      record.retired ? ", retired" : "");
}

bool Matches(const v1::TemplateFilter& filter, const TemplateRecord& record) {
  const JobTemplate& made = record.job_template;
  if (!filter.project().empty() &&
      std::find(record.projects.begin(), record.projects.end(),
                filter.project()) == record.projects.end()) {
    return false;
  }
  return ContainsText(made.name, filter.search()) ||
         ContainsText(made.id, filter.search()) ||
         ContainsText(made.description, filter.search());
}

class TemplateService : public v1::TemplateService::Service {
 public:
  TemplateService(Templates* templates, Scheduler* scheduler, AuditLog* audit)
      : templates_(*templates), scheduler_(*scheduler), audit_(audit) {}

  grpc::Status ListTemplates(grpc::ServerContext* context,
                             const v1::ListTemplatesRequest* request,
                             v1::ListTemplatesResponse* response) override {
    const Caller caller = CallerOf(*context);
    const Role role =
        ReadingRole(caller.session, {"templates:read", "admin:read"});
    if (request->all() && !ReadsEverything(role)) {
      return ToGrpc(MakeError(rpc_service_messages::kTemplateListOfAllDenied));
    }
    auto records =
        request->all() ? templates_.All() : templates_.Of(caller.session.uid);
    if (!records.ok())
      return ToGrpc(ClientError(records.status(), caller, "templates"));
    const v1::TemplateFilter& filter = request->filter();
    const absl::Status sound = CheckSearch("filter.search", filter.search());
    if (!sound.ok()) return ToGrpc(sound);
    std::erase_if(*records, [&](const TemplateRecord& record) {
      return !Matches(filter, record);
    });
    const absl::StatusOr<std::string> next =
        CutPage(PageOf(*request, kWholeList), &*records);
    if (!next.ok()) return ToGrpc(next.status());
    for (const TemplateRecord& record : *records) {
      Fill(record, response->add_templates());
    }
    response->set_next_page_token(*next);
    return grpc::Status::OK;
  }

  grpc::Status CreateTemplate(grpc::ServerContext* context,
                              const v1::CreateTemplateRequest* request,
                              v1::CreateTemplateResponse* response) override {
    const JobTemplate wanted = TemplateOf(request->settings());
    const auto made = Acted([&]() -> absl::StatusOr<TemplateRecord> {
      RETURN_IF_ERROR(CheckSlurmNamesOf(wanted, &scheduler_));
      return templates_.Create(wanted);
    });
    const std::string id = made.ok() ? made->job_template.id : "";
    return Answer(*context, "template-create", id, made, response,
                  made.ok() ? AuditDetail(*made) : "");
  }

  grpc::Status ChangeTemplate(grpc::ServerContext* context,
                              const v1::ChangeTemplateRequest* request,
                              v1::ChangeTemplateResponse* response) override {
    const JobTemplate wanted = TemplateOf(request->settings());
    const auto made = Acted([&]() -> absl::StatusOr<TemplateRecord> {
      RETURN_IF_ERROR(CheckSlurmNamesOf(wanted, &scheduler_));
      return templates_.Change(request->template_id(), wanted);
    });
    return Answer(*context, "template-change", request->template_id(), made,
                  response, made.ok() ? AuditDetail(*made) : "");
  }

  grpc::Status RetireTemplate(grpc::ServerContext* context,
                              const v1::RetireTemplateRequest* request,
                              v1::RetireTemplateResponse* response) override {
    return SetRetired(true, *context, *request, response);
  }

  grpc::Status ReactivateTemplate(
      grpc::ServerContext* context,
      const v1::ReactivateTemplateRequest* request,
      v1::ReactivateTemplateResponse* response) override {
    return SetRetired(false, *context, *request, response);
  }

  grpc::Status AttachTemplate(grpc::ServerContext* context,
                              const v1::AttachTemplateRequest* request,
                              v1::AttachTemplateResponse* response) override {
    return SetAttached(true, *context, *request, response);
  }

  grpc::Status DetachTemplate(grpc::ServerContext* context,
                              const v1::DetachTemplateRequest* request,
                              v1::DetachTemplateResponse* response) override {
    return SetAttached(false, *context, *request, response);
  }

  grpc::Status ProposeTemplates(
      grpc::ServerContext* context,
      const v1::ProposeTemplatesRequest* /*request*/,
      v1::ProposeTemplatesResponse* response) override {
    const SlurmSnapshotPtr cluster = scheduler_.Snapshot();
    if (cluster->asked_at == absl::InfinitePast()) {
      return ToGrpc(
          MakeError(rpc_service_messages::kTemplateProposalsUnavailable));
    }
    const auto existing = templates_.All();
    if (!existing.ok()) {
      return ToGrpc(
          ClientError(existing.status(), CallerOf(*context), "templates"));
    }
    for (const TemplateProposal& proposal :
         carme::backend::ProposeTemplates(*cluster, *existing)) {
      v1::TemplateProposal* row = response->add_proposals();
      Fill(proposal.job_template, row->mutable_settings());
      row->set_note(proposal.note);
      row->set_known(proposal.known);
    }
    return grpc::Status::OK;
  }

 private:
  template <typename Request, typename Response>
  grpc::Status SetRetired(bool retired, const grpc::ServerContext& context,
                          const Request& request, Response* response) {
    return Answer(context, retired ? "template-retire" : "template-return",
                  request.template_id(), Acted([&] {
                    return templates_.Retire(request.template_id(), retired);
                  }),
                  response);
  }

  template <typename Request, typename Response>
  grpc::Status SetAttached(bool attached, const grpc::ServerContext& context,
                           const Request& request, Response* response) {
    const std::string& project = request.project_id();
    return Answer(context, attached ? "template-attach" : "template-detach",
                  absl::StrCat(request.template_id(), " ",
                               project.empty() ? "everybody" : project),
                  Acted([&] {
                    return templates_.Attach(request.template_id(), project,
                                             attached);
                  }),
                  response);
  }

  // Returns the result of `act`; fails if the audit log cannot be written.
  template <typename Act>
  absl::StatusOr<TemplateRecord> Acted(const Act& act) {
    RETURN_IF_ERROR(audit_->Ready());
    return act();
  }

  template <typename Response>
  grpc::Status Answer(const grpc::ServerContext& context, const char* act,
                      const std::string& subject,
                      const absl::StatusOr<TemplateRecord>& record,
                      Response* response, std::string_view detail = "") {
    const Caller caller = CallerOf(context);
    AuditEvent event = Outcome(EventOf(context, caller, act), record.status());
    event.subject = Readable(subject, kMaxSubjectBytes);
    event.result.append(detail);
    const absl::Status noted = RecordChange(audit_, event);
    if (!noted.ok()) return ToGrpc(noted);
    if (!record.ok())
      return ToGrpc(ClientError(record.status(), caller, "templates"));
    Fill(*record, response->mutable_template_());
    return grpc::Status::OK;
  }

  Templates& templates_;
  Scheduler& scheduler_;
  AuditLog* const audit_;
};

}  // namespace

std::unique_ptr<grpc::Service> NewTemplateService(Templates* templates,
                                                  Scheduler* scheduler,
                                                  AuditLog* audit) {
  return std::make_unique<TemplateService>(templates, scheduler, audit);
}

}  // namespace carme::backend
