#include "slurm-hooks/vet/cli/launch.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/time/clock.h"
#include "common/encoding.h"
#include "common/listen.h"
#include "common/random.h"
#include "common/status.h"
#include "slurm-hooks/child_process/child_process.h"
#include "slurm-hooks/vet/cli/messages.h"
#include "slurm-hooks/vet/cli/report.h"
#include "slurm-hooks/vet/cli/run_report.h"
#include "slurm-hooks/vet/cli/slurm_job.h"
#include "slurm-hooks/vet/coordination/coordinator.h"
#include "slurm-hooks/vet/coordination/tcp.h"
#include "slurm-hooks/vet/evaluations/program_output.h"

namespace carme::vet {
namespace {

constexpr size_t kSecretBytes = 32;
constexpr int kMaxRequeues = 3;
constexpr absl::Duration kStepEnd = absl::Seconds(10);
constexpr absl::Duration kPause = absl::Milliseconds(200);

std::optional<std::string> ReadFromEnvironment(const std::string& name) {
  const char* const value = std::getenv(name.c_str());
  return value == nullptr ? std::nullopt : std::optional<std::string>(value);
}

void Note(const MessageTemplate& message,
          std::initializer_list<MessageValue> values) {
  std::fprintf(stderr, "carme vet: %s\n",
               FormatMessage(message, values).c_str());
}

struct Job {
  std::string id;
  std::vector<std::string> nodes;
};

absl::StatusOr<Job> ReadJob() {
  Job job;
  const auto id = ReadFromEnvironment("SLURM_JOB_ID");
  const auto list = ReadFromEnvironment("SLURM_JOB_NODELIST");
  if (!id.has_value() || !list.has_value()) {
    return MakePlainError(vet_messages::kNotInAJob);
  }
  uint64_t number = 0;
  if (!absl::SimpleAtoi(*id, &number)) {
    return MakePlainError(vet_messages::kVariable,
                          {{"name", "SLURM_JOB_ID"},
                           {"value", *id},
                           {"expected", "a number from Slurm"}});
  }
  job.id = *id;
  ASSIGN_OR_RETURN(job.nodes, ExpandNodeList(*list));
  return job;
}

// The ports on which Slurm's nodes may connect to srun, "60001-60100", if the
// site limits them: its firewall accepts those.
std::optional<std::pair<int, int>> SrunPorts() {
  const auto output = RunProgram({"scontrol", "show", "config"});
  if (!output.ok()) return std::nullopt;
  for (const absl::string_view line : absl::StrSplit(output->text, '\n')) {
    if (!absl::StartsWith(line, "SrunPortRange")) continue;
    const std::vector<absl::string_view> ends =
        absl::StrSplit(line.substr(line.find('=') + 1), '-');
    int first = 0;
    int last = 0;
    if (ends.size() == 2 && absl::SimpleAtoi(ends[0], &first) &&
        absl::SimpleAtoi(ends[1], &last) && first > 0 && last <= 65535 &&
        first <= last) {
      return std::pair(first, last);
    }
  }
  return std::nullopt;
}

absl::StatusOr<UniqueFd> Listen() {
  const auto range = SrunPorts();
  if (!range.has_value()) return ListenEverywhere(0);
  // from the end: srun begins anywhere
  for (int port = range->second; port >= range->first; --port) {
    auto fd = ListenEverywhere(port);
    if (fd.ok()) return fd;
  }
  return ListenEverywhere(0);
}

std::vector<std::string> CurrentEnvironment() {
  std::vector<std::string> environment;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    environment.emplace_back(*entry);
  }
  return environment;
}

// The step of the workers: one task on each node, with all of the node's
// resources that the job has.
absl::StatusOr<node::ChildProcess> StartStep(const Job& job, int port,
                                             const std::string& secret) {
  char own[4096] = "";
  if (readlink("/proc/self/exe", own, sizeof own - 1) < 0) {
    return ErrnoError(errno, "find this program");
  }
  char host[256] = "";
  gethostname(host, sizeof host - 1);
  const size_t nodes = job.nodes.size();
  node::Launch launch;
  launch.arguments = {"srun",
                      "--jobid=" + job.id,
                      absl::StrCat("--nodes=", nodes),
                      absl::StrCat("--ntasks=", nodes),
                      "--ntasks-per-node=1",
                      "--nodelist=" + absl::StrJoin(job.nodes, ","),
                      "--overlap",
                      "--whole",
                      "--cpu-bind=none",
                      "--mpi=none",
                      "--kill-on-bad-exit=0",
                      "--input=none",
                      "--quiet",
                      own,
                      "--worker"};
  launch.environment = CurrentEnvironment();
  std::erase_if(launch.environment, [](const std::string& entry) {
    // options of the job's tasks, which srun would add to those above
    return entry.starts_with("SLURM_NTASKS") ||
           entry.starts_with("SLURM_NPROCS") ||
           entry.starts_with("SLURM_CPUS_PER_TASK") ||
           entry.starts_with("SLURM_TASKS_PER_NODE") ||
           entry.starts_with("SLURM_DISTRIBUTION") ||
           entry.starts_with("SLURM_EXACT");
  });
  launch.environment.push_back(absl::StrCat(kSecretVariable, "=", secret));
  launch.environment.push_back(absl::StrCat(kPortVariable, "=", port));
  launch.environment.push_back(absl::StrCat(kHostVariable, "=", host));
  launch.directory = std::filesystem::current_path().string();
  const UniqueFd null(open("/dev/null", O_RDONLY | O_CLOEXEC));
  launch.input = null.get();
  launch.output = STDERR_FILENO;
  auto step = node::ChildProcess::Start(launch);
  if (step.ok()) return step;
  return MakePlainError(vet_messages::kStepNotStarted,
                        {{"cause", step.status().message()}});
}

void EndStep(node::ChildProcess step) {
  for (const int number : {0, SIGTERM, SIGKILL}) {
    if (number != 0) step.Signal(number);
    const absl::Time deadline = absl::Now() + kStepEnd;
    while (absl::Now() < deadline) {
      if (step.TakeEnd().has_value()) return;
      absl::SleepFor(kPause);
    }
  }
}

absl::StatusOr<VetRun> VetJob(const Job& job, const Options& options,
                              const std::string& config,
                              const std::string& config_path) {
  // before a step is started for it
  RETURN_IF_ERROR(
      ParseVetConfig(config, config_path, options.timeout).status());
  const std::string secret = HexEncode(RandomBytes(kSecretBytes));
  ASSIGN_OR_RETURN(UniqueFd listener, Listen());
  ASSIGN_OR_RETURN(const int port, PortOf(listener.get()));
  ASSIGN_OR_RETURN(node::ChildProcess step, StartStep(job, port, secret));
  CoordinatorOptions coordinator;
  coordinator.nodes = job.nodes;
  coordinator.config = config;
  coordinator.config_path = config_path;
  coordinator.default_timeout = options.timeout;
  coordinator.connect_timeout = options.connect_timeout;
  coordinator.identity = {job.id, secret};
  coordinator.listener = std::move(listener);
  coordinator.is_step_over = [&step] { return step.TakeEnd().has_value(); };
  auto run = Coordinate(std::move(coordinator));
  EndStep(step);
  return run;
}

std::string ProblemOf(const absl::StatusOr<ProgramOutput>& output) {
  if (!output.ok()) return std::string(output.status().message());
  if (output->end.exit_code == 0) return "";
  const std::string text(absl::StripAsciiWhitespace(output->text));
  return text.empty() ? absl::StrCat("exit code ", output->end.exit_code)
                      : text;
}

// Shrinks the job to these nodes; empty: Slurm has done it.
std::string Shrink(const Job& job, const std::vector<std::string>& nodes) {
  // scontrol writes a script into the current directory
  std::string directory = "/tmp/carme-vet-XXXXXX";
  if (mkdtemp(directory.data()) == nullptr) return std::strerror(errno);
  std::error_code ignored;
  const auto before = std::filesystem::current_path(ignored);
  std::filesystem::current_path(directory, ignored);
  const auto output = RunProgram({"scontrol", "update", "JobId=" + job.id,
                                  "NodeList=" + absl::StrJoin(nodes, ",")});
  std::filesystem::current_path(before, ignored);
  std::filesystem::remove_all(directory, ignored);
  return ProblemOf(output);
}

// The job becomes pending, and excludes the nodes: Slurm accepts that of
// pending jobs only, and ends the job's processes as soon as it is requeued. A
// task that ignores SIGTERM stays for KillWait, if it is the first process of a
// step: the batch script's shell would take this program with it.
void Requeue(const Job& job, const std::string& node,
             const std::vector<std::string>& excluded) {
  const std::string nodes = absl::StrJoin(excluded, ",");
  int count = 0;
  if (absl::SimpleAtoi(ReadFromEnvironment("SLURM_RESTART_COUNT").value_or("0"),
                       &count) &&
      count >= kMaxRequeues) {
    Note(vet_messages::kNotRequeued,
         {{"job", job.id},
          {"cause",
           FormatMessage(vet_messages::kRequeuedOften, {{"count", count}})}});
    return;
  }
  // before it, as nothing may be printed afterwards
  Note(vet_messages::kRequeued, {{"job", job.id}, {"nodes", nodes}});
  const std::string problem = ProblemOf(RunProgram(
      {"srun", "--jobid=" + job.id, "--nodes=1", "--ntasks=1",
       "--nodelist=" + node, "--overlap", "--mpi=none", "--input=none",
       "--quiet", "/bin/sh", "-c",
       absl::StrCat("trap '' TERM; scontrol requeue ", job.id,
                    " || exit 1; n=0; until scontrol update JobId=", job.id,
                    " ExcNodeList=", nodes,
                    " 2> /dev/null || [ $n = 100 ]; do n=$((n + 1)); sleep "
                    "0.2; done")}));
  if (problem.empty()) return;
  Note(vet_messages::kNotRequeued, {{"job", job.id}, {"cause", problem}});
}

std::vector<std::string> NamesOf(const Job& job,
                                 const std::vector<size_t>& positions) {
  std::vector<std::string> names;
  names.reserve(positions.size());
  for (const size_t position : positions) names.push_back(job.nodes[position]);
  return names;
}

std::vector<std::string> OthersOf(const Job& job,
                                  const std::vector<size_t>& positions) {
  std::vector<std::string> names;
  for (size_t i = 0; i < job.nodes.size(); ++i) {
    if (std::find(positions.begin(), positions.end(), i) == positions.end()) {
      names.push_back(job.nodes[i]);
    }
  }
  return names;
}

// Replaces this program. Returns only on an error.
absl::Status Become(std::vector<std::string> command,
                    const std::vector<std::string>& nodes) {
  if (std::filesystem::path(command[0]).filename() == "srun") {
    // first, so that the command's own options win
    command.insert(command.begin() + 1,
                   {absl::StrCat("--nodes=", nodes.size()),
                    "--nodelist=" + absl::StrJoin(nodes, ",")});
  }
  std::vector<char*> arguments;
  arguments.reserve(command.size() + 1);
  for (std::string& word : command) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  execvp(arguments[0], arguments.data());
  return ErrnoError(errno, absl::StrCat("start \"", command[0], "\""));
}

}  // namespace

