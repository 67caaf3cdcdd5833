#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "backend/audit/audit_log.h"
#include "backend/projects/projects.h"
#include "backend/rpc/access/audit_event.h"
#include "backend/rpc/access/caller.h"
#include "backend/rpc/access/client_error.h"
#include "backend/rpc/convert/paging.h"
#include "backend/rpc/convert/project_proto.h"
#include "backend/rpc/convert/slurm_names.h"
#include "backend/rpc/services/services.h"
#include "backend/slurm/scheduler.h"
#include "carme/v1/project.grpc.pb.h"
#include "common/grpc/grpc_status.h"
#include "common/printable.h"
#include "common/status.h"

namespace carme::backend {
namespace {

constexpr size_t kMaxSubjectBytes = 128;

// The names in the audit log.
const char* NameOf(ProjectAction act) {
  switch (act) {
    case v1::PROJECT_ACTION_APPROVE:
      return "project-approve";
    case v1::PROJECT_ACTION_REJECT:
      return "project-refuse";
    case v1::PROJECT_ACTION_CLOSE:
      return "project-close";
    case v1::PROJECT_ACTION_REOPEN:
      return "project-reopen";
    default:
      return "project-action";
  }
}

const char* NameOf(MemberAction act) {
  switch (act) {
    case MemberAction::kAccept:
      return "project-member-accept";
    case MemberAction::kDecline:
      return "project-member-decline";
    case MemberAction::kWithdraw:
      return "project-member-withdraw";
    case MemberAction::kLeave:
      return "project-member-leave";
    case MemberAction::kApprove:
      return "project-member-approve";
    case MemberAction::kReject:
      return "project-member-reject";
    case MemberAction::kRevoke:
      return "project-member-revoke";
    case MemberAction::kRemove:
      return "project-member-remove";
    case MemberAction::kConfirm:
      return "project-member-confirm";
    case MemberAction::kRefuse:
      return "project-member-refuse";
    case MemberAction::kPromote:
      return "project-manager-make";
    case MemberAction::kDemote:
      return "project-manager-unmake";
    case MemberAction::kTransferOwnership:
      return "project-hand-over";
    default:
      return "project-member-action";
  }
}

std::string TermsOf(const ProjectView& view) {
  const Project& project = view.row.project;
  return absl::StrCat(
      ": account \"", project.account, "\", end ",
      project.expires_at
          ? absl::FormatTime("%Y-%m-%dT%H:%M:%SZ", *project.expires_at,
                             absl::UTCTimeZone())
          : "never");
}

Person ReaderOf(const Caller& caller) {
  Person reader = PersonOf(caller.session);
  reader.role = ReadingRole(caller.session, {"projects:read", "admin:read"});
  return reader;
}

bool Matches(const v1::ProjectFilter& filter, const ProjectRow& row) {
  if (!filter.states().empty() &&
      std::find(filter.states().begin(), filter.states().end(),
                row.project.state) == filter.states().end()) {
    return false;
  }
  return ContainsText(row.project.settings.name, filter.search()) ||
         ContainsText(row.project.id.value(), filter.search()) ||
         ContainsText(row.owner, filter.search());
}

class ProjectService : public v1::ProjectService::Service {
 public:
  ProjectService(Projects* projects, AuditLog* audit, Scheduler* scheduler)
      : projects_(*projects), audit_(audit), scheduler_(scheduler) {}

  grpc::Status ListProjects(grpc::ServerContext* context,
                            const v1::ListProjectsRequest* request,
                            v1::ListProjectsResponse* response) override {
    const Caller caller = CallerOf(*context);
    const v1::ProjectFilter& filter = request->filter();
    const absl::Status sound = CheckSearch("filter.search", filter.search());
    if (!sound.ok()) return ToGrpc(sound);
    absl::StatusOr<Projects::Listing> listing =
        projects_.List(ReaderOf(caller), request->all());
    if (!listing.ok())
      return ToGrpc(ClientError(listing.status(), caller, "projects"));
    std::erase_if(listing->projects, [&](const ProjectView& view) {
      return !Matches(filter, view.row);
    });
    const absl::StatusOr<std::string> next =
        CutPage(PageOf(*request, kWholeList), &listing->projects);
    if (!next.ok()) return ToGrpc(next.status());
    response->set_next_page_token(*next);
    for (const ProjectView& view : listing->projects) {
      Fill(view, response->add_projects());
    }
    const ProjectsConfig& config = projects_.config();
    *response->mutable_classifications() = {config.classifications.begin(),
                                            config.classifications.end()};
    response->set_requires_admin_approval(config.require_admin_approval);
    response->set_waiting_count(listing->waiting_for_me);
    return grpc::Status::OK;
  }

