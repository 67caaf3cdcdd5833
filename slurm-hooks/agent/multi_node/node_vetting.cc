#include "slurm-hooks/agent/multi_node/node_vetting.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <iterator>
#include <optional>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "common/file.h"
#include "common/listen.h"
#include "common/printable.h"
#include "common/protobuf/message_error.h"
#include "common/status.h"
#include "slurm-hooks/agent/multi_node/messages.h"

namespace carme::agent {
namespace {

constexpr size_t kMaxVettingBytes = 1 << 20;
constexpr size_t kMaxSummary = 300;  // a report has 400 characters
constexpr int kTooFewNodes = 4;      // exit code of carme vet
// How lines begin that say nothing about a failure of a node. A report that did
// not reach the backend is in the job's log.
constexpr const char* kNotForPeople[] = {
    "Vetted: ", "Cordon: ", "starting on ",
    "carme-hook-report: ", "the results were not reported: "};
constexpr char kNodeListVariable[] = "SLURM_JOB_NODELIST=";

absl::StatusOr<UniqueFd> OpenForOutput(const std::string& path) {
  UniqueFd fd(open(path.c_str(),
                   O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (fd.valid()) return fd;
  return ErrnoError(errno, absl::StrCat("write \"", path, "\""));
}

bool IsPath(const std::string& entry) { return entry.starts_with("PATH="); }

std::string PathIn(const std::vector<std::string>& variables) {
  const auto path = std::find_if(variables.begin(), variables.end(), IsPath);
  return path == variables.end() ? "" : *path;
}

// carme vet finds srun and scontrol by PATH, which the user may have changed.
std::vector<std::string> WithSlurmInPath(std::vector<std::string> variables,
                                         const std::string& srun) {
  const std::string own = PathIn(variables);
  std::erase_if(variables, IsPath);
  variables.push_back(absl::StrCat(
      "PATH=", srun.substr(0, srun.rfind('/')), ":",
      own.empty() ? "/usr/bin:/bin" : own.substr(own.find('=') + 1)));
  return variables;
}

}  // namespace

std::string SummarizeVetting(std::string_view output) {
  std::vector<std::string> lines;
  for (absl::string_view line :
       absl::StrSplit(absl::string_view(output.data(), output.size()), '\n')) {
    absl::ConsumePrefix(&line, "carme vet: ");
    if (line.empty() ||
        std::any_of(
            std::begin(kNotForPeople), std::end(kNotForPeople),
            [&](const char* begin) { return absl::StartsWith(line, begin); })) {
      continue;
    }
    lines.emplace_back(
        absl::StripSuffix(line, "; the command was not started"));
  }
  return Readable(absl::StrJoin(lines, "; "), kMaxSummary);
}

absl::StatusOr<VettedNodes> ReadVettedNodes(std::string_view variables,
                                            const std::string& node) {
  VettedNodes nodes;
  bool has_node = false;
  for (const absl::string_view entry :
       absl::StrSplit(absl::string_view(variables.data(), variables.size()),
                      '\0', absl::SkipEmpty())) {
    nodes.variables.emplace_back(entry);
    absl::string_view list = entry;
    if (!absl::ConsumePrefix(&list, kNodeListVariable)) continue;
    // carme vet writes it without brackets.
    for (const absl::string_view name :
         absl::StrSplit(list, ',', absl::SkipEmpty())) {
      has_node = has_node || name == node;
      if (name != node) nodes.other_nodes.emplace_back(name);
    }
  }
  if (has_node) return nodes;
  return MakeError(agent_multi_node_messages::kFirstNodeNotHealthy,
                   {{"node", node}});
}

absl::StatusOr<std::unique_ptr<NodeVetting>> NodeVetting::Start(
    const JobFacts& facts, uint32_t required, OnDone on_done) {
  if (facts.environment.srun.empty()) {
    return MakeError(agent_multi_node_messages::kNeedsSrun);
  }
  std::unique_ptr<NodeVetting> vetting(
      new NodeVetting(facts, std::move(on_done)));
  ASSIGN_OR_RETURN(const UniqueFd variables,
                   OpenForOutput(vetting->variables_path_));
  ASSIGN_OR_RETURN(const UniqueFd log, OpenForOutput(vetting->log_path_));
  const UniqueFd null(open("/dev/null", O_RDONLY | O_CLOEXEC));
  ASSIGN_OR_RETURN(
      vetting->child_,
      node::ChildProcess::Start(
          {.arguments = {absl::StrCat(facts.environment.programs, "/carme-vet"),
                         "--report", "--require", absl::StrCat(required), "--",
                         "/usr/bin/env", "-0"},
           .environment =
               WithSlurmInPath(facts.variables, facts.environment.srun),
           .directory = "/",
           .umask = facts.umask,
           .input = null.get(),
           .output = variables.get(),
           .error = log.get()}));
  return vetting;
}

NodeVetting::NodeVetting(const JobFacts& facts, OnDone on_done)
    : node_(facts.environment.node),
      path_(PathIn(facts.variables)),
      variables_path_(
          absl::StrCat(facts.environment.directory, "/vetting.env")),
      log_path_(absl::StrCat(facts.environment.directory, "/vetting.log")),
      on_done_(std::move(on_done)) {}

NodeVetting::~NodeVetting() {
  if (child_.has_value()) child_->Signal(SIGKILL);
  unlink(variables_path_.c_str());
  unlink(log_path_.c_str());
}

void NodeVetting::OnChild() {
  if (!child_.has_value()) return;
  const std::optional<node::ProcessEnd> end = child_->TakeEnd();
  if (!end.has_value()) return;
  child_.reset();
  std::exchange(on_done_, nullptr)(Result(end->exit_code));
}

absl::StatusOr<VettedNodes> NodeVetting::Result(int exit_code) const {
  const std::string log =
      ReadFile(log_path_, kMaxVettingBytes).value_or(std::string());
  // In the job's log, which has the output of all programs.
  std::fwrite(log.data(), 1, log.size(), stderr);
  const std::string summary = SummarizeVetting(log);
  if (exit_code == kTooFewNodes) {
    return MakeError(agent_multi_node_messages::kTooFewHealthyNodes,
                     {{"summary", summary}});
  }
  if (exit_code != 0) {
    return MakeError(agent_multi_node_messages::kNotVetted,
                     {{"summary", summary}, {"exit_code", exit_code}});
  }
  ASSIGN_OR_RETURN(const std::string variables,
                   ReadFile(variables_path_, kMaxVettingBytes));
  auto nodes = ReadVettedNodes(variables, node_);
  if (!nodes.ok()) {
    return MakeError(
        agent_multi_node_messages::kTooFewHealthyNodes,
        {{"summary", absl::StrCat(nodes.status().message(), ": ", summary)}});
  }
  std::erase_if(nodes->variables, IsPath);
  if (!path_.empty()) nodes->variables.push_back(path_);
  nodes->remark = summary;
  return nodes;
}

}  // namespace carme::agent
