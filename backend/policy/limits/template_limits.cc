#include "backend/policy/limits/template_limits.h"

#include <algorithm>
#include <cstdint>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "backend/policy/limits/messages.h"
#include "backend/policy/spec/array.h"
#include "backend/policy/spec/limit_source.h"
#include "common/message.h"
#include "common/name_rules.h"

namespace carme::backend {
namespace {

std::string Quoted(const std::string& text) {
  return absl::StrCat("\"", text, "\"");
}

std::string QuotedList(const std::vector<std::string>& names) {
  return absl::StrJoin(names, ", ",
                       [](std::string* out, const std::string& name) {
                         out->append(Quoted(name));
                       });
}

bool Contains(const std::vector<std::string>& words, const std::string& word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

// A job without GPUs counts like a job with one GPU.
int64_t SharesOf(const JobSpec& spec) {
  return std::max(1, spec.gpus_per_node);
}

// Checks one job against all limits of a template.
class Comparison {
 public:
  Comparison(const TemplateChoice& choice, const JobSpec& spec)
      : template_(choice.job_template), spec_(spec), jobs_(choice.jobs_now) {}

  std::vector<Violation> Run(int nodes_joined) {
    Word("partition", spec_.partition, template_.partition);
    Gpus();
    CheckMax("nodes", "max_nodes", int64_t{spec_.nodes} + nodes_joined,
             template_.max_nodes,
             nodes_joined > 0 ? policy_limit_messages::kTemplateNodesJoined
                              : policy_limit_messages::kTemplateNodes);
    CheckMax("cpusPerNode", "cpus_per_gpu", spec_.cpus_per_node,
             template_.cpus_per_gpu * SharesOf(spec_),
             policy_limit_messages::kTemplateCpus);
    CheckMax("memoryPerNodeMib", "memory_per_gpu", spec_.memory_per_node_mib,
             template_.memory_per_gpu_mib * SharesOf(spec_),
             policy_limit_messages::kTemplateMemory);
    Walltime();
    Qos();
    if (!template_.reservation.empty()) {
      Word("reservation", spec_.reservation, template_.reservation);
    }
    Jobs();
    return std::move(violations_);
  }

 private:
  void Refuse(Refusal refusal, const char* field, const char* limit,
              const std::string& value, const DisplayText& message) {
    violations_.push_back(
        {refusal, field, limit, value, SourceOf(template_), message});
  }

  void CheckMax(const char* field, const char* limit, int64_t found,
                int64_t max, const TextTemplate& message) {
    if (max <= 0 || found <= max) return;
    Refuse(Refusal::kForbidden, field, limit, absl::StrCat(max),
           MakeText(
               message,
               {{"found", found}, {"template", template_.name}, {"max", max}}));
  }

  void Word(const char* field, const std::string& found,
            const std::string& expected) {
    if (expected.empty() || found.empty() || found == expected) return;
    Refuse(Refusal::kForbidden, field, field, expected,
           MakeText(policy_limit_messages::kTemplateField,
                    {{"field", field},
                     {"found", found},
                     {"template", template_.name},
                     {"expected", expected}}));
  }

  void Gpus() {
    if (spec_.gpus_per_node == 0) return;
    if (template_.no_gpus) {
      Refuse(Refusal::kForbidden, "gpusPerNode", "no_gpus", "0",
             MakeText(policy_limit_messages::kTemplateNoGpus,
                      {{"found", spec_.gpus_per_node},
                       {"template", template_.name}}));
      return;
    }
    CheckMax("gpusPerNode", "max_gpus_per_node", spec_.gpus_per_node,
             template_.max_gpus_per_node, policy_limit_messages::kTemplateGpus);
    const std::vector<std::string>& types = template_.gpu_types;
    if (types.empty() || Contains(types, spec_.gpu_type)) return;
    const std::string known = QuotedList(types);
    Refuse(Refusal::kForbidden, "gpuType", "gpu_types", known,
           MakeText(policy_limit_messages::kTemplateGpuTypes,
                    {{"found", spec_.gpu_type},
                     {"template", template_.name},
                     {"known", known}}));
  }

  void Walltime() {
    const absl::Duration max = template_.max_walltime;
    if (max <= absl::ZeroDuration() || spec_.walltime <= max) return;
    const int64_t minutes = absl::ToInt64Minutes(max);
    Refuse(Refusal::kForbidden, "walltime", "max_walltime",
           absl::StrCat(minutes, " min"),
           MakeText(policy_limit_messages::kTemplateWalltime,
                    {{"found", absl::ToInt64Minutes(spec_.walltime)},
                     {"template", template_.name},
                     {"max", minutes}}));
  }

  // Refuses also another QOS that Slurm allows the user.
  void Qos() {
    if (spec_.qos == template_.qos || spec_.qos.empty()) return;
    Refuse(Refusal::kForbidden, "qos", "qos", template_.qos,
           template_.qos.empty()
               ? MakeText(policy_limit_messages::kTemplateDefaultQos,
                          {{"found", spec_.qos}, {"template", template_.name}})
               : MakeText(policy_limit_messages::kTemplateQos,
                          {{"found", spec_.qos},
                           {"template", template_.name},
                           {"expected", template_.qos}}));
  }

  void Jobs() {
    const int64_t more = spec_.batch ? MaxAtOnce(spec_.batch->array) : 1;
    if (template_.max_jobs <= 0 || more <= template_.max_jobs - jobs_) return;
    if (more > 1) {
      // Waiting does not help an array that exceeds the limit alone.
      Refuse(
          more > template_.max_jobs ? Refusal::kForbidden : Refusal::kExhausted,
          "batch.array", "max_jobs", absl::StrCat(template_.max_jobs),
          MakeText(policy_limit_messages::kTemplateArray,
                   {{"more", more},
                    {"jobs", jobs_},
                    {"template", template_.name},
                    {"max", template_.max_jobs}}));
      return;
    }
    Refuse(Refusal::kExhausted, "", "max_jobs",
           absl::StrCat(template_.max_jobs),
           MakeText(policy_limit_messages::kTemplateJobs,
                    {{"jobs", jobs_},
                     {"template", template_.name},
                     {"max", template_.max_jobs}}));
  }

  const JobTemplate& template_;
  const JobSpec& spec_;
  const int64_t jobs_;
  std::vector<Violation> violations_;
};

bool Fits(const TemplateChoice& choice, JobSpec spec,
          const std::string& environment_image, int nodes_joined) {
  const JobTemplate& job_template = choice.job_template;
  ApplyDefaults(job_template, &spec);
  // Additional nodes use the image of the job that they join.
  const bool its_image =
      !spec.linked_to.empty() ||
      (!spec.environment.empty()
           ? CheckEnvironmentsImage(job_template, spec, environment_image)
                 .empty()
           : spec.image.empty() || AllowsImage(job_template, spec.image));
  return its_image && CheckTemplate(choice, spec, nodes_joined).empty();
}

std::vector<std::string> NamesOf(const TemplateOffer& offer) {
  std::vector<std::string> names;
  for (const TemplateChoice& choice : offer.choices) {
    names.push_back(choice.job_template.name);
  }
  return names;
}

bool IsWord(const std::string& text) {
  return text.empty() || kSlurmNameRule.Allows(text);
}

}  // namespace

DisplayText SourceOf(const JobTemplate& job_template) {
  return TemplateLimitSource(job_template.name);
}

std::vector<Violation> ChooseTemplate(const TemplateOffer& offer,
                                      const JobSpec& spec,
                                      const std::string& environment_image,
                                      int nodes_joined,
                                      const TemplateChoice** choice) {
  *choice = nullptr;
  if (offer.unknown) {
    return {{Refusal::kUnavailable, "template", "templates", "",
             kCarmeLimitSource,
             MakeText(policy_limit_messages::kTemplatesUnavailable)}};
  }
  if (offer.choices.empty() && offer.needed) {
    return {
        {Refusal::kForbidden, "template", "templates", "none",
         AnyTemplateLimitSource(),
         spec.project.empty()
             ? MakeText(policy_limit_messages::kTemplatesRetired)
             : MakeText(policy_limit_messages::kTemplatesOfProjectRetired)}};
  }
  for (const TemplateChoice& one : offer.choices) {
    const bool fits = spec.job_template.empty()
                          ? Fits(one, spec, environment_image, nodes_joined)
                          : one.job_template.id == spec.job_template;
    if (!fits) continue;
    *choice = &one;
    return {};
  }
  if (spec.job_template.empty()) {
    if (!offer.choices.empty()) *choice = &offer.choices[0];
    return {};
  }
  const std::string known =
      offer.choices.empty() ? "none" : QuotedList(NamesOf(offer));
  return {{Refusal::kForbidden, "template", "templates", known,
           AnyTemplateLimitSource(),
           spec.project.empty()
               ? MakeText(policy_limit_messages::kTemplateNotForUsers,
                          {{"known", known}})
               : MakeText(policy_limit_messages::kTemplateNotOfProject,
                          {{"known", known}})}};
}

void ApplyDefaults(const JobTemplate& job_template, JobSpec* spec) {
  spec->job_template = job_template.id;
  if (spec->partition.empty()) spec->partition = job_template.partition;
  if (spec->qos.empty()) spec->qos = job_template.qos;
  if (spec->reservation.empty()) spec->reservation = job_template.reservation;
  const bool any_type = spec->gpus_per_node > 0 && spec->gpu_type.empty();
  if (any_type && !job_template.gpu_types.empty()) {
    spec->gpu_type = job_template.gpu_types[0];
  }
}

void NarrowShare(const JobTemplate& job_template, const JobSpec& spec,
                 Share* share) {
  const int64_t cpus = job_template.cpus_per_gpu * SharesOf(spec);
  const int64_t memory = job_template.memory_per_gpu_mib * SharesOf(spec);
  if (cpus > 0) {
    share->cpus = static_cast<int>(std::min<int64_t>(share->cpus, cpus));
  }
  if (memory > 0) share->memory_mib = std::min(share->memory_mib, memory);
}

std::vector<Violation> CheckTemplate(const TemplateChoice& choice,
                                     const JobSpec& spec, int nodes_joined) {
  return Comparison(choice, spec).Run(nodes_joined);
}

bool AllowsImage(const JobTemplate& job_template, const std::string& image) {
  return job_template.images.empty() || Contains(job_template.images, image);
}

std::vector<Violation> CheckEnvironmentsImage(const JobTemplate& job_template,
                                              const JobSpec& spec,
                                              const std::string& image) {
  if (AllowsImage(job_template, image)) return {};
  const std::string known = QuotedList(job_template.images);
  return {{Refusal::kForbidden, "environment", "images", known,
           SourceOf(job_template),
           image.empty() ? MakeText(policy_limit_messages::kTemplateSiteImages,
                                    {{"environment", spec.environment},
                                     {"template", job_template.name},
                                     {"known", known}})
                         : MakeText(policy_limit_messages::kTemplateImages,
                                    {{"environment", spec.environment},
                                     {"image", image},
                                     {"template", job_template.name},
                                     {"known", known}})}};
}

std::vector<Violation> CheckQos(const JobSpec& spec) {
  if (IsWord(spec.qos)) return {};
  return {{Refusal::kInvalid, "qos", "qos",
           absl::StrCat(kSlurmNameRule.max_bytes), kCarmeLimitSource,
           MakeText(policy_limit_messages::kQosNameInvalid,
                    {{"max", kSlurmNameRule.max_bytes}})}};
}

}  // namespace carme::backend