  grpc::Status GetProject(grpc::ServerContext* context,
                          const v1::GetProjectRequest* request,
                          v1::GetProjectResponse* response) override {
    const Caller caller = CallerOf(*context);
    const absl::StatusOr<ProjectView> view =
        projects_.Get(ReaderOf(caller), ProjectId(request->project_id()));
    if (!view.ok())
      return ToGrpc(ClientError(view.status(), caller, "projects"));
    Fill(*view, response->mutable_project());
    return grpc::Status::OK;
  }

  grpc::Status CreateProject(grpc::ServerContext* context,
                             const v1::CreateProjectRequest* request,
                             v1::CreateProjectResponse* response) override {
    const Caller caller = CallerOf(*context);
    const auto made = Acted([&] {
      return projects_.Create(PersonOf(caller.session),
                              SettingsOf(request->settings()));
    });
    const std::string id = made.ok() ? made->row.project.id.value() : "";
    return Answer(*context, caller, "project-create", id, made, response);
  }

  grpc::Status ChangeProject(grpc::ServerContext* context,
                             const v1::ChangeProjectRequest* request,
                             v1::ChangeProjectResponse* response) override {
    const Caller caller = CallerOf(*context);
    return Answer(*context, caller, "project-change", request->project_id(),
                  Acted([&] {
                    return projects_.Change(PersonOf(caller.session),
                                            ProjectId(request->project_id()),
                                            SettingsOf(request->settings()));
                  }),
                  response);
  }

  grpc::Status SetProjectTerms(grpc::ServerContext* context,
                               const v1::SetProjectTermsRequest* request,
                               v1::SetProjectTermsResponse* response) override {
    const Caller caller = CallerOf(*context);
    std::optional<absl::Time> end;
    if (request->has_expires_at()) {
      // Drops fractions of a second.
      end = absl::FromUnixSeconds(request->expires_at().seconds());
    }
    const auto changed = Acted([&]() -> absl::StatusOr<ProjectView> {
      if (scheduler_ != nullptr) {
        RETURN_IF_ERROR(
            CheckSlurmNames({.account = request->account()}, scheduler_));
      }
      return projects_.SetTerms(PersonOf(caller.session),
                                ProjectId(request->project_id()), end,
                                request->account());
    });
    return Answer(*context, caller, "project-terms", request->project_id(),
                  changed, response, changed.ok() ? TermsOf(*changed) : "");
  }

  grpc::Status ApproveProject(grpc::ServerContext* context,
                              const v1::ApproveProjectRequest* request,
                              v1::ApproveProjectResponse* response) override {
    return ApplyToProject(v1::PROJECT_ACTION_APPROVE, *context, *request,
                          response);
  }

  grpc::Status RejectProject(grpc::ServerContext* context,
                             const v1::RejectProjectRequest* request,
                             v1::RejectProjectResponse* response) override {
    return ApplyToProject(v1::PROJECT_ACTION_REJECT, *context, *request,
                          response);
  }

  grpc::Status CloseProject(grpc::ServerContext* context,
                            const v1::CloseProjectRequest* request,
                            v1::CloseProjectResponse* response) override {
    return ApplyToProject(v1::PROJECT_ACTION_CLOSE, *context, *request,
                          response);
  }

  grpc::Status ReopenProject(grpc::ServerContext* context,
                             const v1::ReopenProjectRequest* request,
                             v1::ReopenProjectResponse* response) override {
    return ApplyToProject(v1::PROJECT_ACTION_REOPEN, *context, *request,
                          response);
  }

