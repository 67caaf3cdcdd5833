#include "slurm-hooks/agent/environment/app_command.h"

#include <map>

#include "absl/strings/str_cat.h"
#include "common/name_rules.h"

namespace carme::agent {
namespace {

void Take(const std::string& entry, Variables* values) {
  const size_t equals = entry.find('=');
  if (equals == std::string::npos || equals == 0) return;
  (*values)[entry.substr(0, equals)] = entry.substr(equals + 1);
}

template <typename Predicate>
void EraseIf(Variables* values, const Predicate& matches) {
  std::erase_if(*values,
                [&](const auto& value) { return matches(value.first); });
}

std::vector<std::string> Entries(const Variables& values) {
  std::vector<std::string> entries;
  for (const auto& [name, value] : values) {
    entries.push_back(absl::StrCat(name, "=", value));
  }
  return entries;
}

// Variables that describe the job and its allocation. Others describe the node,
// not an image.
bool BelongsToJob(const std::string& entry) {
  for (const char* prefix :
       {"SLURM", "CUDA_VISIBLE_DEVICES=", "NVIDIA_VISIBLE_DEVICES=",
        "ROCR_VISIBLE_DEVICES=", "GPU_DEVICE_ORDINAL=", "ZE_AFFINITY_MASK=",
        "OMP_NUM_THREADS=", "TZ="}) {
    if (entry.starts_with(prefix)) return true;
  }
  return false;
}

}  // namespace

std::string Substitute(std::string_view text, const AppPaths& places) {
  const std::pair<std::string_view, const std::string&> words[] = {
      {"{socket}", places.socket}, {"{port}", places.port},
      {"{dir}", places.dir},       {"{scratch}", places.scratch},
      {"{host}", places.host},     {"{carme}", places.carme},
      {"{base}", places.base}};
  std::string result;
  while (!text.empty()) {
    bool replaced = false;
    for (const auto& [word, value] : words) {
      if (text.starts_with(word)) {
        result += value;
        text.remove_prefix(word.size());
        replaced = true;
        break;
      }
    }
    if (!replaced) {
      result += text[0];
      text.remove_prefix(1);
    }
  }
  return result;
}

std::vector<std::string> Substitute(const std::vector<std::string>& command,
                                    const AppPaths& places) {
  std::vector<std::string> arguments;
  for (const std::string& text : command) {
    arguments.push_back(Substitute(std::string_view(text), places));
  }
  return arguments;
}

namespace {

bool Names(const std::vector<std::string>& command, const char* what) {
  for (const std::string& word : command) {
    if (word.find(what) != std::string::npos) return true;
  }
  return false;
}

}  // namespace

bool WantsPort(const std::vector<std::string>& command) {
  return Names(command, "{port}");
}

std::string PathAt(const AppPlan& app, const std::string& path) {
  if (!Names(app.command, "{base}")) return path;
  return absl::StrCat(app.base_path, path.substr(1));
}

std::vector<std::string> RuntimeEnvironment(
    const EnvironmentPlan& plan, const std::vector<std::string>& variables,
    const UserAccount& account, const std::string& directory) {
  Variables values = {
      {"HOME", account.home},   {"USER", account.name},
      {"SHELL", account.shell}, {"LOGNAME", account.name},
      {"LANG", "C.UTF-8"},      {"PATH", "/usr/local/bin:/usr/bin:/bin"}};
  for (const std::string& entry : variables) Take(entry, &values);
  if (plan.runtime == v1::RUNTIME_APPTAINER) {
    // Ignore the user's settings of Apptainer, which could add directories, and
    // its files in the home directory.
    EraseIf(&values, [](const std::string& name) {
      return name.starts_with("APPTAINER") || name.starts_with("SINGULARITY");
    });
    values["APPTAINER_CONFIGDIR"] = absl::StrCat(directory, "/apptainer");
  }
  return Entries(values);
}

std::vector<std::string> AppEnvironment(
    const EnvironmentPlan& plan, const AppPlan& app,
    const std::vector<std::string>& variables, const UserAccount& account,
    const EnvironmentFacts& facts) {
  Variables values = {{"HOME", account.home},
                      {"USER", account.name},
                      {"LOGNAME", account.name}};
  for (const std::string& entry : variables) {
    if (BelongsToJob(entry)) Take(entry, &values);
  }
  for (const auto& [name, value] : plan.environment) {
    if (!IsReservedVariable(name)) values[name] = value;
  }
  for (const auto& [name, value] : app.environment) values[name] = value;
  values["XDG_RUNTIME_DIR"] = facts.directory;
  values["JUPYTER_RUNTIME_DIR"] = absl::StrCat(facts.directory, "/jupyter");
  if (!facts.scratch.empty()) values["CARME_SCRATCH"] = facts.scratch;
  // In an image /tmp is private to the job; here it is shared.
  if (plan.runtime == v1::RUNTIME_NONE && !facts.scratch.empty()) {
    values.emplace("TMPDIR", facts.scratch);
  }
  if (!facts.metrics_socket.empty()) {
    values["CARME_METRICS_SOCKET"] = facts.metrics_socket;
  }
  if (!facts.storage.empty()) values["CARME_JOB_STORAGE"] = facts.storage;
  return Entries(values);
}

}  // namespace carme::agent
