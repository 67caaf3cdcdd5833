#include "backend/jobs/jobs_config.h"

#include <algorithm>
#include <set>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"

namespace carme {
namespace {

constexpr int kMostApps = 32;
constexpr size_t kLongestId = 32;
constexpr int64_t kMostMinutes = 365 * 24 * 60;

bool IsAppId(std::string_view id) {
  return !id.empty() && id.size() <= kLongestId &&
         std::all_of(id.begin(), id.end(), [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
         });
}

// host[:port] of what a URL may hold: no path, user or space.
bool IsHostPort(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '.' || c == ':';
  });
}

std::string_view HostOf(std::string_view host_port) {
  return host_port.substr(0, host_port.find(':'));
}

void ReadLimits(ConfigTable table, Limits* limits) {
  table.Read("max_gpus_per_job", &limits->max_gpus_per_job, Range(0, 1 << 20));
  table.Read("max_running_jobs", &limits->max_running_jobs, Range(0, 1 << 20));
  table.Read("max_walltime_min", &limits->max_walltime, Range(0, kMostMinutes));
}

void ReadApp(ConfigTable table, std::set<std::string>* ids, App* app) {
  table.Read("id", &app->id, Required());
  table.Read("name", &app->name, Required());
  table.Read("command", &app->command, Required());
  table.Read("ready_path", &app->ready_path, Required());
  if (!app->id.empty() && !IsAppId(app->id)) {
    table.Refuse("id", "expected 1 to 32 of a-z, 0-9 and \"-\"");
  }
  if (!ids->insert(app->id).second) {
    table.Refuse("id", "another app has it already");
  }
  if (!app->ready_path.empty() && app->ready_path[0] != '/') {
    table.Refuse("ready_path", "expected a path that begins with \"/\"");
  }
  const bool listens = std::any_of(app->command.begin(), app->command.end(),
                                   [](const std::string& word) {
                                     return absl::StrContains(word, "{socket}");
                                   });
  if (!app->command.empty() && !listens) {
    table.Refuse("command", "expected \"{socket}\" in one of its words");
  }
}

// Code in a job must never share an origin, or a parent domain's cookies, with
// the portal.
void ReadPortal(ConfigTable table, JobsConfig* config) {
  table.Read("url", &config->portal_url, Required());
  table.Read("jobs_domain", &config->jobs_domain, Required());
  absl::string_view portal = config->portal_url;
  if (!portal.empty() && (!absl::ConsumePrefix(&portal, "https://") ||
                          !IsHostPort({portal.data(), portal.size()}))) {
    table.Refuse("url", "expected https://host or https://host:port");
  }
  if (!config->jobs_domain.empty() && !IsHostPort(config->jobs_domain)) {
    table.Refuse("jobs_domain", "expected host or host:port");
  }
  const std::string host(HostOf({portal.data(), portal.size()}));
  const std::string jobs(HostOf(config->jobs_domain));
  if (!jobs.empty() &&
      (host == jobs || absl::EndsWith(host, absl::StrCat(".", jobs)))) {
    table.Refuse("jobs_domain", "expected a domain that the portal is not in");
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
  ReadPortal(root.Table("portal"), config);
  std::set<std::string> ids;
  for (ConfigTable& table : root.Tables("apps")) {
    if (config->apps.size() == kMostApps) {
      root.Refuse("apps", "expected at most 32");
      break;
    }
    ReadApp(table, &ids, &config->apps.emplace_back());
  }
}

}  // namespace carme