  grpc::Status RequestMembership(
      grpc::ServerContext* context, const v1::RequestMembershipRequest* request,
      v1::RequestMembershipResponse* response) override {
    const Caller caller = CallerOf(*context);
    return Answer(*context, caller, "project-request", request->project_id(),
                  Acted([&] {
                    return projects_.Request(PersonOf(caller.session),
                                             ProjectId(request->project_id()));
                  }),
                  response);
  }

  grpc::Status InviteMember(grpc::ServerContext* context,
                            const v1::InviteMemberRequest* request,
                            v1::InviteMemberResponse* response) override {
    const Caller caller = CallerOf(*context);
    return Answer(*context, caller, "project-invite", SubjectOf(*request),
                  Acted([&] {
                    return projects_.Invite(PersonOf(caller.session),
                                            ProjectId(request->project_id()),
                                            request->username());
                  }),
                  response);
  }

  grpc::Status AddMember(grpc::ServerContext* context,
                         const v1::AddMemberRequest* request,
                         v1::AddMemberResponse* response) override {
    const Caller caller = CallerOf(*context);
    const ProjectRole project_role =
        request->role() == v1::PROJECT_ROLE_UNSPECIFIED
            ? v1::PROJECT_ROLE_MEMBER
            : request->role();
    const auto added = Acted([&] {
      return projects_.AddMember(
          PersonOf(caller.session), ProjectId(request->project_id()),
          request->username(), request->email(), project_role);
    });
    const absl::StatusOr<ProjectView> view =
        added.ok() ? absl::StatusOr<ProjectView>(added->view) : added.status();
    if (added.ok()) {
      response->set_username(added->username);
      response->set_changed(added->changed);
    }
    return Answer(
        *context, caller, "project-member-add",
        absl::StrCat(request->project_id(), " ",
                     added.ok()                    ? added->username
                     : request->username().empty() ? request->email()
                                                   : request->username()),
        view, response, added.ok() && !added->changed ? ": was a member" : "");
  }

  grpc::Status WithdrawMembershipRequest(
      grpc::ServerContext* context,
      const v1::WithdrawMembershipRequestRequest* request,
      v1::WithdrawMembershipRequestResponse* response) override {
    return ApplyToCaller(MemberAction::kWithdraw, *context, *request, response);
  }

  grpc::Status AcceptInvitation(
      grpc::ServerContext* context, const v1::AcceptInvitationRequest* request,
      v1::AcceptInvitationResponse* response) override {
    return ApplyToCaller(MemberAction::kAccept, *context, *request, response);
  }

  grpc::Status DeclineInvitation(
      grpc::ServerContext* context, const v1::DeclineInvitationRequest* request,
      v1::DeclineInvitationResponse* response) override {
    return ApplyToCaller(MemberAction::kDecline, *context, *request, response);
  }

  grpc::Status LeaveProject(grpc::ServerContext* context,
                            const v1::LeaveProjectRequest* request,
                            v1::LeaveProjectResponse* response) override {
    return ApplyToCaller(MemberAction::kLeave, *context, *request, response);
  }

  grpc::Status RevokeInvitation(
      grpc::ServerContext* context, const v1::RevokeInvitationRequest* request,
      v1::RevokeInvitationResponse* response) override {
    return ApplyToMember(MemberAction::kRevoke, *context, *request, response);
  }

  grpc::Status ApproveMember(grpc::ServerContext* context,
                             const v1::ApproveMemberRequest* request,
                             v1::ApproveMemberResponse* response) override {
    return ApplyToMember(MemberAction::kApprove, *context, *request, response);
  }

  grpc::Status RejectMember(grpc::ServerContext* context,
                            const v1::RejectMemberRequest* request,
                            v1::RejectMemberResponse* response) override {
    return ApplyToMember(MemberAction::kReject, *context, *request, response);
  }

  grpc::Status RemoveMember(grpc::ServerContext* context,
                            const v1::RemoveMemberRequest* request,
                            v1::RemoveMemberResponse* response) override {
    return ApplyToMember(MemberAction::kRemove, *context, *request, response);
  }

  grpc::Status ConfirmMember(grpc::ServerContext* context,
                             const v1::ConfirmMemberRequest* request,
                             v1::ConfirmMemberResponse* response) override {
    return ApplyToMember(MemberAction::kConfirm, *context, *request, response);
  }

