// carmectl job: the jobs of all users.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "backend/carmectl/commands/command.h"
#include "backend/carmectl/commands/messages.h"
#include "backend/carmectl/portal/portal_options.h"
#include "carme/v1/admin.pb.h"

namespace carme::carmectl {
namespace {

struct JobOptions : PortalOptions {
  std::string owner;
  std::string project;
  std::string partition;
  std::string search;
  std::vector<std::string> states;
  std::vector<std::string> jobs;
  std::string job;
  std::string reason;
  std::string by;
  std::string app;
  int64_t bytes = 65536;
  int64_t task = -1;
};

std::string StateText(v1::JobState state) {
  return absl::AsciiStrToLower(
      absl::StripPrefix(v1::JobState_Name(state), "JOB_STATE_"));
}

std::string GpusText(const v1::JobSpec& spec) {
  if (spec.gpus_per_node() == 0) return "-";
  return absl::StrCat(spec.gpus_per_node() * spec.nodes(),
                      spec.gpu_type().empty() ? "" : " ", spec.gpu_type());
}

TableRows TableOf(const v1::ListAllJobsResponse& jobs) {
  TableRows rows = {{"JOB", "SLURM", "OWNER", "NAME", "STATE", "NODES", "GPUS",
                     "ENDS", "REASON"}};
  for (const v1::OwnedJob& row : jobs.jobs()) {
    const v1::Job& job = row.job();
    rows.push_back({job.id(), absl::StrCat(job.slurm_job_id()), row.owner(),
                    job.spec().name(), StateText(job.state()),
                    absl::StrJoin(job.nodes(), ","), GpusText(job.spec()),
                    TimeText(job.ends_at()), job.reason()});
  }
  return rows;
}

absl::Status List(const JobOptions& options, PortalClient& client) {
  v1::ListAllJobsRequest request;
  v1::JobFilter* const filter = request.mutable_filter();
  filter->set_owner(options.owner);
  filter->set_project(options.project);
  filter->set_partition(options.partition);
  filter->set_search(options.search);
  for (const std::string& text : options.states) {
    v1::JobState state;
    if (!v1::JobState_Parse(
            absl::StrCat("JOB_STATE_", absl::AsciiStrToUpper(text)), &state)) {
      return MakePlainError(command_messages::kInvalidState, {{"value", text}});
    }
    filter->add_states(state);
  }
  ASSIGN_OR_RETURN(
      const auto jobs,
      ListAll<v1::ListAllJobsResponse>(
          client, "AdminService/ListAllJobs", request,
          [](v1::ListAllJobsResponse* page) { return page->mutable_jobs(); }));
  return Print(options, jobs, TableOf(jobs));
}

absl::Status Show(const JobOptions& options, PortalClient& client) {
  v1::ListAllJobsRequest request;
  request.mutable_filter()->set_search(options.job);
  ASSIGN_OR_RETURN(const auto found, client.Call<v1::ListAllJobsResponse>(
                                         "AdminService/ListAllJobs", request));
  for (const v1::OwnedJob& row : found.jobs()) {
    const v1::Job& job = row.job();
    if (job.id() != options.job &&
        absl::StrCat(job.slurm_job_id()) != options.job) {
      continue;
    }
    TableRows rows = {{"JOB", job.id()},
                      {"SLURM JOB", absl::StrCat(job.slurm_job_id())},
                      {"OWNER", row.owner()},
                      {"NAME", job.spec().name()},
                      {"STATE", StateText(job.state())},
                      {"REASON", job.reason()},
                      {"PROJECT", job.spec().project()},
                      {"PARTITION", job.spec().partition()},
                      {"NODES", absl::StrJoin(job.nodes(), ",")},
                      {"GPUS", GpusText(job.spec())},
                      {"WALLTIME", DurationText(job.spec().walltime())},
                      {"CREATED", TimeText(job.created_at())},
                      {"STARTED", TimeText(job.started_at())},
                      {"ENDS", TimeText(job.ends_at())}};
    for (const v1::AdminAction& action : job.admin_actions()) {
      rows.push_back(
          {std::string(absl::StripPrefix(
               v1::AdminAction::Kind_Name(action.kind()), "KIND_")),
           absl::StrCat(TimeText(action.at()), " by ", action.administrator(),
                        ": ", action.reason())});
    }
    return Print(options, row, rows);
  }
  return MakePlainError(command_messages::kNoActiveJob, {{"job", options.job}});
}

// Calls the method for each job, also after an error. Returns the last error.
template <typename Request, typename Response>
absl::Status ForEach(const JobOptions& options, PortalClient& client,
                     const char* method, Request request) {
  absl::Status failed;
  v1::ListAllJobsResponse done;
  for (const std::string& job : options.jobs) {
    request.set_job_id(job);
    request.set_reason(options.reason);
    const absl::StatusOr<Response> response =
        client.Call<Response>(method, request);
    if (response.ok()) {
      *done.add_jobs() = response->job();
      continue;
    }
    if (!failed.ok()) {
      std::fprintf(stderr, "carmectl: %s\n", failed.ToString().c_str());
    }
    failed = absl::Status(
        response.status().code(),
        absl::StrCat("job \"", job, "\": ", response.status().message()));
    failed.SetPayload(kPortalPayload, absl::Cord());
  }
  RETURN_IF_ERROR(Print(options, done, TableOf(done)));
  return failed;
}

absl::Status Extend(const JobOptions& options, PortalClient& client) {
  ASSIGN_OR_RETURN(const absl::Duration by, ParseDuration(options.by));
  v1::ExtendUserJobRequest request;
  request.mutable_by()->set_seconds(absl::ToInt64Seconds(by));
  return ForEach<v1::ExtendUserJobRequest, v1::ExtendUserJobResponse>(
      options, client, "AdminService/ExtendUserJob", request);
}

absl::Status Log(const JobOptions& options, PortalClient& client) {
  v1::GetUserJobLogRequest request;
  request.set_job_id(options.job);
  request.set_reason(options.reason);
  request.set_app(options.app);
  request.set_offset_bytes(-options.bytes);
  if (options.task >= 0) request.set_task(static_cast<uint32_t>(options.task));
  for (;;) {
    ASSIGN_OR_RETURN(const auto piece,
                     client.Call<v1::GetUserJobLogResponse>(
                         "AdminService/GetUserJobLog", request));
    if (options.json) return Print(options, piece, {});
    std::fwrite(piece.text().data(), 1, piece.text().size(), stdout);
    if (piece.text().empty() ||
        piece.next_offset_bytes() >= piece.size_bytes()) {
      break;
    }
    request.set_offset_bytes(piece.next_offset_bytes());
  }
  return absl::OkStatus();
}

void AddReason(CLI::App* verb, JobOptions* options) {
  verb->add_option("--reason", options->reason,
                   "the job's owner reads it, and the audit log has it")
      ->required();
}

}  // namespace

void AddJobCommands(CLI::App* app, Command* chosen) {
  const auto options = std::make_shared<JobOptions>();
  const JobOptions* const given = options.get();
  CLI::App* const job = AddNoun(
      app, "job", "jobs of everybody",
      "  carmectl job list --owner ada --state ready\n"
      "  carmectl job stop k3v9x2m8q1w7e5r4 --reason \"node maintenance\"\n"
      "  carmectl job extend k3v9x2m8q1w7e5r4 --by 2h --reason \"ticket "
      "4711\"\n"
      "  carmectl job log k3v9x2m8q1w7e5r4 --reason \"ticket 4711\"",
      options.get());
  CLI::App* const list = AddVerb(
      job, "list", "live jobs, the newest first", given, chosen,
      [options](PortalClient& client) { return List(*options, client); });
  list->add_option("--owner", options->owner, "a username");
  list->add_option("--project", options->project, "a project's id");
  list->add_option("--partition", options->partition);
  list->add_option("--state", options->states, "one or more states");
  list->add_option("--search", options->search, "part of a name or id");
  CLI::App* const show = AddVerb(
      job, "show", "one live job", given, chosen,
      [options](PortalClient& client) { return Show(*options, client); });
  show->add_option("job", options->job, "Carme's or Slurm's id")->required();
  const auto act = [&](const char* name, const char* about, PortalCommand run) {
    CLI::App* const verb =
        AddVerb(job, name, about, given, chosen, std::move(run));
    verb->add_option("job", options->jobs, "one or more of Carme's ids")
        ->required();
    AddReason(verb, options.get());
    return verb;
  };
  act("stop", "cancel jobs", [options](PortalClient& client) {
    return ForEach<v1::StopUserJobRequest, v1::StopUserJobResponse>(
        *options, client, "AdminService/StopUserJob", {});
  });
  act("hold", "keep waiting jobs from starting",
      [options](PortalClient& client) {
        return ForEach<v1::HoldUserJobRequest, v1::HoldUserJobResponse>(
            *options, client, "AdminService/HoldUserJob", {});
      });
  act("release", "release held jobs", [options](PortalClient& client) {
    return ForEach<v1::ReleaseUserJobRequest, v1::ReleaseUserJobResponse>(
        *options, client, "AdminService/ReleaseUserJob", {});
  });
  act("extend", "give running jobs more time",
      [options](PortalClient& client) { return Extend(*options, client); })
      ->add_option("--by", options->by, "90, 90m, 2h, 1d")
      ->required();
  CLI::App* const log = AddVerb(
      job, "log", "print the end of a job's log", given, chosen,
      [options](PortalClient& client) { return Log(*options, client); });
  log->add_option("job", options->job, "Carme's id")->required();
  AddReason(log, options.get());
  log->add_option("--app", options->app, "an app's log instead of the job's");
  log->add_option("--task", options->task, "of an array");
  log->add_option("--bytes", options->bytes, "how much of the end")
      ->capture_default_str()
      ->check(CLI::PositiveNumber);
}

}  // namespace carme::carmectl
