#include "backend/rpc/convert/agent_plan.h"

#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "backend/environments/environment_gallery.h"
#include "backend/environments/environment_name.h"
#include "backend/images/image_rules.h"
#include "backend/jobs/agents/job_apps.h"
#include "backend/jobs/image_copies.h"
#include "backend/rpc/convert/messages.h"
#include "common/protobuf/message_error.h"
#include "common/status.h"

namespace carme::backend {
namespace {

void Fill(const App& app, const Job& job, const JobsConfig& config,
          v1::AppPlan* plan) {
  plan->set_id(app.id);
  *plan->mutable_command() = {app.command.begin(), app.command.end()};
  plan->set_ready_path(app.ready_path);
  plan->set_requires_file(app.requires_file);
  plan->set_public_host(PublicHostOf(job, app.id, config));
  plan->set_base_path(BasePathOf(job, app.id, config));
  plan->mutable_environment()->insert(app.environment.begin(),
                                      app.environment.end());
}

void Fill(const Image& image, const std::string& user,
          v1::EnvironmentPlan* plan) {
  plan->set_image_name(image.id);
  plan->mutable_environment()->insert(image.environment.begin(),
                                      image.environment.end());
  if (image.id == kNoImage) {
    plan->set_runtime(v1::RUNTIME_NONE);
    return;
  }
  plan->set_runtime(v1::RUNTIME_APPTAINER);
  plan->set_image(image.path);
  plan->set_image_sha256(image.sha256);
  for (const ImageMount& mount : image.mounts) {
    v1::Bind* bind = plan->add_binds();
    bind->set_source(absl::StrReplaceAll(mount.source, {{"{user}", user}}));
    bind->set_target(absl::StrReplaceAll(mount.target, {{"{user}", user}}));
    bind->set_read_only(mount.read_only);
  }
}

void Fill(const StageItem& item, v1::StageCopy* copy) {
  copy->set_from(item.from);
  copy->set_to(item.to);
}

void Fill(const BatchSpec& batch, v1::BatchPlan* plan) {
  plan->set_command(batch.command);
  plan->set_script(batch.script);
  *plan->mutable_arguments() = {batch.arguments.begin(), batch.arguments.end()};
  plan->set_working_directory(batch.working_directory);
  plan->set_output(batch.output);
  plan->set_error(batch.error);
}

void Fill(const JobSpec& spec, const RenderedEnvironment& environment,
          v1::EnvironmentPlan* plan) {
  plan->set_runtime(v1::RUNTIME_EDF);
  plan->set_image_name(spec.environment);
  if (environment.rendered.empty()) {
    plan->mutable_edf()->set_path(spec.environment);
    return;
  }
  plan->mutable_edf()->set_rendered(environment.rendered);
  plan->mutable_edf()->set_image_sha256(environment.image_sha256);
}

// Whether the owner could change the file while the job runs.
bool IsAnothers(const Image& image, const Job& job) {
  return !image.owner.empty() && image.owner_uid != job.owner_uid &&
         !image.store_uid;
}

// "ada/torch:2" becomes torch@2.sif, which is unique.
std::string OutputOf(const std::string& id) {
  const size_t slash = id.find('/');
  return absl::StrCat(absl::StrReplaceAll(id.substr(slash + 1), {{":", "@"}}),
                      ".sif");
}

}  // namespace

absl::Status AgentPlan::FillWork(const Job& job,
                                 v1::RegisterResponse* response) const {
  if (!job.spec.builds.empty()) return FillBuild(job, response);
  if (!job.spec.linked_to.empty()) {
    response->set_linked_to(job.spec.linked_to);
    return FillEnvironment(job, response->mutable_environment());
  }
  if (job.spec.required_nodes) {
    response->set_required_nodes(
        static_cast<uint32_t>(*job.spec.required_nodes));
  }
  if (IsBatch(job)) Fill(*job.spec.batch, response->mutable_batch());
  ASSIGN_OR_RETURN(const std::vector<const App*> apps,
                   AppsOf(job, *parts_.config, *parts_.images));
  for (const App* app : apps) {
    Fill(*app, job, *parts_.config, response->add_apps());
  }
  RETURN_IF_ERROR(FillEnvironment(job, response->mutable_environment()));
  for (const StageItem& item : job.spec.stage_in) {
    Fill(item, response->mutable_stage()->add_in());
  }
  for (const StageItem& item : job.spec.stage_out) {
    Fill(item, response->mutable_stage()->add_out());
  }
  return absl::OkStatus();
}

// No job starts in a withdrawn image.
absl::Status AgentPlan::FillEnvironment(const Job& job,
                                        v1::EnvironmentPlan* plan) const {
  const std::string& chosen = job.spec.environment;
  if (chosen.empty()) {
    ASSIGN_OR_RETURN(
        const Image image,
        parts_.images->ForStart(job.spec.image, job.owner, job.owner_uid));
    Fill(image, job.owner, plan);
    plan->set_image_is_anothers(IsAnothers(image, job));
    plan->set_image_size_bytes(image.size_bytes);
    if (image.store_uid) plan->set_image_store_uid(image.store_uid->value());
    return absl::OkStatus();
  }
  RenderedEnvironment environment;  // empty for a file, which the agent reads
  if (!IsEnvironmentPath(chosen)) {
    // A linked job uses what was stored for the job that it joins.
    const std::string& joined = job.spec.linked_to;
    ASSIGN_OR_RETURN(environment, parts_.jobs->EnvironmentOf(
                                      joined.empty() ? job.id : JobId(joined)));
  }
  if (!environment.image.empty()) {
    ASSIGN_OR_RETURN(
        const Image image,
        parts_.images->ForStart(environment.image, job.owner, job.owner_uid));
    // It is mounted in place, without a copy.
    if (IsAnothers(image, job)) {
      return MakeError(rpc_convert_messages::kEnvironmentImageOfAnotherUser,
                       {{"image", image.id}, {"owner", image.owner}});
    }
    if (image.store_uid) plan->set_image_store_uid(image.store_uid->value());
  }
  Fill(job.spec, environment, plan);
  return absl::OkStatus();
}

absl::Status AgentPlan::FillFileTask(const ImageWork& work,
                                     v1::ImageBuildPlan* plan) const {
  const ImageRecord& record = work.record;
  plan->set_sha256(record.image.sha256);
  plan->set_size_bytes(record.size_bytes);
  switch (work.kind) {
    case ImageWork::Kind::kStage:
      plan->set_task(v1::IMAGE_TASK_STAGE);
      plan->set_path(record.image.path);
      plan->set_output(record.copy.path);
      return absl::OkStatus();
    case ImageWork::Kind::kStore:
      plan->set_task(v1::IMAGE_TASK_STORE);
      plan->set_path(record.copy.path);
      plan->set_output(StoredPath(parts_.config->shared_images, record));
      for (std::string& name : parts_.images->StoredNames()) {
        plan->add_keep(std::move(name));
      }
      return absl::OkStatus();
    case ImageWork::Kind::kCheck:
    case ImageWork::Kind::kBuild:
      break;
  }
  plan->set_task(v1::IMAGE_TASK_CHECK);
  plan->set_path(record.image.path);
  return absl::OkStatus();
}

// The base may have been withdrawn, or a source removed, since the request.
absl::Status AgentPlan::FillRecipe(const Job& job,
                                   const v1::ImageRecipe& recipe,
                                   v1::ImageRecipePlan* plan) const {
  ASSIGN_OR_RETURN(
      const Image base,
      parts_.images->ForStart(recipe.base(), job.owner, job.owner_uid));
  if (IsAnothers(base, job)) {
    return MakeError(rpc_convert_messages::kEnvironmentImageOfAnotherUser,
                     {{"image", base.id}, {"owner", base.owner}});
  }
  const PackageSources& sources = parts_.config->environments.packages;
  RETURN_IF_ERROR(CheckSources(sources, recipe));
  *plan->mutable_recipe() = recipe;
  plan->set_base_path(base.path);
  plan->set_base_sha256(base.sha256);
  plan->set_debian_mirror_url(sources.debian_mirror_url);
  plan->set_debian_suite(sources.debian_suite);
  plan->set_pip_index_url(sources.pip_index_url);
  plan->set_conda_channel_url(sources.conda_channel_url);
  plan->set_micromamba(sources.micromamba);
  return absl::OkStatus();
}

absl::Status AgentPlan::FillBuild(const Job& job,
                                  v1::RegisterResponse* response) const {
  ASSIGN_OR_RETURN(
      const ImageWork work,
      parts_.images->WorkOf(job.spec.builds, job.owner_uid, job.id));
  const ImageRecord& record = work.record;
  v1::ImageBuildPlan* plan = response->mutable_image_build();
  plan->set_name(record.image.id);
  if (work.kind != ImageWork::Kind::kBuild) return FillFileTask(work, plan);
  plan->set_source(record.source);
  plan->set_path(record.source_path);
  if (!record.recipe.base().empty()) {
    RETURN_IF_ERROR(FillRecipe(job, record.recipe, plan->mutable_recipe()));
  }
  if (record.source != v1::IMAGE_SOURCE_SIF) {
    plan->set_output(OutputOf(record.image.id));
  }
  return absl::OkStatus();
}

void AgentPlan::FillTrust(const Job& job,
                          v1::RegisterResponse* response) const {
  response->set_job_id(job.id.value());
  response->set_app(job.spec.app);
  const auto trust = parts_.authorities->client_authorities();
  response->set_proxy_ca_pem(trust->ca_pem);
  response->set_proxy_crl_pem(trust->crl_pem);
  response->set_proxy_name(parts_.proxy_name);
  response->set_ticket_public_key(parts_.ticket_public_key);
}

}  // namespace carme::backend