  grpc::Status RefuseMember(grpc::ServerContext* context,
                            const v1::RefuseMemberRequest* request,
                            v1::RefuseMemberResponse* response) override {
    return ApplyToMember(MemberAction::kRefuse, *context, *request, response);
  }

  grpc::Status PromoteMember(grpc::ServerContext* context,
                             const v1::PromoteMemberRequest* request,
                             v1::PromoteMemberResponse* response) override {
    return ApplyToMember(MemberAction::kPromote, *context, *request, response);
  }

  grpc::Status DemoteManager(grpc::ServerContext* context,
                             const v1::DemoteManagerRequest* request,
                             v1::DemoteManagerResponse* response) override {
    return ApplyToMember(MemberAction::kDemote, *context, *request, response);
  }

  grpc::Status TransferOwnership(
      grpc::ServerContext* context, const v1::TransferOwnershipRequest* request,
      v1::TransferOwnershipResponse* response) override {
    return ApplyToMember(MemberAction::kTransferOwnership, *context, *request,
                         response);
  }

 private:
  // The handlers of the methods with one verb each.
  template <typename Request, typename Response>
  grpc::Status ApplyToProject(ProjectAction action,
                              const grpc::ServerContext& context,
                              const Request& request, Response* response) {
    const Caller caller = CallerOf(context);
    return Answer(
        context, caller, NameOf(action), request.project_id(), Acted([&] {
          return projects_.ApplyAction(PersonOf(caller.session),
                                       ProjectId(request.project_id()), action);
        }),
        response);
  }

  template <typename Request, typename Response>
  grpc::Status ApplyToMember(MemberAction action,
                             const grpc::ServerContext& context,
                             const Request& request, Response* response) {
    const Caller caller = CallerOf(context);
    return Answer(
        context, caller, NameOf(action), SubjectOf(request), Acted([&] {
          return projects_.ApplyMemberAction(PersonOf(caller.session),
                                             ProjectId(request.project_id()),
                                             request.username(), action);
        }),
        response);
  }

  template <typename Request, typename Response>
  grpc::Status ApplyToCaller(MemberAction action,
                             const grpc::ServerContext& context,
                             const Request& request, Response* response) {
    const Caller caller = CallerOf(context);
    return Answer(
        context, caller, NameOf(action),
        absl::StrCat(request.project_id(), " ", caller.session.username),
        Acted([&] {
          return projects_.ApplyMemberAction(PersonOf(caller.session),
                                             ProjectId(request.project_id()),
                                             std::nullopt, action);
        }),
        response);
  }

  template <typename Request>
  static std::string SubjectOf(const Request& request) {
    return absl::StrCat(request.project_id(), " ", request.username());
  }

  // Returns the result of `act`; fails if the audit log cannot be written.
  template <typename Act>
  auto Acted(const Act& act) -> decltype(act()) {
    const absl::Status ready = audit_->Ready();
    if (!ready.ok()) return ready;
    return act();
  }

  template <typename Result, typename Response>
  grpc::Status Answer(const grpc::ServerContext& context, const Caller& caller,
                      const char* act, const std::string& subject,
                      const absl::StatusOr<Result>& result, Response* response,
                      std::string_view detail = "") {
    AuditEvent event = Outcome(EventOf(context, caller, act), result.status());
    event.subject = Readable(subject, kMaxSubjectBytes);
    event.result.append(detail);
    const absl::Status noted = RecordChange(audit_, event);
    if (!noted.ok()) return ToGrpc(noted);
    if (!result.ok())
      return ToGrpc(ClientError(result.status(), caller, "projects"));
    if constexpr (std::is_same_v<Result, ProjectView>) {
      Fill(*result, response->mutable_project());
    } else if (result->has_value()) {
      Fill(**result, response->mutable_project());
    }
    return grpc::Status::OK;
  }

  Projects& projects_;
  AuditLog* const audit_;
  Scheduler* const scheduler_;
};

}  // namespace

std::unique_ptr<grpc::Service> NewProjectService(Projects* projects,
                                                 AuditLog* audit,
                                                 Scheduler* scheduler) {
  return std::make_unique<ProjectService>(projects, audit, scheduler);
}

}  // namespace carme::backend
