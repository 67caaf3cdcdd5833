// carmectl project: projects, their members, and courses from a CSV file.
#include <google/protobuf/struct.pb.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <optional>
#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "backend/carmectl/commands/command.h"
#include "backend/carmectl/commands/messages.h"
#include "backend/carmectl/portal/course_import.h"
#include "backend/carmectl/portal/course_plan.h"
#include "backend/carmectl/portal/portal_options.h"
#include "carme/v1/project.pb.h"
#include "common/file.h"

namespace carme::carmectl {
namespace {

constexpr int kImportRetries = 5;
constexpr size_t kMaxFileBytes = size_t{4} << 20;

struct ProjectOptions : PortalOptions {
  std::string project;
  std::string search;
  std::string person;
  std::string role = "member";
  std::string name;
  std::string description;
  std::string classification;
  std::string expires;
  std::string account;
  bool never_expires = false;
  std::string file;
  bool dry_run = false;
};

std::string StateText(v1::ProjectState state) {
  return absl::AsciiStrToLower(
      absl::StripPrefix(v1::ProjectState_Name(state), "PROJECT_STATE_"));
}

std::string PlaceText(v1::ProjectRole place) {
  return absl::AsciiStrToLower(
      absl::StripPrefix(v1::ProjectRole_Name(place), "PROJECT_ROLE_"));
}

TableRows ListRows() {
  return {
      {"PROJECT", "NAME", "STATE", "OWNER", "MEMBERS", "ACCOUNT", "EXPIRES"}};
}

void AddRow(const v1::Project& project, TableRows* rows) {
  rows->push_back({project.id(), project.settings().name(),
                   StateText(project.state()), project.owner(),
                   absl::StrCat(project.member_count()), project.account(),
                   TimeText(project.expires_at())});
}

absl::Status ListProjects(const ProjectOptions& options, PortalClient& client) {
  v1::ListProjectsRequest request;
  request.set_all(true);
  request.set_page_size(500);
  request.mutable_filter()->set_search(options.search);
  ASSIGN_OR_RETURN(const auto projects,
                   ListAll<v1::ListProjectsResponse>(
                       client, "ProjectService/ListProjects", request,
                       [](v1::ListProjectsResponse* page) {
                         return page->mutable_projects();
                       }));
  TableRows rows = ListRows();
  for (const v1::Project& project : projects.projects()) AddRow(project, &rows);
  return Print(options, projects, rows);
}

absl::Status PrintOne(const ProjectOptions& options,
                      const v1::Project& project) {
  TableRows rows = ListRows();
  AddRow(project, &rows);
  return Print(options, project, rows);
}

absl::StatusOr<v1::Project> GetProject(PortalClient& client,
                                       const std::string& id) {
  v1::GetProjectRequest request;
  request.set_project_id(id);
  ASSIGN_OR_RETURN(const auto response,
                   client.Call<v1::GetProjectResponse>(
                       "ProjectService/GetProject", request));
  return response.project();
}

absl::Status ShowProject(const ProjectOptions& options, PortalClient& client) {
  ASSIGN_OR_RETURN(const v1::Project project,
                   GetProject(client, options.project));
  if (options.json) return Print(options, project, {});
  RETURN_IF_ERROR(PrintOne(options, project));
  TableRows rows = {{"USERNAME", "NAME", "PLACE", "SINCE"}};
  for (const v1::ProjectMember& member : project.members()) {
    rows.push_back({member.username(), member.display_name(),
                    PlaceText(member.role()), TimeText(member.since())});
  }
  return Print(options, project, rows);
}

absl::Status CreateProject(const ProjectOptions& options,
                           PortalClient& client) {
  v1::CreateProjectRequest request;
  request.mutable_settings()->set_name(options.name);
  request.mutable_settings()->set_description(options.description);
  request.mutable_settings()->set_classification(options.classification);
  ASSIGN_OR_RETURN(const auto response,
                   client.Call<v1::CreateProjectResponse>(
                       "ProjectService/CreateProject", request));
  return PrintOne(options, response.project());
}

absl::Status SetProjectTerms(const ProjectOptions& options,
                             PortalClient& client) {
  ASSIGN_OR_RETURN(const v1::Project project,
                   GetProject(client, options.project));
  v1::SetProjectTermsRequest request;
  request.set_project_id(options.project);
  request.set_account(options.account.empty() ? project.account()
                                              : options.account);
  if (!options.expires.empty()) {
    ASSIGN_OR_RETURN(const absl::Time end, ParseDay(options.expires));
    SetTime(end, request.mutable_expires_at());
  } else if (project.has_expires_at() && !options.never_expires) {
    *request.mutable_expires_at() = project.expires_at();
  }
  ASSIGN_OR_RETURN(const auto response,
                   client.Call<v1::SetProjectTermsResponse>(
                       "ProjectService/SetProjectTerms", request));
  return PrintOne(options, response.project());
}

// Calls a method whose request has the project's id.
template <typename Request, typename Response>
absl::Status CallOnProject(const ProjectOptions& options, PortalClient& client,
                           const std::string& method) {
  Request request;
  request.set_project_id(options.project);
  ASSIGN_OR_RETURN(
      const auto response,
      client.Call<Response>(absl::StrCat("ProjectService/", method), request));
  return PrintOne(options, response.project());
}

absl::Status ApproveProject(const ProjectOptions& options,
                            PortalClient& client) {
  return CallOnProject<v1::ApproveProjectRequest, v1::ApproveProjectResponse>(
      options, client, "ApproveProject");
}

absl::Status CloseProject(const ProjectOptions& options, PortalClient& client) {
  return CallOnProject<v1::CloseProjectRequest, v1::CloseProjectResponse>(
      options, client, "CloseProject");
}

absl::Status ReopenProject(const ProjectOptions& options,
                           PortalClient& client) {
  return CallOnProject<v1::ReopenProjectRequest, v1::ReopenProjectResponse>(
      options, client, "ReopenProject");
}

absl::Status AddPerson(const ProjectOptions& options, PortalClient& client) {
  v1::AddMemberRequest request;
  request.set_project_id(options.project);
  if (options.person.find('@') == std::string::npos) {
    request.set_username(options.person);
  } else {
    request.set_email(options.person);
  }
  request.set_role(options.role == "manager" ? v1::PROJECT_ROLE_MANAGER
                                             : v1::PROJECT_ROLE_MEMBER);
  ASSIGN_OR_RETURN(const auto added, client.Call<v1::AddMemberResponse>(
                                         "ProjectService/AddMember", request));
  return Print(options, added,
               {{"USERNAME", "RESULT"},
                {added.username(), added.changed() ? "added" : "unchanged"}});
}

absl::Status RemovePerson(const ProjectOptions& options, PortalClient& client) {
  v1::RemoveMemberRequest request;
  request.set_project_id(options.project);
  request.set_username(options.person);
  ASSIGN_OR_RETURN(const auto response,
                   client.Call<v1::RemoveMemberResponse>(
                       "ProjectService/RemoveMember", request));
  return PrintOne(options, response.project());
}

google::protobuf::Struct JsonOf(const CourseImport& import) {
  google::protobuf::Struct report;
  auto* rows = (*report.mutable_fields())["results"].mutable_list_value();
  for (const ImportResult& result : import.results()) {
    auto& row = *rows->add_values()->mutable_struct_value()->mutable_fields();
    row["line"].set_number_value(result.line);
    row["project"].set_string_value(result.project);
    row["subject"].set_string_value(result.subject);
    row["result"].set_string_value(result.result);
    row["message"].set_string_value(result.message);
  }
  (*report.mutable_fields())["failed"].set_number_value(import.failed());
  return report;
}

absl::Status ImportCourse(const ProjectOptions& options, PortalClient& client) {
  ASSIGN_OR_RETURN(const std::string csv,
                   ReadFile(options.file, kMaxFileBytes));
  ASSIGN_OR_RETURN(const auto plan, ParseCourse(csv));
  CourseImport import(&client, options.dry_run);
  RETURN_IF_ERROR(import.Run(plan));
  TableRows rows = {{"LINE", "PROJECT", "SUBJECT", "RESULT", "MESSAGE"}};
  for (const ImportResult& result : import.results()) {
    rows.push_back({absl::StrCat(result.line), result.project, result.subject,
                    result.result, result.message});
  }
  RETURN_IF_ERROR(Print(options, JsonOf(import), rows));
  if (import.failed() == 0) return absl::OkStatus();
  return MakePlainError(
      command_messages::kImportFailed,
      {{"failed", import.failed()}, {"steps", import.results().size()}});
}

}  // namespace

void AddProjectCommands(CLI::App* app, Command* chosen) {
  const auto options = std::make_shared<ProjectOptions>();
  const ProjectOptions* const given = options.get();
  CLI::App* const project = AddNoun(
      app, "project", "projects, their people, and courses",
      "  carmectl project list --search chem\n"
      "  carmectl project add k3v9x2m8q1w7e5r4 ada --role manager\n"
      "  carmectl project import course.csv --dry-run\n"
      "\n"
      "course.csv, of which every column but project may be left out:\n"
      "  project,username,email,role,expires,templates,limit.gpus,member.jobs\n"
      "  Physics 2026,ada,,owner,2026-12-31,small;large,16,2\n"
      "  Physics 2026,,bob@example.org,member,,,,",
      options.get());
  const auto verb = [&](const char* name, const char* about, auto run,
                        int retries = 0) {
    return AddVerb(
        project, name, about, given, chosen,
        [options, run](PortalClient& client) { return run(*options, client); },
        retries);
  };
  const auto on_project = [&](const char* name, const char* about, auto run) {
    CLI::App* const added = verb(name, about, run);
    added->add_option("project", options->project, "its id")->required();
    return added;
  };
  verb("list", "all projects", ListProjects)
      ->add_option("--search", options->search, "part of a name, id or owner");
  on_project("show", "one project with its people", ShowProject);
  CLI::App* const create =
      verb("create", "a project of the token's owner", CreateProject);
  create->add_option("name", options->name)->required();
  create->add_option("--description", options->description);
  create->add_option("--classification", options->classification);
  CLI::App* const terms =
      on_project("terms", "set the end and Slurm's account", SetProjectTerms);
  terms->add_option("--expires", options->expires, "the last day, 2026-12-31")
      ->excludes(terms->add_flag("--never-expires", options->never_expires));
  terms->add_option("--account", options->account, "Slurm's");
  on_project("approve", "approve a requested project", ApproveProject);
  on_project("close", "no job begins in it any more", CloseProject);
  on_project("reopen", "undo close", ReopenProject);
  CLI::App* const add = on_project(
      "add", "make a person of the site's directory a member", AddPerson);
  add->add_option("person", options->person, "a username or e-mail address")
      ->required();
  add->add_option("--role", options->role)
      ->capture_default_str()
      ->check(CLI::IsMember({"member", "manager"}));
  on_project("remove", "remove a member", RemovePerson)
      ->add_option("person", options->person, "a username")
      ->required();
  CLI::App* const import = verb(
      "import", "create and complete projects from a CSV file; may be repeated",
      ImportCourse, kImportRetries);
  import->add_option("file", options->file)->required();
  import->add_flag("--dry-run", options->dry_run,
                   "change nothing, print what would be done");
}

}  // namespace carme::carmectl
