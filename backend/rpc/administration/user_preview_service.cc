#include "backend/rpc/administration/user_preview_service.h"

#include <grpcpp/server_context.h>

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "backend/identity/role_proto.h"
#include "backend/identity/session.h"
#include "backend/identity/users/username.h"
#include "backend/jobs/model/job_proto.h"
#include "backend/rpc/access/audit_event.h"
#include "backend/rpc/access/caller.h"
#include "backend/rpc/access/client_error.h"
#include "backend/rpc/administration/messages.h"
#include "backend/rpc/administration/preview_drafts.h"
#include "backend/rpc/convert/project_proto.h"
#include "backend/rpc/convert/reservation_proto.h"
#include "backend/rpc/start_form/start_checks.h"
#include "backend/rpc/start_form/start_cluster.h"
#include "backend/rpc/start_form/start_limits.h"
#include "backend/templates/template_proto.h"
#include "carme/v1/user_preview.grpc.pb.h"
#include "common/concurrency/concurrency_limiter.h"
#include "common/grpc/grpc_status.h"
#include "common/printable.h"
#include "common/protobuf/message_error.h"
#include "common/status.h"

namespace carme::backend {
namespace {

constexpr size_t kMaxUsernameBytes = 64;
// In the audit log, before the drafts.
constexpr size_t kMaxResultBytes = 100;
constexpr size_t kMaxStartChecks = 200;
// A preview decides about up to kMaxStartChecks jobs.
constexpr int kMaxPreviews = 4;
constexpr int kMaxPreviewsPerUser = 2;

// Identifies the user to the functions that serve the user's own calls. It has
// no id and is in no table: no other call accepts it.
Session IdentityOf(const Person& person) {
  Session user;
  user.username = person.username;
  user.display_name = person.display_name;
  user.uid = person.uid;
  user.role = person.role;
  return user;
}

v1::TemplateProblem ProblemOf(const TemplateRecord& record) {
  if (record.retired) return v1::TEMPLATE_PROBLEM_RETIRED;
  // One for jobs without a project is offered to each user.
  return record.projects.empty() ? v1::TEMPLATE_PROBLEM_NOT_ATTACHED
                                 : v1::TEMPLATE_PROBLEM_NOT_MEMBER;
}

template <typename Form>
void FillHidden(const std::vector<TemplateRecord>& all,
                const std::vector<TemplateRecord>& offered, Form* form) {
  std::set<std::string> ids;
  for (const TemplateRecord& record : offered) {
    ids.insert(record.job_template.id);
  }
  for (const TemplateRecord& record : all) {
    if (ids.contains(record.job_template.id)) continue;
    v1::HiddenTemplate* row = form->add_hidden_templates();
    Fill(record, row->mutable_template_());
    row->set_problem(ProblemOf(record));
  }
}

// Where a preview reads templates and limits: as they are saved, or with
// drafts.
struct Sources {
  Templates* templates;
  Quotas* quotas;
  SubmissionPolicy policy;
};

class UserPreviewService : public v1::UserPreviewService::Service {
 public:
  explicit UserPreviewService(const UserPreviewServiceParts& parts)
      : parts_(parts) {}

  grpc::Status PreviewStartForm(
      grpc::ServerContext* context, const v1::PreviewStartFormRequest* request,
      v1::PreviewStartFormResponse* response) override {
    const Caller caller = CallerOf(*context);
    v1::PreviewStartFormResponse preview;
    absl::Status status = parts_.audit->Ready();
    if (status.ok()) status = Preview(caller, *request, &preview);
    AuditEvent event =
        Outcome(EventOf(*context, caller, "admin-preview"), status);
    event.subject =
        Readable(status.ok() ? preview.username() : request->username(),
                 kMaxUsernameBytes);
    if (PreviewDrafts::AreIn(*request)) {
      event.result =
          absl::StrCat(Readable(event.result, kMaxResultBytes), "; unsaved ",
                       PreviewDrafts::Describe(*request, *parts_.templates));
    }
    // The preview is sent only after the audit entry is written.
    const absl::Status noted = RecordChange(parts_.audit, event);
    if (!noted.ok()) return ToGrpc(noted);
    if (!status.ok()) return ToGrpc(ClientError(status, caller, "the preview"));
    *response = std::move(preview);
    return grpc::Status::OK;
  }

