#include "slurm-hooks/agent/environment/edf_environment.h"

#include <algorithm>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/edf/render.h"
#include "common/edf/text.h"
#include "common/file.h"
#include "common/log.h"
#include "common/protobuf/message_error.h"
#include "common/status.h"
#include "slurm-hooks/agent/environment/image_copy.h"
#include "slurm-hooks/agent/environment/image_digest.h"
#include "slurm-hooks/agent/environment/messages.h"

namespace carme::agent {
namespace {

EdfVariables VariablesOf(const std::vector<std::string>& entries) {
  EdfVariables variables;
  for (const std::string& entry : entries) {
    const size_t equals = entry.find('=');
    if (equals == std::string::npos || equals == 0) continue;
    variables.emplace(entry.substr(0, equals), entry.substr(equals + 1));
  }
  return variables;
}

// "~/x.toml" is in the home directory.
std::string RealPath(const std::string& path, const std::string& home) {
  return path.starts_with("~/") ? absl::StrCat(home, path.substr(1)) : path;
}

absl::Status Refusal(const std::string& name, const EdfProblems& problems) {
  for (const EdfProblem& problem : problems.list()) {
    LogError("environment rejected",
             {{"environment", name}, {"problem", ToString(problem)}});
  }
  const std::string first = ToString(problems.list()[0]);
  if (problems.size() == 1) {
    return MakeError(agent_environment_messages::kInvalidEnvironment,
                     {{"name", Quoted(name)}, {"problem", first}});
  }
  return MakeError(agent_environment_messages::kInvalidEnvironmentMany,
                   {{"name", Quoted(name)},
                    {"problem", first},
                    {"more", problems.size() - 1}});
}

EdfMount Folder(const std::string& source, const std::string& destination,
                std::set<std::string> flags = {}) {
  return {source, destination, std::move(flags)};
}

}  // namespace

std::string EdfFile(const EnvironmentFacts& facts) {
  return absl::StrCat(facts.directory, "/environment.toml");
}

std::string EnvironmentPidFile(const EnvironmentFacts& facts) {
  return absl::StrCat(facts.directory, "/environment.pid");
}

absl::StatusOr<Edf> RenderPlannedEdf(
    const EnvironmentPlan& plan, const EnvironmentFacts& facts,
    const std::vector<std::string>& variables) {
  EdfResult result;
  if (plan.edf_path.empty()) {
    result = ReadRenderedEdf(plan.edf);
  } else {
    EdfContext context;
    context.files = RealEdfFiles();
    context.variables = VariablesOf(variables);
    context.variables["HOME"] = context.cwd = facts.home;
    result = RenderEdf(RealPath(plan.edf_path, facts.home), context);
  }
  for (const EdfProblem& warning : result.warnings.list()) {
    LogWarning("part of the environment has no effect",
               {{"environment", plan.name}, {"problem", Located(warning)}});
  }
  if (result.edf) return *std::move(result.edf);
  return Refusal(plan.name, result.problems);
}

Edf WithJobFolders(Edf edf, const EnvironmentFacts& facts) {
  const auto is_taken = [&edf](const std::string& destination) {
    return std::any_of(edf.mounts.begin(), edf.mounts.end(),
                       [&](const EdfMount& mount) {
                         return mount.destination == destination;
                       });
  };
  std::vector<EdfMount> mounts;
  for (const std::string& folder : {facts.home, facts.scratch, facts.storage}) {
    if (folder.empty() || is_taken(folder)) continue;
    mounts.push_back(Folder(folder, folder));
  }
  mounts.insert(mounts.end(), edf.mounts.begin(), edf.mounts.end());
  mounts.push_back(Folder(facts.directory, facts.directory));
  mounts.push_back(Folder(facts.programs, kProgramsInside, {"ro"}));
  // As with Apptainer: settings for shells and ssh about the job's nodes.
  mounts.push_back(Folder(absl::StrCat(facts.directory, "/env"),
                          "/etc/profile.d/carme.sh", {"ro"}));
  mounts.push_back(Folder(absl::StrCat(facts.directory, "/ssh/hosts"),
                          "/etc/ssh/ssh_config", {"ro"}));
  edf.mounts = std::move(mounts);
  for (const std::string& device : facts.devices) {
    const auto end = edf.devices.end();
    if (std::find(edf.devices.begin(), end, device) == end) {
      edf.devices.push_back(device);
    }
  }
  return edf;
}

absl::Status WriteJobEdf(const EnvironmentPlan& plan,
                         const EnvironmentFacts& facts,
                         const std::vector<std::string>& variables,
                         const std::string& digest_cache) {
  ASSIGN_OR_RETURN(Edf edf, RenderPlannedEdf(plan, facts, variables));
  if (plan.store_uid) {
    RETURN_IF_ERROR(CheckStored(edf.image.path, *plan.store_uid));
  }
  if (!plan.sha256.empty()) {
    RETURN_IF_ERROR(
        CheckImageDigest(edf.image.path, plan.sha256, digest_cache));
  }
  return WriteFile(EdfFile(facts),
                   EdfToToml(WithJobFolders(std::move(edf), facts)), 0600);
}

}  // namespace carme::agent
