#include "backend/jobs/model/jobs_config.h"

#include <algorithm>
#include <map>
#include <set>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "backend/images/image_rules.h"
#include "backend/jobs/model/job.h"
#include "backend/policy/cluster/driver_match.h"
#include "backend/policy/spec/app_icon.h"
#include "common/crypto/file_digest.h"
#include "common/name_rules.h"

namespace carme::backend {
namespace {

constexpr int kMaxApps = 32;
constexpr int kMaxImages = 200;
constexpr int kMaxArrayTasks = 100'000;
constexpr int64_t kMaxMinutes = 365 * 24 * 60;

// host[:port] of what a URL may hold: no path, user or space.
bool IsHostPort(std::string_view text) {
  constexpr CharacterSet kHostPort = kLowercase | kDecimalDigits | "-.:";
  return !text.empty() && kHostPort.ContainsAll(text);
}

std::string_view HostOf(std::string_view host_port) {
  return host_port.substr(0, host_port.find(':'));
}

void ReadLimits(ConfigTable table, Limits* limits) {
  table.Read("max_gpus_per_job", &limits->max_gpus_per_job, Range(0, 1 << 20));
  table.Read("max_running_jobs", &limits->max_running_jobs, Range(0, 1 << 20));
  table.Read("max_walltime_min", &limits->max_walltime, Range(0, kMaxMinutes));
}

void ReadLife(ConfigTable extension, ConfigTable idle, LifeConfig* life) {
  extension.Read("max_walltime_min", &life->longest_walltime,
                 Range(0, kMaxMinutes));
  idle.Read("warn_after_min", &life->idle_warning, Range(0, kMaxMinutes));
  idle.Read("stop_after_min", &life->idle_stop, Range(0, kMaxMinutes));
  if (life->idle_stop > absl::ZeroDuration() &&
      life->idle_warning == absl::ZeroDuration()) {
    idle.Refuse(
        "stop_after_min",
        "also requires warn_after_min: no job is stopped without a warning");
  }
}

void ReadAction(ConfigTable table, const char* key, bool may_hold,
                ExcessAction* action) {
  std::string word;
  table.Read(key, &word);
  if (word.empty()) return;
  if (word == "notify") {
    *action = ExcessAction::kNotify;
  } else if (word == "cancel") {
    *action = ExcessAction::kCancel;
  } else if (word == "hold" && may_hold) {
    *action = ExcessAction::kHold;
  } else {
    table.Refuse(key, may_hold ? "expected notify, hold or cancel"
                               : "expected notify or cancel");
  }
}

void ReadExcess(ConfigTable table, ExcessConfig* excess) {
  ReadAction(table, "pending", true, &excess->pending);
  ReadAction(table, "running", false, &excess->running);
  table.Read("grace_min", &excess->grace, Range(0, kMaxMinutes));
}

void ReadVariables(ConfigTable table,
                   std::map<std::string, std::string>* variables) {
  for (const std::string& name : table.Keys()) {
    table.Read(name, &(*variables)[name]);
  }
}

void ReadApp(ConfigTable table, std::set<std::string>* ids, App* app) {
  table.Read("id", &app->id, Required());
  table.Read("name", &app->name, Required());
  table.Read("command", &app->command, Required());
  table.Read("ready_path", &app->ready_path, Required());
  table.Read("requires_file", &app->requires_file);
  table.Read("icon", &app->icon);
  if (app->icon.empty()) app->icon = kDefaultAppIcon;
  table.Read("description", &app->description);
  ReadVariables(table.Table("environment"), &app->environment);
  if (!IsAppIcon(app->icon)) table.Refuse("icon", ExpectedAppIcons());
  if (!app->id.empty() && !kAppIdRule.Allows(app->id)) {
    table.Refuse("id",
                 "expected 1 to 31 of a-z, 0-9 and \"-\", a letter first");
  }
  if (!IsApp(app->id)) {
    table.Refuse("id",
                 "expected another name: jobs report what they copy, or that "
                 "they vet nodes, by it");
  }
  if (!ids->insert(app->id).second) {
    table.Refuse("id", "another app has the same id");
  }
  if (!app->ready_path.empty() && app->ready_path[0] != '/') {
    table.Refuse("ready_path", "expected a path that begins with \"/\"");
  }
  if (app->requires_file.starts_with("~")) {
    table.Refuse("requires_file",
                 "expected an absolute path, or one relative to the user's "
                 "home without \"~/\"");
  }
  const bool listens = std::any_of(
      app->command.begin(), app->command.end(), [](const std::string& word) {
        return absl::StrContains(word, "{socket}") ||
               absl::StrContains(word, "{port}");
      });
  if (!app->command.empty() && !listens) {
    table.Refuse("command",
                 "expected \"{socket}\" or \"{port}\" in one of its arguments");
  }
}

void ReadMount(ConfigTable table, ImageMount* mount) {
  table.Read("source", &mount->source, Required());
  mount->target = mount->source;
  table.Read("target", &mount->target);
  table.Read("read_only", &mount->read_only);
  for (const char* key : {"source", "target"}) {
    const std::string& path =
        key == std::string_view("source") ? mount->source : mount->target;
    if (path.empty() || IsImageFolder(path)) continue;
    table.Refuse(key, "expected an absolute path without \":\" and \",\"");
  }
}

void ReadImage(ConfigTable table, std::set<std::string>* ids, Image* image) {
  table.Read("id", &image->id, Required());
  table.Read("description", &image->description);
  table.Read("path", &image->path, Required());
  table.Read("status_file", &image->status_file);
  table.Read("sha256", &image->sha256,
             {.required = image->status_file.empty()});
  table.Read("apps", &image->apps);
  table.Read("driver", &image->driver);
  table.Read("cuda", &image->cuda);
  ReadVariables(table.Table("environment"), &image->environment);
  for (ConfigTable& mount : table.Tables("mounts")) {
    ReadMount(mount, &image->mounts.emplace_back());
  }
  if (!image->id.empty() && !IsImageId(image->id)) {
    table.Refuse("id", "expected name:version of letters, digits and \"._-+\"");
  }
  for (const char* key : {"driver", "cuda"}) {
    const std::string& version =
        key == std::string_view("driver") ? image->driver : image->cuda;
    if (version.empty() || IsVersion(version)) continue;
    table.Refuse(key, "expected numbers with dots between");
  }
  if (!ids->insert(image->id).second) {
    table.Refuse("id", "another image has the same name");
  }
  if (!image->path.empty() && !IsImageFolder(image->path)) {
    table.Refuse("path", "expected an absolute path without \":\" and \",\"");
  }
  if (!image->status_file.empty() && !IsImageFolder(image->status_file)) {
    table.Refuse("status_file",
                 "expected an absolute path without \":\" and \",\"");
  }
  if (!image->sha256.empty() && !IsDigest(image->sha256)) {
    table.Refuse("sha256", "expected 64 hexadecimal digits in lower case");
  }
}

void ReadSharedImages(ConfigTable table, SharedImagesConfig* config) {
  table.Read("directory", &config->directory);
  table.Read("account", &config->account);
  table.Read("partition", &config->partition);
  if (config->directory.empty() != config->account.empty()) {
    table.Refuse("directory", "directory and account require each other");
  }
  if (!config->directory.empty() && !IsImageFolder(config->directory)) {
    table.Refuse("directory",
                 "expected an absolute path without \":\" and \",\"");
  }
}

void ReadImages(ConfigTable root, ConfigTable environments,
                JobsConfig* config) {
  std::set<std::string> ids;
  for (ConfigTable& table : root.Tables("images")) {
    if (config->images.size() == kMaxImages) {
      root.Refuse("images", absl::StrCat("expected at most ", kMaxImages));
      break;
    }
    ReadImage(table, &ids, &config->images.emplace_back());
  }
  bool offered = config->images.empty();
  environments.Read("node_system", &offered);
  if (!offered) return;
  config->images.push_back({.id = kNoImage,
                            .description = "The node's own system",
                            .path = {},
                            .sha256 = {},
                            .apps = {},
                            .mounts = {},
                            .environment = {}});
}

// Code in a job must never share an origin, or cookies of a parent domain, with
// the portal. Cookies ignore ports, so another port is not another host.
void CheckJobsName(ConfigTable table, const char* key, std::string_view portal,
                   const std::string& name) {
  if (name.empty()) return;
  if (!IsHostPort(name)) table.Refuse(key, "expected host or host:port");
  const std::string host(HostOf(portal));
  const std::string jobs(HostOf(name));
  if (host == jobs || absl::EndsWith(host, absl::StrCat(".", jobs))) {
    table.Refuse(key, "expected a domain that the portal is not in");
  }
}

void ReadPortal(ConfigTable table, JobsConfig* config) {
  table.Read("url", &config->portal_url, Required());
  table.Read("jobs_host", &config->jobs_host);
  table.Read("jobs_domain", &config->jobs_domain,
             {.required = config->jobs_host.empty()});
  absl::string_view portal = config->portal_url;
  if (!portal.empty() && (!absl::ConsumePrefix(&portal, "https://") ||
                          !IsHostPort({portal.data(), portal.size()}))) {
    table.Refuse("url", "expected https://host or https://host:port");
  }
  const std::string_view host(portal.data(), portal.size());
  CheckJobsName(table, "jobs_domain", host, config->jobs_domain);
  CheckJobsName(table, "jobs_host", host, config->jobs_host);
  if (!config->jobs_domain.empty() && config->by_path()) {
    table.Refuse("jobs_host", "cannot be combined with jobs_domain");
  }
}

}  // namespace

const App* JobsConfig::FindApp(std::string_view id) const {
  for (const App& app : apps) {
    if (app.id == id) return &app;
  }
  return nullptr;
}

void ReadJobsConfig(ConfigTable root, JobsConfig* config) {
  ConfigTable limits = root.Table("limits");
  ReadLimits(limits.Table("user"), &config->user);
  ReadLimits(limits.Table("admin"), &config->admin);
  root.Table("batch").Read("max_array_tasks", &config->max_array_tasks,
                           Range(0, kMaxArrayTasks));
  ReadLife(root.Table("extension"), root.Table("idle"), &config->life);
  ReadExcess(root.Table("limit_excess"), &config->excess);
  ReadPortal(root.Table("portal"), config);
  std::set<std::string> ids;
  for (ConfigTable& table : root.Tables("apps")) {
    if (config->apps.size() == kMaxApps) {
      root.Refuse("apps", absl::StrCat("expected at most ", kMaxApps));
      break;
    }
    ReadApp(table, &ids, &config->apps.emplace_back());
  }
  ConfigTable environments = root.Table("environments");
  ReadImages(root, environments, config);
  ReadSharedImages(root.Table("shared_images"), &config->shared_images);
  ReadEnvironmentsConfig(environments, &config->environments);
}

}  // namespace carme::backend
