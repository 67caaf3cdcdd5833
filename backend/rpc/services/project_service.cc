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
    case ProjectAction::kApprove:
      return "project-approve";
    case ProjectAction::kRefuse:
      return "project-refuse";
    case ProjectAction::kClose:
      return "project-close";
    case ProjectAction::kReopen:
      return "project-reopen";
    default:
      return "project-act";
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
    case MemberAction::kMakeManager:
      return "project-manager-make";
    case MemberAction::kUnmakeManager:
      return "project-manager-unmake";
    case MemberAction::kHandOver:
      return "project-hand-over";
    default:
      return "project-member-act";
  }
}

// Converts a number of the message; nullopt: invalid.
std::optional<MemberAction> MemberActionOf(int number) {
  const auto found = std::find_if(
      kMemberActions.begin(), kMemberActions.end(), [&](MemberAction act) {
        return static_cast<int>(act) == number &&
               act != MemberAction::kInvite && act != MemberAction::kRequest;
      });
  if (found == kMemberActions.end()) return std::nullopt;
  return *found;
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
  const auto state = static_cast<v1::ProjectState>(row.project.state);
  if (!filter.states().empty() &&
      std::find(filter.states().begin(), filter.states().end(), state) ==
          filter.states().end()) {
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

  grpc::Status ActOnProject(grpc::ServerContext* context,
                            const v1::ActOnProjectRequest* request,
                            v1::ActOnProjectResponse* response) override {
    const Caller caller = CallerOf(*context);
    const auto act = static_cast<ProjectAction>(request->act());
    return Answer(*context, caller, NameOf(act), request->project_id(),
                  Acted([&] {
                    return projects_.Act(PersonOf(caller.session),
                                         ProjectId(request->project_id()), act);
                  }),
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
            ? ProjectRole::kMember
            : static_cast<ProjectRole>(request->role());
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

  grpc::Status ActOnMember(grpc::ServerContext* context,
                           const v1::ActOnMemberRequest* request,
                           v1::ActOnMemberResponse* response) override {
    const Caller caller = CallerOf(*context);
    const std::optional<MemberAction> act = MemberActionOf(request->act());
    if (!act) {
      return ToGrpc(absl::InvalidArgumentError("act: invalid value"));
    }
    return Answer(
        *context, caller, NameOf(*act), SubjectOf(*request), Acted([&] {
          return projects_.ActOnMember(PersonOf(caller.session),
                                       ProjectId(request->project_id()),
                                       request->username(), *act);
        }),
        response);
  }

 private:
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
                      std::string_view words = "") {
    AuditEvent event = Outcome(EventOf(context, caller, act), result.status());
    event.subject = Readable(subject, kMaxSubjectBytes);
    event.result.append(words);
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