absl::StatusOr<int> VetAndLaunch(const Options& options,
                                 const std::string& config,
                                 const std::string& config_path) {
  ASSIGN_OR_RETURN(const Job job, ReadJob());
  if (job.nodes.size() < options.required) {
    Note(vet_messages::kTooSmall,
         {{"all", job.nodes.size()}, {"required", options.required}});
    return kExitTooFewNodes;
  }
  if (options.spare.has_value() &&
      job.nodes.size() != options.required + *options.spare) {
    Note(vet_messages::kOtherSize, {{"all", job.nodes.size()},
                                    {"required", options.required},
                                    {"spare", *options.spare}});
  }
  ASSIGN_OR_RETURN(const VetRun run, VetJob(job, options, config, config_path));
  RETURN_IF_ERROR(LearnFrom(run, options.learn_path));
  // the standard output stream is the command's
  std::fputs(Report(run, options).c_str(), stderr);
  if (options.report) {
    // The command does not depend on it.
    const absl::Status reported = ReportRun(run, options, ReadFromEnvironment);
    if (!reported.ok()) {
      std::fprintf(stderr, "carme vet: %s\n",
                   std::string(reported.message()).c_str());
    }
  }
  std::vector<size_t> chosen = run.Healthy();
  if (chosen.size() < options.required) {
    Note(vet_messages::kTooFewNodes, {{"healthy", chosen.size()},
                                      {"all", job.nodes.size()},
                                      {"required", options.required}});
    if (options.requeue) {
      Requeue(job, job.nodes[chosen.empty() ? 0 : chosen[0]],
              OthersOf(job, chosen));
    }
    return kExitTooFewNodes;
  }
  chosen.resize(options.required);
  const std::vector<std::string> nodes = NamesOf(job, chosen);
  const std::vector<std::string> others = OthersOf(job, chosen);
  const auto variables =
      node::VariablesOfPart(ReadFromEnvironment, nodes, chosen);
  if (!others.empty()) {
    const std::string released = absl::StrJoin(others, ",");
    const std::string problem = Shrink(job, nodes);
    if (problem.empty()) {
      Note(vet_messages::kReleased, {{"nodes", released}});
    } else {
      Note(vet_messages::kNotReleased,
           {{"nodes", released}, {"cause", problem}});
    }
  }
  for (const auto& [name, value] : variables) {
    if (value.empty()) {
      unsetenv(name.c_str());
    } else {
      setenv(name.c_str(), value.c_str(), 1);
    }
  }
  Note(vet_messages::kChosen, {{"nodes", absl::StrJoin(nodes, ",")}});
  return Become(options.command, nodes);
}

}  // namespace carme::vet
