#include "backend/jobs/model/job_proto.h"

#include <vector>

#include "carme/v1/jobs.pb.h"
#include "common/protobuf/text_code.h"

namespace carme::backend {

void Fill(absl::Duration duration, google::protobuf::Duration* message) {
  message->set_seconds(
      absl::IDivDuration(duration, absl::Seconds(1), &duration));
  message->set_nanos(static_cast<int32_t>(absl::ToInt64Nanoseconds(duration)));
}

void Fill(absl::Time time, google::protobuf::Timestamp* message) {
  const int64_t seconds = absl::ToUnixSeconds(time);
  message->set_seconds(seconds);
  message->set_nanos(static_cast<int32_t>(
      absl::ToInt64Nanoseconds(time - absl::FromUnixSeconds(seconds))));
}

namespace {

constexpr int kMaxIdleGpus = 64;  // jobs.proto

using StageMessages = google::protobuf::RepeatedPtrField<v1::StageItem>;

void FillStage(const std::vector<StageItem>& items, StageMessages* messages) {
  for (const StageItem& item : items) {
    v1::StageItem* message = messages->Add();
    message->set_from(item.from);
    message->set_to(item.to);
  }
}

std::vector<StageItem> StageOf(const StageMessages& messages) {
  std::vector<StageItem> items;
  for (const v1::StageItem& message : messages) {
    items.push_back({message.from(), message.to()});
  }
  return items;
}

void Fill(const BatchSpec& batch, v1::BatchSpec* message) {
  message->set_command(batch.command);
  message->set_script(batch.script);
  *message->mutable_arguments() = {batch.arguments.begin(),
                                   batch.arguments.end()};
  message->set_working_directory(batch.working_directory);
  message->set_output(batch.output);
  message->set_error(batch.error);
  message->set_array(batch.array);
  for (const JobDependency& dependency : batch.dependencies) {
    v1::JobDependency* row = message->add_dependencies();
    row->set_job(dependency.job);
    row->set_kind(dependency.kind);
  }
}

BatchSpec BatchOf(const v1::BatchSpec& message) {
  BatchSpec batch{
      .command = message.command(),
      .script = message.script(),
      .arguments = {message.arguments().begin(), message.arguments().end()},
      .working_directory = message.working_directory(),
      .output = message.output(),
      .error = message.error(),
      .array = message.array(),
      .dependencies = {}};
  for (const v1::JobDependency& row : message.dependencies()) {
    batch.dependencies.push_back({row.job(), row.kind()});
  }
  return batch;
}

absl::Time TimeOf(const google::protobuf::Timestamp& message) {
  return absl::FromUnixSeconds(message.seconds()) +
         absl::Nanoseconds(message.nanos());
}

}  // namespace

void Fill(const JobSpec& spec, v1::JobSpec* message) {
  message->set_name(spec.name);
  message->set_nodes(spec.nodes);
  message->set_gpus_per_node(spec.gpus_per_node);
  message->set_gpu_type(spec.gpu_type);
  message->set_cpus_per_node(spec.cpus_per_node);
  message->set_memory_per_node_mib(spec.memory_per_node_mib);
  if (spec.walltime != absl::ZeroDuration()) {
    Fill(spec.walltime, message->mutable_walltime());
  }
  message->set_partition(spec.partition);
  message->set_app(spec.app);
  message->set_image(spec.image);
  FillStage(spec.stage_in, message->mutable_stage_in());
  FillStage(spec.stage_out, message->mutable_stage_out());
  message->set_builds(spec.builds);
  message->set_environment(spec.environment);
  message->set_linked_to(spec.linked_to);
  message->set_project(spec.project);
  message->set_template_(spec.job_template);
  message->set_qos(spec.qos);
  message->set_reservation(spec.reservation);
  if (spec.start_at) Fill(*spec.start_at, message->mutable_start_at());
  if (spec.batch) Fill(*spec.batch, message->mutable_batch());
  for (const int event : spec.notify) {
    message->add_notify(static_cast<v1::JobEvent>(event));
  }
  message->set_description(spec.description);
  if (spec.required_nodes) {
    message->mutable_vetting()->set_required_nodes(*spec.required_nodes);
    message->mutable_vetting()->set_resubmit(spec.resubmit);
  }
  *message->mutable_excluded_nodes() = {spec.excluded_nodes.begin(),
                                        spec.excluded_nodes.end()};
}

void FillArray(const JobArray& array, v1::ArrayProgress* message) {
  message->set_total(static_cast<int32_t>(array.total));
  message->set_pending(static_cast<int32_t>(array.pending));
  message->set_running(static_cast<int32_t>(array.running));
  for (const auto& [end, tasks] : array.ended) {
    const auto count = static_cast<int32_t>(tasks.size());
    if (end == v1::JOB_END_COMPLETED) {
      message->set_completed(count);
    } else if (end != v1::JOB_END_UNKNOWN) {
      message->set_failed(message->failed() + count);
    }
  }
}

void FillApps(const std::vector<JobApp>& apps, v1::Job* message) {
  for (const JobApp& app : apps) {
    v1::JobApp* row = message->add_apps();
    row->set_app(app.id);
    row->set_state(app.state);
    row->set_detail(app.detail.text);
    FillTextCode(app.detail, &v1::JobApp::mutable_detail_code, row);
  }
}

void FillExcess(const LimitExcess& excess, v1::LimitExcess* message) {
  for (const Violation& violation : excess.violations) {
    Fill(violation, message->add_violations());
  }
  Fill(excess.since, message->mutable_since());
  if (excess.cancel_at) Fill(*excess.cancel_at, message->mutable_cancel_at());
}

LimitExcess ExcessOf(const v1::LimitExcess& message) {
  LimitExcess excess{.violations = {}, .since = TimeOf(message.since())};
  for (const v1::Violation& row : message.violations()) {
    excess.violations.push_back(
        {Refusal::kForbidden, row.field(), row.limit(), row.value(),
         DisplayTextOf(row.source(), row.source_code()),
         DisplayTextOf(row.message(), row.message_code())});
  }
  if (message.has_cancel_at()) excess.cancel_at = TimeOf(message.cancel_at());
  return excess;
}

void FillAction(const AdminAction& action, v1::AdminAction* message) {
  message->set_kind(action.kind);
  message->set_administrator(action.administrator);
  message->set_reason(action.reason);
  Fill(action.at, message->mutable_at());
}

// The fields without a column. REQUIRES when they are read: the columns before.
void FillDetails(const Job& job, v1::Job* message) {
  FillApps(job.apps, message);
  message->set_log_tail(job.last_lines);
  message->set_advice(job.advice.text);
  FillTextCode(job.advice, &v1::Job::mutable_advice_code, message);
  FillTextCode(job.reason, &v1::Job::mutable_reason_code, message);
  message->set_account(job.account);
  message->set_stopped_by(job.stopped_by);
  message->set_resubmitted_as(job.resubmitted_as.value());
  if (job.over_limit)
    FillExcess(*job.over_limit, message->mutable_over_limit());
  for (const AdminAction& action : job.admin_actions) {
    FillAction(action, message->add_admin_actions());
  }
}

void Fill(const Job& job, v1::Job* message) {
  message->set_id(job.id.value());
  message->set_owner(job.owner);
  Fill(job.spec, message->mutable_spec());
  message->set_state(job.state);
  message->set_reason(job.reason.text);
  message->set_end(job.end);
  message->set_slurm_job_id(job.slurm_id.value());
  for (const std::string& node : job.nodes) message->add_nodes(node);
  Fill(job.created_at, message->mutable_created_at());
  if (job.started_at) Fill(*job.started_at, message->mutable_started_at());
  const auto& end = job.ended_at ? job.ended_at : job.ends_at;
  if (end) Fill(*end, message->mutable_ends_at());
  message->set_exit_code(job.exit_code);
  if (job.expected_start) {
    Fill(*job.expected_start, message->mutable_expected_start());
  }
  if (job.ready_at) Fill(*job.ready_at, message->mutable_ready_at());
  message->set_held(job.held);
  if (job.pending_extension) {
    Fill(*job.pending_extension, message->mutable_pending_extension());
  }
  if (job.idle) {
    Fill(job.idle->since, message->mutable_idle()->mutable_since());
    if (job.idle->stops_at) {
      Fill(*job.idle->stops_at, message->mutable_idle()->mutable_stops_at());
    }
    message->mutable_idle()->set_returns_nodes(job.idle->returns_nodes);
    for (const JobGpu& gpu : job.idle->gpus) {
      if (message->idle().gpus_size() == kMaxIdleGpus) break;
      v1::JobGpu* row = message->mutable_idle()->add_gpus();
      row->set_node(gpu.node);
      row->set_gpu(gpu.gpu);
    }
  }
  if (job.in_use) {
    v1::JobInUse* row = message->mutable_in_use();
    row->set_connections(static_cast<uint32_t>(job.in_use->connections));
    if (job.in_use->last_input) {
      Fill(*job.in_use->last_input, row->mutable_last_input());
    }
    row->set_received_bytes(job.in_use->received_bytes);
    row->set_sent_bytes(job.in_use->sent_bytes);
  }
  FillDetails(job, message);
  if (job.array) FillArray(*job.array, message->mutable_array());
}

void Fill(const Violation& violation, v1::Violation* message) {
  message->set_field(violation.field);
  message->set_limit(violation.limit);
  message->set_value(violation.value);
  message->set_source(violation.source.text);
  FillTextCode(violation.source, &v1::Violation::mutable_source_code, message);
  message->set_message(violation.message.text);
  FillTextCode(violation.message, &v1::Violation::mutable_message_code,
               message);
}

JobSpec SpecOf(const v1::JobSpec& message) {
  JobSpec spec{.name = message.name(),
               .nodes = message.nodes(),
               .gpus_per_node = message.gpus_per_node(),
               .gpu_type = message.gpu_type(),
               .cpus_per_node = message.cpus_per_node(),
               .memory_per_node_mib = message.memory_per_node_mib(),
               .walltime = absl::Seconds(message.walltime().seconds()) +
                           absl::Nanoseconds(message.walltime().nanos()),
               .partition = message.partition(),
               .app = message.app(),
               .image = message.image(),
               .environment = message.environment(),
               .stage_in = StageOf(message.stage_in()),
               .stage_out = StageOf(message.stage_out()),
               .builds = message.builds(),
               .linked_to = message.linked_to(),
               .project = message.project(),
               .job_template = message.template_(),
               .qos = message.qos(),
               .reservation = message.reservation(),
               .notify = {message.notify().begin(), message.notify().end()},
               .description = message.description(),
               .excluded_nodes = {message.excluded_nodes().begin(),
                                  message.excluded_nodes().end()}};
  if (message.has_start_at()) spec.start_at = TimeOf(message.start_at());
  if (message.has_batch()) spec.batch = BatchOf(message.batch());
  if (message.has_vetting()) {
    spec.required_nodes = message.vetting().required_nodes();
    spec.resubmit = message.vetting().resubmit();
  }
  return spec;
}

std::string SerializeSpec(const JobSpec& spec) {
  v1::JobSpec message;
  Fill(spec, &message);
  return message.SerializeAsString();
}

std::string SerializeDetails(const Job& job) {
  v1::Job message;
  FillDetails(job, &message);
  return message.SerializeAsString();
}

absl::Status ParseDetails(std::string_view bytes, Job* job) {
  v1::Job message;
  if (!message.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
    return absl::InternalError("a job's details in the table cannot be read");
  }
  for (const v1::JobApp& app : message.apps()) {
    job->apps.push_back(
        {.id = app.app(),
         .state = app.state(),
         .detail = DisplayTextOf(app.detail(), app.detail_code())});
  }
  job->last_lines = message.log_tail();
  job->advice = DisplayTextOf(message.advice(), message.advice_code());
  job->reason = DisplayTextOf(job->reason.text, message.reason_code());
  job->account = message.account();
  job->stopped_by = message.stopped_by();
  job->resubmitted_as = JobId(message.resubmitted_as());
  if (message.has_over_limit())
    job->over_limit = ExcessOf(message.over_limit());
  for (const v1::AdminAction& action : message.admin_actions()) {
    job->admin_actions.push_back({.kind = action.kind(),
                                  .administrator = action.administrator(),
                                  .reason = action.reason(),
                                  .at = TimeOf(action.at())});
  }
  return absl::OkStatus();
}

absl::StatusOr<JobSpec> ParseSpec(std::string_view bytes) {
  v1::JobSpec message;
  if (!message.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
    return absl::InternalError("a job's spec in the table cannot be read");
  }
  return SpecOf(message);
}

}  // namespace carme::backend
