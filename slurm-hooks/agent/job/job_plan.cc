#include "slurm-hooks/agent/job/job_plan.h"

#include <algorithm>
#include <set>
#include <string_view>

#include "absl/strings/ascii.h"
#include "absl/strings/str_split.h"
#include "common/crypto/file_digest.h"
#include "common/ids.h"
#include "common/name_rules.h"
#include "common/packages/package_rules.h"
#include "common/protobuf/message_error.h"
#include "common/status.h"
#include "slurm-hooks/agent/job/messages.h"

namespace carme::agent {
namespace {

constexpr int kMaxArguments = 256;
constexpr int kMaxApps = 32;
constexpr int kMaxBinds = 64;
constexpr int kMaxVariables = 256;
constexpr size_t kMaxText = 4096;
constexpr int kMaxCopies = 16;
constexpr size_t kMaxFileName = 200;
constexpr size_t kMaxEdf = 64 << 10;

// Apptainer uses ":" and "," as separators in bind options.
bool IsFolder(const std::string& path) {
  return !path.empty() && path.size() <= kMaxText && path[0] == '/' &&
         std::none_of(path.begin(), path.end(), [](unsigned char c) {
           return absl::ascii_iscntrl(c) || c == ':' || c == ',' || c == '"';
         });
}

bool IsPath(const std::string& path) {
  return !path.empty() && path.size() <= kMaxText &&
         path.find('\0') == std::string::npos;
}

template <typename Map>
absl::StatusOr<Variables> CheckVariables(const Map& map) {
  if (map.size() > kMaxVariables) {
    return WrongField("environment", "at most 256 variables");
  }
  Variables variables;
  for (const auto& [name, value] : map) {
    if (name.empty() ||
        name.find_first_of(std::string_view("=\0", 2)) != std::string::npos ||
        name.size() + value.size() > kMaxText ||
        value.find('\0') != std::string::npos) {
      return WrongField("environment",
                        "names without \"=\", 4096 bytes, without NUL");
    }
    variables[name] = value;
  }
  return variables;
}

absl::Status CheckCommand(const carme::v1::AppPlan& app) {
  if (app.command().empty() || app.command(0).empty() ||
      app.command_size() > kMaxArguments) {
    return WrongField("command", "1 to 256 arguments, the first not empty");
  }
  for (const std::string& argument : app.command()) {
    if (argument.size() > kMaxText ||
        argument.find('\0') != std::string::npos) {
      return WrongField("command",
                        "arguments of at most 4096 bytes, without NUL");
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<AppPlan> CheckApp(const carme::v1::AppPlan& app) {
  if (!kAppIdRule.Allows(app.id()))
    return WrongField("id of an app", "1 to 31 of [a-z0-9-]");
  RETURN_IF_ERROR(CheckCommand(app));
  if (!IsPlainText(app.ready_path()) || app.ready_path()[0] != '/') {
    return WrongField("ready_path", "a path that begins with \"/\"");
  }
  if (!IsPlainText(app.public_host())) {
    return WrongField("public_host", "a host name");
  }
  const std::string base = app.base_path().empty() ? "/" : app.base_path();
  if (!IsPlainText(base) || base.front() != '/' || base.back() != '/') {
    return WrongField("base_path", "a path between two \"/\"");
  }
  if (!app.requires_file().empty() && !IsPath(app.requires_file())) {
    return WrongField("requires_file", "a path");
  }
  ASSIGN_OR_RETURN(Variables environment, CheckVariables(app.environment()));
  return AppPlan{.id = app.id(),
                 .command = {app.command().begin(), app.command().end()},
                 .ready_path = app.ready_path(),
                 .public_host = app.public_host(),
                 .base_path = base,
                 .environment = std::move(environment),
                 .requires_file = app.requires_file()};
}

absl::StatusOr<std::vector<Bind>> CheckBinds(
    const carme::v1::EnvironmentPlan& plan) {
  if (plan.binds_size() > kMaxBinds) {
    return WrongField("binds", "at most 64 folders");
  }
  std::vector<Bind> binds;
  for (const carme::v1::Bind& bind : plan.binds()) {
    if (!IsFolder(bind.source()) || !IsFolder(bind.target())) {
      return WrongField("binds", "absolute paths without \":\" and \",\"");
    }
    binds.push_back({bind.source(), bind.target(), bind.read_only()});
  }
  return binds;
}

// The agent's part of the policy: destinations in the scratch directory stay
// there.
bool IsInside(const std::string& path) {
  if (!IsPath(path) || path[0] == '/' || path.starts_with("~/")) return false;
  for (const absl::string_view step : absl::StrSplit(path, '/')) {
    if (step == "..") return false;
  }
  return true;
}

template <typename Copies>
absl::StatusOr<std::vector<StagingItem>> CheckCopies(const Copies& copies,
                                                     bool in) {
  if (copies.size() > kMaxCopies) return WrongField("stage", "at most 16");
  std::vector<StagingItem> items;
  for (const carme::v1::StageCopy& copy : copies) {
    const bool good = in ? IsPath(copy.from()) && IsInside(copy.to())
                         : IsInside(copy.from()) && IsPath(copy.to());
    if (!good) {
      return WrongField("stage", "paths, one of them in the scratch directory");
    }
    items.push_back({copy.from(), copy.to()});
  }
  return items;
}

// A file name that is neither hidden nor a path.
bool IsFileName(const std::string& name) {
  return !name.empty() && name.size() <= kMaxFileName && name[0] != '.' &&
         std::all_of(name.begin(), name.end(), [](unsigned char c) {
           return absl::ascii_isgraph(c) && c != '/';
         });
}

// For a file of the site that is checked, or one that is copied.
absl::StatusOr<ImageBuildPlan> CheckFileTask(
    const carme::v1::ImageBuildPlan& plan) {
  ImageBuildPlan task{.name = plan.name(),
                      .path = plan.path(),
                      .output = plan.output(),
                      .task = plan.task(),
                      .sha256 = plan.sha256(),
                      .size = plan.size_bytes(),
                      .keep = {plan.keep().begin(), plan.keep().end()}};
  const std::string& path = plan.path();
  if (!IsFolder(path.starts_with("~/") ? path.substr(1) : path)) {
    return WrongField("path of an image", "an absolute path, or \"~/…\"");
  }
  if (task.task == v1::IMAGE_TASK_CHECK) return task;
  if (!IsFolder(plan.output()) || !IsDigest(plan.sha256()) ||
      plan.size_bytes() <= 0 ||
      (task.task != v1::IMAGE_TASK_STAGE &&
       task.task != v1::IMAGE_TASK_STORE)) {
    return WrongField("output of an image",
                      "an absolute path with a digest and a size");
  }
  return task;
}

// A list without a source must be empty.
template <typename Packages, typename Rule>
bool AreAllowed(const Packages& packages, bool has_source, Rule rule) {
  if (packages.empty()) return true;
  return has_source && packages.size() <= static_cast<int>(kMaxPackages) &&
         std::all_of(packages.begin(), packages.end(),
                     [&](const std::string& text) { return rule(text); });
}

// Package managers and Apptainer read these values.
absl::StatusOr<ImageBuildPlan> CheckRecipe(
    const carme::v1::ImageBuildPlan& plan) {
  const v1::ImageRecipePlan& recipe = plan.recipe();
  const v1::ImageRecipe& wanted = recipe.recipe();
  if (plan.source() != v1::IMAGE_SOURCE_DEFINITION || !plan.path().empty() ||
      !IsFileName(plan.output())) {
    return WrongField("output of an image", "a file's name, without a path");
  }
  if (!IsFolder(recipe.base_path()) || !IsDigest(recipe.base_sha256())) {
    return WrongField("base of an image", "an absolute path with a digest");
  }
  const bool debian =
      IsPackageUrl(recipe.debian_mirror_url(), /*insecure=*/true) &&
      IsDebianSuite(recipe.debian_suite());
  const bool conda = IsPackageUrl(recipe.conda_channel_url()) &&
                     IsDefinitionPath(recipe.micromamba());
  if (!AreAllowed(wanted.debian_packages(), debian, IsDebianPackage) ||
      !AreAllowed(wanted.pip_packages(), IsPackageUrl(recipe.pip_index_url()),
                  IsPipPackage) ||
      !AreAllowed(wanted.conda_packages(), conda, IsCondaPackage)) {
    return WrongField("packages of an image",
                      "at most 100 names with versions, and their source");
  }
  return ImageBuildPlan{.name = plan.name(),
                        .source = plan.source(),
                        .path = {},
                        .output = plan.output(),
                        .recipe = recipe};
}

absl::StatusOr<ImageBuildPlan> CheckBuild(
    const carme::v1::ImageBuildPlan& plan) {
  if (plan.task() != carme::v1::IMAGE_TASK_UNSPECIFIED) {
    return CheckFileTask(plan);
  }
  if (plan.has_recipe()) return CheckRecipe(plan);
  if (plan.source() < carme::v1::IMAGE_SOURCE_SIF ||
      plan.source() > carme::v1::IMAGE_SOURCE_DOCKER_ARCHIVE) {
    return WrongField("source of an image", "a value of agent.proto");
  }
  if (!IsFolder(plan.path().starts_with("~/") ? plan.path().substr(1)
                                              : plan.path())) {
    return WrongField("path of an image", "an absolute path, or \"~/…\"");
  }
  if (plan.source() != v1::IMAGE_SOURCE_SIF && !IsFileName(plan.output())) {
    return WrongField("output of an image", "a file's name");
  }
  return ImageBuildPlan{.name = plan.name(),
                        .source = plan.source(),
                        .path = plan.path(),
                        .output = plan.output()};
}

bool IsEdfPath(const std::string& path) {
  return (path.starts_with("/") || path.starts_with("~/")) &&
         path.size() <= kMaxText &&
         std::none_of(path.begin(), path.end(),
                      [](unsigned char c) { return absl::ascii_iscntrl(c); });
}

absl::Status CheckEdf(const carme::v1::EdfPlan& plan,
                      EnvironmentPlan* checked) {
  if (plan.has_path()
          ? !IsEdfPath(plan.path())
          : plan.rendered().empty() || plan.rendered().size() > kMaxEdf) {
    return WrongField("edf", "a path, or 1 to 65536 bytes");
  }
  const std::string& digest = plan.image_sha256();
  if (!digest.empty() && (plan.has_path() || !IsDigest(digest))) {
    return WrongField("edf.image_sha256", "64 hexadecimal digits");
  }
  checked->edf = plan.rendered();
  checked->edf_path = plan.path();
  checked->sha256 = digest;
  return absl::OkStatus();
}

}  // namespace

absl::Status WrongField(std::string_view field, std::string_view expected) {
  return MakeError(agent_job_messages::kInvalidPlan,
                   {{"field", field}, {"expected", expected}});
}

bool IsPlainText(const std::string& text) {
  return !text.empty() && text.size() <= kMaxText &&
         std::all_of(text.begin(), text.end(),
                     [](unsigned char c) { return absl::ascii_isgraph(c); });
}

absl::StatusOr<EnvironmentPlan> CheckEnvironmentPlan(
    const carme::v1::EnvironmentPlan& plan) {
  EnvironmentPlan checked;
  switch (plan.runtime()) {
    case carme::v1::RUNTIME_NONE:
      break;
    case carme::v1::RUNTIME_APPTAINER:
      checked.runtime = v1::RUNTIME_APPTAINER;
      if (!IsFolder(plan.image()))
        return WrongField("image", "an absolute path");
      if (!IsDigest(plan.image_sha256())) {
        return WrongField("image_sha256", "64 hexadecimal digits");
      }
      break;
    case carme::v1::RUNTIME_EDF:
      checked.runtime = v1::RUNTIME_EDF;
      RETURN_IF_ERROR(CheckEdf(plan.edf(), &checked));
      break;
    default:
      return WrongField("runtime", "NONE, APPTAINER or EDF");
  }
  checked.message = plan.SerializeAsString();
  if (checked.runtime != v1::RUNTIME_EDF) {
    checked.image = plan.image();
    checked.sha256 = plan.image_sha256();
  }
  checked.name = plan.image_name();
  checked.image_is_anothers = plan.image_is_anothers();
  if (plan.image_is_anothers() && plan.image_size_bytes() <= 0) {
    return WrongField("image_size_bytes", "1 or more");
  }
  checked.image_size = plan.image_size_bytes();
  if (plan.has_image_store_uid()) checked.store_uid = plan.image_store_uid();
  ASSIGN_OR_RETURN(checked.binds, CheckBinds(plan));
  ASSIGN_OR_RETURN(checked.environment, CheckVariables(plan.environment()));
  return checked;
}

namespace {

absl::StatusOr<JobPlan> CheckLinkedJobPlan(
    const carme::v1::RegisterResponse& response) {
  if (!IsJobId(response.linked_to())) {
    return WrongField("linked_to", "a job id");
  }
  if (!response.apps().empty() || !response.app().empty()) {
    return WrongField("apps", "no apps in a linked job");
  }
  JobPlan plan{.apps = {}, .environment = {}};
  plan.linked_to = response.linked_to();
  ASSIGN_OR_RETURN(plan.environment,
                   CheckEnvironmentPlan(response.environment()));
  return plan;
}

}  // namespace

namespace {

constexpr size_t kMaxCommand = 16384;

bool LeadsFromRootOrHome(const std::string& path) {
  return path.starts_with("/") || path.starts_with("~/");
}

absl::StatusOr<BatchPlan> CheckBatch(const carme::v1::BatchPlan& plan) {
  if (plan.command().empty() == plan.script().empty()) {
    return WrongField("batch", "a command or a script");
  }
  if (plan.command().size() > kMaxCommand ||
      plan.command().find('\0') != std::string::npos) {
    return WrongField("command of a batch job", "16384 bytes, without NUL");
  }
  if (!plan.script().empty() &&
      (!IsPath(plan.script()) || !LeadsFromRootOrHome(plan.script()))) {
    return WrongField("script", "a path");
  }
  size_t bytes = 0;
  for (const std::string& argument : plan.arguments()) {
    bytes += argument.size();
    if (argument.find('\0') == std::string::npos) continue;
    return WrongField("arguments", "text without NUL");
  }
  if (plan.arguments_size() > kMaxArguments || bytes > kMaxText) {
    return WrongField("arguments", "at most 256 of 4096 bytes in all");
  }
  const std::string& directory = plan.working_directory();
  if (!directory.empty() && directory != "~" &&
      (!IsPath(directory) || !LeadsFromRootOrHome(directory))) {
    return WrongField("working_directory", "a path");
  }
  for (const std::string* file : {&plan.output(), &plan.error()}) {
    if (!file->empty() && !IsPath(*file)) return WrongField("output", "a path");
  }
  return BatchPlan{
      .command = plan.command(),
      .script = plan.script(),
      .arguments = {plan.arguments().begin(), plan.arguments().end()},
      .directory = directory,
      .output = plan.output(),
      .error = plan.error()};
}

absl::StatusOr<uint32_t> CheckRequiredNodes(
    const carme::v1::RegisterResponse& response) {
  constexpr uint32_t kMaxNodes = 10'000;
  if (response.required_nodes() <= kMaxNodes) return response.required_nodes();
  return WrongField("required_nodes", "at most 10000");
}

absl::StatusOr<JobPlan> CheckBatchJob(
    const carme::v1::RegisterResponse& response) {
  if (!response.apps().empty() || !response.app().empty()) {
    return WrongField("apps", "no apps in a batch job");
  }
  JobPlan plan{.apps = {}, .environment = {}};
  ASSIGN_OR_RETURN(plan.batch, CheckBatch(response.batch()));
  ASSIGN_OR_RETURN(plan.environment,
                   CheckEnvironmentPlan(response.environment()));
  ASSIGN_OR_RETURN(plan.stage_in, CheckCopies(response.stage().in(), true));
  ASSIGN_OR_RETURN(plan.stage_out, CheckCopies(response.stage().out(), false));
  ASSIGN_OR_RETURN(plan.required_nodes, CheckRequiredNodes(response));
  return plan;
}

}  // namespace

std::optional<absl::Duration> ReadSamplingInterval(uint32_t interval_ms) {
  constexpr uint32_t kMinInterval_ms = 100;
  constexpr uint32_t kMaxInterval_ms = 3'600'000;
  if (interval_ms < kMinInterval_ms || interval_ms > kMaxInterval_ms) {
    return std::nullopt;
  }
  return absl::Milliseconds(interval_ms);
}

std::optional<MetricsPlan> ReadMetricsPlan(const carme::v1::MetricsPlan& plan) {
  constexpr int kMaxServers = 8;
  const auto interval = ReadSamplingInterval(plan.interval_ms());
  const auto gpu_interval = ReadSamplingInterval(plan.gpu_interval_ms());
  if (!interval || !gpu_interval || plan.servers().empty() ||
      plan.servers_size() > kMaxServers || plan.ca_pem().empty() ||
      plan.server_name().empty()) {
    return std::nullopt;
  }
  return MetricsPlan{.servers = {plan.servers().begin(), plan.servers().end()},
                     .ca_pem = plan.ca_pem(),
                     .server_name = plan.server_name(),
                     .interval = *interval,
                     .gpu_interval = *gpu_interval};
}

absl::StatusOr<JobPlan> CheckJobPlan(
    const carme::v1::RegisterResponse& response) {
  if (response.has_image_build()) {
    if (!response.apps().empty() || !response.app().empty()) {
      return WrongField("apps", "none in an image job");
    }
    JobPlan plan;
    ASSIGN_OR_RETURN(plan.build, CheckBuild(response.image_build()));
    return plan;
  }
  if (!response.linked_to().empty()) return CheckLinkedJobPlan(response);
  if (response.has_batch()) return CheckBatchJob(response);
  if (response.apps().empty() || response.apps_size() > kMaxApps) {
    return WrongField("apps", "1 to 32 apps");
  }
  JobPlan plan;
  std::set<std::string> ids;
  for (const carme::v1::AppPlan& app : response.apps()) {
    ASSIGN_OR_RETURN(AppPlan checked, CheckApp(app));
    if (!ids.insert(checked.id).second) {
      return WrongField("apps", "unique ids");
    }
    plan.apps.push_back(std::move(checked));
  }
  if (plan.apps[0].id != response.app()) {
    return WrongField("apps", "the job's own app first");
  }
  ASSIGN_OR_RETURN(plan.environment,
                   CheckEnvironmentPlan(response.environment()));
  ASSIGN_OR_RETURN(plan.stage_in, CheckCopies(response.stage().in(), true));
  ASSIGN_OR_RETURN(plan.stage_out, CheckCopies(response.stage().out(), false));
  ASSIGN_OR_RETURN(plan.required_nodes, CheckRequiredNodes(response));
  return plan;
}

}  // namespace carme::agent
