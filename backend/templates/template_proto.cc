#include "backend/templates/template_proto.h"

#include <optional>

#include "carme/v1/template.pb.h"

namespace carme::backend {
namespace {

using google::protobuf::Duration;

// Absent: zero. Fractions of a second are not whole minutes and are refused.
absl::Duration DurationOf(const Duration& message) {
  return absl::Seconds(message.seconds()) + absl::Nanoseconds(message.nanos());
}

void FillGpuIdle(const GpuIdlePolicy& policy, v1::GpuIdlePolicy* message) {
  message->set_threshold_percent(policy.threshold_percent);
  message->mutable_warn_after()->set_seconds(
      absl::ToInt64Seconds(policy.warn_after));
  if (policy.act_after > absl::ZeroDuration()) {
    message->mutable_act_after()->set_seconds(
        absl::ToInt64Seconds(policy.act_after));
  }
  message->set_action(policy.action);
}

std::optional<GpuIdlePolicy> GpuIdleOf(const v1::TemplateSettings& message) {
  if (!message.has_gpu_idle()) return std::nullopt;
  const v1::GpuIdlePolicy& policy = message.gpu_idle();
  return GpuIdlePolicy{.threshold_percent = policy.threshold_percent(),
                       .warn_after = DurationOf(policy.warn_after()),
                       .act_after = DurationOf(policy.act_after()),
                       .action = policy.action()};
}

}  // namespace

void Fill(const JobTemplate& settings, v1::TemplateSettings* message) {
  message->set_name(settings.name);
  message->set_description(settings.description);
  message->set_partition(settings.partition);
  *message->mutable_gpu_types() = {settings.gpu_types.begin(),
                                   settings.gpu_types.end()};
  message->set_no_gpus(settings.no_gpus);
  message->set_max_gpus_per_node(settings.max_gpus_per_node);
  message->set_max_nodes(settings.max_nodes);
  message->set_max_jobs(settings.max_jobs);
  message->set_cpus_per_gpu(settings.cpus_per_gpu);
  message->set_memory_per_gpu_mib(settings.memory_per_gpu_mib);
  *message->mutable_images() = {settings.images.begin(), settings.images.end()};
  message->set_account(settings.account);
  message->set_qos(settings.qos);
  message->set_reservation(settings.reservation);
  const auto set = [](absl::Duration time, auto* field) {
    field->set_seconds(absl::ToInt64Seconds(time));
  };
  const absl::Duration none = absl::ZeroDuration();
  if (settings.max_walltime > none) {
    set(settings.max_walltime, message->mutable_max_walltime());
  }
  if (settings.max_extended_walltime > none) {
    set(settings.max_extended_walltime,
        message->mutable_max_extended_walltime());
  }
  if (settings.idle_warning > none) {
    set(settings.idle_warning, message->mutable_idle_warning());
  }
  if (settings.idle_stop > none) {
    set(settings.idle_stop, message->mutable_idle_stop());
  }
  if (settings.gpu_idle) {
    FillGpuIdle(*settings.gpu_idle, message->mutable_gpu_idle());
  }
}

void Fill(const TemplateRecord& record, v1::Template* message) {
  message->set_id(record.job_template.id);
  Fill(record.job_template, message->mutable_settings());
  message->set_retired(record.retired);
  message->set_everybody(record.everybody);
  *message->mutable_projects() = {record.projects.begin(),
                                  record.projects.end()};
  message->mutable_created_at()->set_seconds(
      absl::ToUnixSeconds(record.created_at));
}

JobTemplate TemplateOf(const v1::TemplateSettings& message) {
  return {.name = message.name(),
          .description = message.description(),
          .partition = message.partition(),
          .gpu_types = {message.gpu_types().begin(), message.gpu_types().end()},
          .no_gpus = message.no_gpus(),
          .max_gpus_per_node = message.max_gpus_per_node(),
          .max_nodes = message.max_nodes(),
          .max_jobs = message.max_jobs(),
          .max_walltime = DurationOf(message.max_walltime()),
          .cpus_per_gpu = message.cpus_per_gpu(),
          .memory_per_gpu_mib = message.memory_per_gpu_mib(),
          .images = {message.images().begin(), message.images().end()},
          .account = message.account(),
          .qos = message.qos(),
          .reservation = message.reservation(),
          .max_extended_walltime = DurationOf(message.max_extended_walltime()),
          .idle_warning = DurationOf(message.idle_warning()),
          .idle_stop = DurationOf(message.idle_stop()),
          .gpu_idle = GpuIdleOf(message)};
}

std::string SerializeTemplate(const JobTemplate& settings) {
  v1::TemplateSettings message;
  Fill(settings, &message);
  return message.SerializeAsString();
}

absl::StatusOr<JobTemplate> ParseTemplate(std::string_view bytes) {
  v1::TemplateSettings message;
  if (!message.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
    return absl::InternalError("a template in the table cannot be read");
  }
  return TemplateOf(message);
}

}  // namespace carme::backend
