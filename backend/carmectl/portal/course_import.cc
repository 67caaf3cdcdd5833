#include "backend/carmectl/portal/course_import.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "backend/carmectl/portal/messages.h"
#include "backend/carmectl/portal/portal_options.h"

namespace carme::carmectl {
namespace {

constexpr char kUnchanged[] = "unchanged";

std::string PlaceText(v1::ProjectRole place) {
  switch (place) {
    case v1::PROJECT_ROLE_MANAGER:
      return "manager";
    case v1::PROJECT_ROLE_OWNER:
      return "owner";
    default:
      return "member";
  }
}

// The name of an ended or pending project's state, otherwise empty.
std::string Obstacle(const v1::Project& project, const CourseProject& wanted) {
  switch (project.state()) {
    case v1::PROJECT_STATE_CLOSED:
      return "the project is closed: reopen it first";
    case v1::PROJECT_STATE_REQUESTED:
      return "the project waits for approval: approve it first";
    case v1::PROJECT_STATE_EXPIRED:
      return wanted.expires_at ? "" : "the project has expired: set expires";
    default:
      return "";
  }
}

bool SameRule(const v1::LimitRule& a, const v1::LimitRule& b) {
  return a.scope() == b.scope() && a.metric() == b.metric() &&
         a.project() == b.project() && a.username() == b.username() &&
         a.has_max() == b.has_max() && a.max() == b.max();
}

}  // namespace

void CourseImport::Add(int line, const CourseProject& wanted,
                       const std::string& subject,
                       const absl::StatusOr<std::string>& result) {
  ImportResult row{.line = line, .project = wanted.name, .subject = subject};
  if (result.ok()) {
    row.result = *result;
    if (dry_run_ && row.result != kUnchanged) {
      row.result = absl::StrCat("would be ", *result);
    }
  } else {
    row.result = "failed";
    row.message = std::string(result.status().message());
    ++failed_;
  }
  results_.push_back(std::move(row));
}

absl::Status CourseImport::Run(const std::vector<CourseProject>& plan) {
  v1::ListProjectsRequest all_projects;
  all_projects.set_all(true);
  all_projects.set_page_size(500);
  ASSIGN_OR_RETURN(const auto projects,
                   ListAll<v1::ListProjectsResponse>(
                       client_, "ProjectService/ListProjects", all_projects,
                       [](v1::ListProjectsResponse* page) {
                         return page->mutable_projects();
                       }));
  projects_.assign(projects.projects().begin(), projects.projects().end());
  const bool uses_templates = std::any_of(
      plan.begin(), plan.end(),
      [](const CourseProject& wanted) { return !wanted.templates.empty(); });
  if (uses_templates) {
    v1::ListTemplatesRequest all_templates;
    all_templates.set_all(true);
    ASSIGN_OR_RETURN(const auto templates,
                     ListAll<v1::ListTemplatesResponse>(
                         client_, "TemplateService/ListTemplates",
                         all_templates, [](v1::ListTemplatesResponse* page) {
                           return page->mutable_templates();
                         }));
    templates_.assign(templates.templates().begin(),
                      templates.templates().end());
  }
  for (const CourseProject& wanted : plan) Import(wanted);
  return absl::OkStatus();
}

absl::StatusOr<std::optional<v1::Project>> CourseImport::Find(
    const CourseProject& wanted) {
  const v1::Project* found = nullptr;
  for (const v1::Project& project : projects_) {
    if (project.id() == wanted.name) {
      found = &project;
      break;
    }
    // A closed course of last year may have the same name.
    if (project.settings().name() != wanted.name ||
        project.state() == v1::PROJECT_STATE_CLOSED) {
      continue;
    }
    if (found != nullptr) {
      return MakePlainError(portal_messages::kTwoProjects,
                            {{"first", found->id()}, {"second", project.id()}});
    }
    found = &project;
  }
  if (found == nullptr) return std::nullopt;
  v1::GetProjectRequest request;
  request.set_project_id(found->id());
  ASSIGN_OR_RETURN(auto response, client_.Call<v1::GetProjectResponse>(
                                      "ProjectService/GetProject", request));
  return response.project();
}

absl::StatusOr<v1::Project> CourseImport::Create(const CourseProject& wanted) {
  v1::CreateProjectRequest request;
  request.mutable_settings()->set_name(wanted.name);
  request.mutable_settings()->set_description(wanted.description.value_or(""));
  request.mutable_settings()->set_classification(
      wanted.classification.value_or(""));
  if (dry_run_) {
    v1::Project project;
    *project.mutable_settings() = request.settings();
    project.set_state(v1::PROJECT_STATE_ACTIVE);
    return project;
  }
  ASSIGN_OR_RETURN(auto response, client_.Call<v1::CreateProjectResponse>(
                                      "ProjectService/CreateProject", request));
  return response.project();
}

void CourseImport::Import(const CourseProject& wanted) {
  absl::StatusOr<std::optional<v1::Project>> found = Find(wanted);
  if (!found.ok()) return Add(wanted.line, wanted, "", found.status());
  absl::StatusOr<v1::Project> project =
      *found ? absl::StatusOr<v1::Project>(**found) : Create(wanted);
  if (!project.ok()) return Add(wanted.line, wanted, "", project.status());
  if (!*found) Add(wanted.line, wanted, "", std::string("created"));
  if (const std::string why = Obstacle(*project, wanted); !why.empty()) {
    return Add(wanted.line, wanted, "", absl::FailedPreconditionError(why));
  }
  if (*found) {
    const std::string before = project->SerializeAsString();
    absl::Status changed = Settings(wanted, &*project);
    if (changed.ok()) changed = Terms(wanted, &*project);
    if (!changed.ok()) return Add(wanted.line, wanted, "", changed);
    Add(wanted.line, wanted, "",
        std::string(before == project->SerializeAsString() ? kUnchanged
                                                           : "changed"));
  } else if (const absl::Status set = Terms(wanted, &*project); !set.ok()) {
    Add(wanted.line, wanted, "terms", set);
  }
  Templates(wanted, project->id());
  Limits(wanted, project->id());
  Members(wanted, *project);
}

absl::Status CourseImport::Settings(const CourseProject& wanted,
                                    v1::Project* project) {
  v1::ProjectSettings settings = project->settings();
  if (wanted.description) settings.set_description(*wanted.description);
  if (wanted.classification) {
    settings.set_classification(*wanted.classification);
  }
  if (settings.SerializeAsString() == project->settings().SerializeAsString()) {
    return absl::OkStatus();
  }
  *project->mutable_settings() = settings;
  if (dry_run_) return absl::OkStatus();
  v1::ChangeProjectRequest request;
  request.set_project_id(project->id());
  *request.mutable_settings() = settings;
  return client_
      .Call<v1::ChangeProjectResponse>("ProjectService/ChangeProject", request)
      .status();
}

absl::Status CourseImport::Terms(const CourseProject& wanted,
                                 v1::Project* project) {
  v1::SetProjectTermsRequest request;
  request.set_project_id(project->id());
  request.set_account(wanted.account.value_or(project->account()));
  if (wanted.expires_at) {
    SetTime(*wanted.expires_at, request.mutable_expires_at());
  } else if (project->has_expires_at()) {
    *request.mutable_expires_at() = project->expires_at();
  }
  if (request.account() == project->account() &&
      request.has_expires_at() == project->has_expires_at() &&
      request.expires_at().seconds() == project->expires_at().seconds()) {
    return absl::OkStatus();
  }
  project->set_account(request.account());
  if (request.has_expires_at()) {
    *project->mutable_expires_at() = request.expires_at();
  }
  if (dry_run_) return absl::OkStatus();
  return client_
      .Call<v1::SetProjectTermsResponse>("ProjectService/SetProjectTerms",
                                         request)
      .status();
}

void CourseImport::Templates(const CourseProject& wanted,
                             const std::string& project) {
  for (const std::string& name : wanted.templates) {
    const std::string subject = absl::StrCat("template ", name);
    const auto found = std::find_if(
        templates_.begin(), templates_.end(), [&](const v1::Template& one) {
          return one.id() == name || one.settings().name() == name;
        });
    if (found == templates_.end()) {
      Add(wanted.line, wanted, subject,
          MakePlainError(portal_messages::kNoTemplate));
      continue;
    }
    if (!project.empty() &&
        std::find(found->projects().begin(), found->projects().end(),
                  project) != found->projects().end()) {
      Add(wanted.line, wanted, subject, std::string(kUnchanged));
      continue;
    }
    absl::Status attached;
    if (!dry_run_) {
      v1::AttachTemplateRequest request;
      request.set_template_id(found->id());
      request.set_project_id(project);
      attached = client_
                     .Call<v1::AttachTemplateResponse>(
                         "TemplateService/AttachTemplate", request)
                     .status();
    }
    Add(wanted.line, wanted, subject,
        attached.ok() ? absl::StatusOr<std::string>("attached") : attached);
  }
}

void CourseImport::Limits(const CourseProject& wanted,
                          const std::string& project) {
  if (wanted.limits.empty() && wanted.member_limits.empty()) return;
  std::vector<v1::LimitRule> present;
  if (!project.empty()) {
    v1::ListLimitRulesRequest request;
    request.mutable_filter()->set_project(project);
    const auto rules = ListAll<v1::ListLimitRulesResponse>(
        client_, "LimitService/ListLimitRules", request,
        [](v1::ListLimitRulesResponse* page) { return page->mutable_rules(); });
    if (!rules.ok()) return Add(wanted.line, wanted, "limits", rules.status());
    present.assign(rules->rules().begin(), rules->rules().end());
  }
  const auto set = [&](v1::LimitScope scope, v1::LimitMetric metric,
                       int64_t max) {
    v1::LimitRule rule;
    rule.set_scope(scope);
    rule.set_metric(metric);
    rule.set_project(project);
    rule.set_max(max);
    Limit(wanted, rule, present);
  };
  for (const auto& [metric, max] : wanted.limits) {
    set(v1::LIMIT_SCOPE_PROJECT, metric, max);
  }
  for (const auto& [metric, max] : wanted.member_limits) {
    set(v1::LIMIT_SCOPE_MEMBER, metric, max);
  }
}

void CourseImport::Limit(const CourseProject& wanted, const v1::LimitRule& rule,
                         const std::vector<v1::LimitRule>& present) {
  const std::string subject = absl::StrCat(
      rule.scope() == v1::LIMIT_SCOPE_PROJECT ? "limit " : "member limit ",
      MetricText(rule.metric()));
  if (std::any_of(
          present.begin(), present.end(),
          [&](const v1::LimitRule& one) { return SameRule(one, rule); })) {
    return Add(wanted.line, wanted, subject, std::string(kUnchanged));
  }
  absl::Status done;
  if (!dry_run_) {
    v1::SetLimitRuleRequest request;
    *request.mutable_rule() = rule;
    done = client_
               .Call<v1::SetLimitRuleResponse>("LimitService/SetLimitRule",
                                               request)
               .status();
  }
  Add(wanted.line, wanted, subject,
      done.ok() ? absl::StatusOr<std::string>("set") : done);
}

void CourseImport::Members(const CourseProject& wanted,
                           const v1::Project& project) {
  for (const CourseMember& member : wanted.members) {
    Add(member.line, wanted, member.who(), Member(member, project));
  }
}

absl::StatusOr<std::string> CourseImport::Member(const CourseMember& member,
                                                 const v1::Project& project) {
  v1::ProjectRole place = v1::PROJECT_ROLE_UNSPECIFIED;
  for (const v1::ProjectMember& known : project.members()) {
    if (known.username() == member.username) place = known.role();
  }
  if (place >= member.place) return std::string(kUnchanged);
  const std::string done = absl::StrCat("added as ", PlaceText(member.place));
  if (dry_run_) return done;
  v1::AddMemberRequest request;
  request.set_project_id(project.id());
  request.set_username(member.username);
  request.set_email(member.email);
  request.set_role(member.place == v1::PROJECT_ROLE_OWNER
                       ? v1::PROJECT_ROLE_MANAGER
                       : member.place);
  ASSIGN_OR_RETURN(const auto added, client_.Call<v1::AddMemberResponse>(
                                         "ProjectService/AddMember", request));
  if (member.place != v1::PROJECT_ROLE_OWNER) {
    return added.changed() ? done : std::string(kUnchanged);
  }
  if (added.project().owner() == added.username()) {
    return std::string(kUnchanged);
  }
  RETURN_IF_ERROR(TransferOwnership(project.id(), added.username()));
  return done;
}

absl::Status CourseImport::TransferOwnership(const std::string& project,
                                             const std::string& username) {
  v1::TransferOwnershipRequest request;
  request.set_project_id(project);
  request.set_username(username);
  return client_
      .Call<v1::TransferOwnershipResponse>("ProjectService/TransferOwnership",
                                           request)
      .status();
}

}  // namespace carme::carmectl