 private:
  absl::Status Preview(const Caller& caller,
                       const v1::PreviewStartFormRequest& request,
                       v1::PreviewStartFormResponse* response) {
    const std::string& username = request.username();
    if (!IsUsername(username)) {
      return MakeError(rpc_administration_messages::kPreviewUsernameInvalid);
    }
    const auto slot = previews_.TryAcquire(caller.session.uid);
    if (!slot.acquired()) {
      return MakeError(rpc_administration_messages::kTooManyPreviews);
    }
    // The rules of log-in: who is not allowed to log in is NOT_FOUND.
    const absl::StatusOr<Person> person = parts_.persons->LookUp(username);
    if (absl::IsNotFound(person.status())) {
      return MakeError(rpc_administration_messages::kPreviewUserUnknown,
                       {{"username", username}});
    }
    RETURN_IF_ERROR(person.status());
    const Session user = IdentityOf(*person);
    Sources saved{.templates = parts_.templates,
                  .quotas = parts_.quotas,
                  .policy = parts_.jobs->Policy()};
    if (!PreviewDrafts::AreIn(request)) return FillAll(user, &saved, response);
    ASSIGN_OR_RETURN(PreviewDrafts drafts,
                     PreviewDrafts::Apply(request, caller.session.username,
                                          {.database = parts_.database,
                                           .scheduler = parts_.scheduler,
                                           .templates = parts_.templates,
                                           .quotas = parts_.quotas}));
    Sources changed{
        .templates = drafts.templates(),
        .quotas = drafts.quotas(),
        .policy = parts_.jobs->PolicyOn(drafts.database(), drafts.quotas())};
    response->set_draft_template_id(drafts.template_id());
    RETURN_IF_ERROR(FillAll(user, &changed, response));
    return FillDecisions(user, StartDefaultsOf(response->cluster()), &saved,
                         response->mutable_saved());
  }

  absl::Status FillAll(const Session& user, Sources* sources,
                       v1::PreviewStartFormResponse* response) {
    response->set_username(user.username);
    response->set_display_name(user.display_name);
    response->set_role(carme::backend::ToProto(user.role));
    FillCluster(user, parts_.scheduler, parts_.jobs, sources->quotas,
                response->mutable_cluster());
    for (std::string& account :
         AccountsOfUser(*parts_.scheduler->Snapshot(), user.username)) {
      response->add_accounts(std::move(account));
    }
    ASSIGN_OR_RETURN(const std::vector<ProjectView> projects, ProjectsOf(user));
    for (const ProjectView& view : projects) {
      Fill(view, response->add_projects());
    }
    RETURN_IF_ERROR(FillDecisions(user, StartDefaultsOf(response->cluster()),
                                  sources, response));
    RETURN_IF_ERROR(FillReservations(user, response));
    response->set_environments_offered(parts_.environments->offered());
    if (!parts_.environments->offered()) return absl::OkStatus();
    for (std::string& name : parts_.environments->ListSites()) {
      response->add_site_environments(std::move(name));
    }
    return absl::OkStatus();
  }

  // In which the user is a member.
  absl::StatusOr<std::vector<ProjectView>> ProjectsOf(const Session& user) {
    ASSIGN_OR_RETURN(Projects::Listing listing,
                     parts_.projects->List(PersonOf(user), false));
    std::erase_if(listing.projects, [](const ProjectView& view) {
      return !IsMember(view.row.project_role);
    });
    return std::move(listing.projects);
  }

  // Limits, templates and checks. `Form`: PreviewStartFormResponse or
  // SavedStartForm.
  template <typename Form>
  absl::Status FillDecisions(const Session& user, const StartDefaults& defaults,
                             Sources* sources, Form* form) {
    RETURN_IF_ERROR(FillLimits(user,
                               {.quotas = sources->quotas,
                                .projects = parts_.projects,
                                .scheduler = parts_.scheduler},
                               form->mutable_limits()));
    ASSIGN_OR_RETURN(const std::vector<ProjectView> projects, ProjectsOf(user));
    ASSIGN_OR_RETURN(const std::vector<TemplateRecord> templates,
                     sources->templates->Of(user.uid));
    for (const TemplateRecord& record : templates) {
      Fill(record, form->add_templates());
    }
    ASSIGN_OR_RETURN(const std::vector<TemplateRecord> all,
                     sources->templates->All());
    FillHidden(all, templates, form);
    const StartChoices proposed =
        ProposedStarts(projects, templates, defaults, kMaxStartChecks);
    form->set_checks_truncated(proposed.truncated);
    for (const StartResult& result :
         CheckStarts(user, proposed.choices, &sources->policy)) {
      v1::StartCheck* row = form->add_checks();
      row->set_project(result.choice.project);
      row->set_template_(result.choice.job_template);
      Fill(result.spec, row->mutable_spec());
      for (const Violation& violation : result.violations) {
        Fill(violation, row->add_violations());
      }
    }
    return absl::OkStatus();
  }

  absl::Status FillReservations(const Session& user,
                                v1::PreviewStartFormResponse* response) {
    ASSIGN_OR_RETURN(const Reservations::Listing listing,
                     parts_.reservations->List(PersonOf(user)));
    for (const ReservationView& view : listing.reservations) {
      if (view.usable) Fill(view, response->add_reservations());
    }
    return absl::OkStatus();
  }

  const UserPreviewServiceParts parts_;
  ConcurrencyLimiter<Uid> previews_{kMaxPreviews, kMaxPreviewsPerUser};
};

}  // namespace

std::unique_ptr<grpc::Service> NewUserPreviewService(
    const UserPreviewServiceParts& parts) {
  return std::make_unique<UserPreviewService>(parts);
}

}  // namespace carme::backend
