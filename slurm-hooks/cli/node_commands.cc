// carme mpirun, carme torchrun: programs over all nodes of the job.
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "common/file.h"
#include "common/listen.h"
#include "common/random.h"
#include "common/status.h"
#include "slurm-hooks/child_process/child_process.h"
#include "slurm-hooks/cli/command.h"
#include "slurm-hooks/cli/messages.h"
#include "slurm-hooks/process/signal_source.h"

namespace carme {
namespace {

using Words = std::vector<std::string>;

// Variables of this shell that a program gets on the other nodes, in addition
// to those of every program of the job.
constexpr const char* kCarried[] = {"PATH",         "LD_LIBRARY_PATH",
                                    "PYTHONPATH",   "VIRTUAL_ENV",
                                    "CONDA_PREFIX", "OMP_NUM_THREADS"};
// Time for the others to end after one failed.
constexpr int kGraceSeconds = 10;

struct JobNodes {
  Words names;
  uint32_t rank = 0;  // of this node
  std::string master;
  Words gpus;  // on each node, as a number
  std::string directory;
};

absl::StatusOr<std::string> Variable(const char* name) {
  const char* const value = std::getenv(name);
  if (value != nullptr && *value != '\0') return std::string(value);
  return MakePlainError(cli_messages::kNotInAJob, {{"variable", name}});
}

// The nodes may have changed since this shell started: read the file. Its lines
// are `export NAME='value'`.
void ReadNewest(const std::string& env) {
  const auto text = ReadFile(env);
  if (!text.ok()) return;
  for (const absl::string_view line : absl::StrSplit(*text, '\n')) {
    for (const char* name :
         {"CARME_NODES", "CARME_GPUS", "NODE_RANK", "MASTER_ADDR"}) {
      const std::string head = absl::StrCat("export ", name, "='");
      if (absl::StartsWith(line, head) && absl::EndsWith(line, "'")) {
        const absl::string_view value = line.substr(head.size());
        setenv(name, std::string(value.substr(0, value.size() - 1)).c_str(), 1);
      }
    }
  }
}

// Parses "n1:0,1 n2:" to 2 and 0.
Words GpuNumbers(const std::string& gpus) {
  Words numbers;
  for (const absl::string_view node :
       absl::StrSplit(gpus, ' ', absl::SkipEmpty())) {
    const std::vector<absl::string_view> list =
        absl::StrSplit(node.substr(node.find(':') + 1), ',', absl::SkipEmpty());
    numbers.push_back(absl::StrCat(list.size()));
  }
  return numbers;
}

absl::StatusOr<JobNodes> ReadJobNodes() {
  JobNodes nodes;
  ASSIGN_OR_RETURN(const std::string env, Variable("CARME_ENV"));
  nodes.directory = env.substr(0, env.rfind('/'));
  ReadNewest(env);
  ASSIGN_OR_RETURN(const std::string names, Variable("CARME_NODES"));
  for (const absl::string_view name :
       absl::StrSplit(names, ' ', absl::SkipEmpty())) {
    nodes.names.emplace_back(name);
  }
  ASSIGN_OR_RETURN(const std::string rank, Variable("NODE_RANK"));
  if (!absl::SimpleAtoi(rank, &nodes.rank) ||
      nodes.rank >= nodes.names.size()) {
    return MakePlainError(cli_messages::kRankTooLarge,
                          {{"rank", rank}, {"nodes", nodes.names.size()}});
  }
  ASSIGN_OR_RETURN(nodes.master, Variable("MASTER_ADDR"));
  ASSIGN_OR_RETURN(const std::string gpus, Variable("CARME_GPUS"));
  nodes.gpus = GpuNumbers(gpus);
  nodes.gpus.resize(nodes.names.size(), "0");
  return nodes;
}

absl::Status Become(Words words) {
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  execvp(arguments[0], arguments.data());
  return ErrnoError(errno, absl::StrCat("start \"", words[0], "\""));
}

absl::Status Mpirun(const Words& given) {
  ASSIGN_OR_RETURN(const std::string hostfile, Variable("CARME_HOSTFILE"));
  Words words = {"mpirun", "--hostfile", hostfile};
  for (const char* name : kCarried) {
    if (std::getenv(name) == nullptr) continue;
    words.insert(words.end(), {"-x", name});
  }
  words.insert(words.end(), given.begin(), given.end());
  return Become(std::move(words));
}

std::string Quoted(const std::string& word) {
  return absl::StrCat("'", absl::StrReplaceAll(word, {{"'", "'\\''"}}), "'");
}

bool Gives(const Words& words, const std::string& option) {
  const std::string other = absl::StrReplaceAll(option, {{"-", "_"}});
  for (const std::string& word : words) {
    for (const std::string& name : {"--" + option, "--" + other}) {
      if (word == name || word.starts_with(name + "=")) return true;
    }
  }
  return false;
}

// A new port for each training, so that two can run at once: a free one on the
// first node; it cannot be checked from another node.
std::string MasterPort(const JobNodes& nodes) {
  if (nodes.rank == 0) {
    const auto fd = ListenTcp(absl::StrCat(nodes.master, ":0"));
    const auto port = fd.ok() ? PortOf(fd->get()) : fd.status();
    if (port.ok()) return absl::StrCat(*port);
  }
  const std::string bytes = RandomBytes(2);
  const uint32_t number = static_cast<unsigned char>(bytes[0]) << 8 |
                          static_cast<unsigned char>(bytes[1]);
  return absl::StrCat(20000 + number % 12000);
}

Words TorchrunOn(const JobNodes& nodes, size_t rank, const std::string& port,
                 const Words& given) {
  Words words = {"torchrun", absl::StrCat("--nnodes=", nodes.names.size()),
                 absl::StrCat("--node-rank=", rank),
                 absl::StrCat("--master-addr=", nodes.master),
                 absl::StrCat("--master-port=", port)};
  if (!Gives(given, "nproc-per-node")) {
    const std::string& gpus = nodes.gpus[rank];
    words.push_back(
        absl::StrCat("--nproc-per-node=", gpus == "0" ? "1" : gpus));
  }
  words.insert(words.end(), given.begin(), given.end());
  return words;
}

// With a terminal, so that remote programs end when the connection is lost.
Words BySsh(const JobNodes& nodes, size_t rank, const std::string& directory,
            const Words& words) {
  std::string line = absl::StrCat("cd ", Quoted(directory), " && exec env");
  for (const char* name : kCarried) {
    const char* const value = std::getenv(name);
    if (value != nullptr) {
      absl::StrAppend(&line, " ", Quoted(absl::StrCat(name, "=", value)));
    }
  }
  for (const std::string& word : words)
    absl::StrAppend(&line, " ", Quoted(word));
  return {"ssh", "-F",  absl::StrCat(nodes.directory, "/ssh/config"),
          "-n",  "-tt", nodes.names[rank],
          line};
}

struct Running {
  std::string node;
  node::ChildProcess process;
};

void SignalAll(const std::vector<Running>& all, int number) {
  for (const Running& one : all) one.process.Signal(number);
}

// Waits until all have ended; the first failure ends the others.
absl::Status AwaitAll(std::vector<Running> all) {
  sigset_t awaited;
  sigemptyset(&awaited);
  for (const int number : {SIGCHLD, SIGINT, SIGTERM, SIGHUP}) {
    sigaddset(&awaited, number);
  }
  absl::Status result;
  const timespec grace = {kGraceSeconds, 0};
  while (!all.empty()) {
    const int number = result.ok() ? sigwaitinfo(&awaited, nullptr)
                                   : sigtimedwait(&awaited, nullptr, &grace);
    if (number > 0 && number != SIGCHLD) {
      result.Update(
          absl::CancelledError(absl::StrCat("ended by signal ", number)));
      SignalAll(all, SIGTERM);
    }
    if (number < 0 && errno == EAGAIN) SignalAll(all, SIGKILL);
    for (size_t i = 0; i < all.size();) {
      const auto end = all[i].process.TakeEnd();
      if (!end.has_value()) {
        ++i;
        continue;
      }
      const std::string node = all[i].node;
      all.erase(all.begin() + static_cast<ptrdiff_t>(i));
      if (end->exit_code == 0 || !result.ok()) continue;
      result = MakePlainError(cli_messages::kTorchrunFailed,
                              {{"node", node}, {"exit_code", end->exit_code}});
      SignalAll(all, SIGTERM);
    }
  }
  return result;
}

absl::Status Torchrun(const Words& given) {
  ASSIGN_OR_RETURN(const JobNodes nodes, ReadJobNodes());
  char* const cwd = getcwd(nullptr, 0);
  const std::string directory = cwd == nullptr ? "/" : cwd;
  std::free(cwd);
  const std::string port = MasterPort(nodes);
  Words environment;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    environment.emplace_back(*entry);
  }
  const mode_t mask = umask(0);
  umask(mask);
  // Before the first child starts, so that its end is not missed.
  node::BlockSignals({SIGCHLD, SIGINT, SIGTERM, SIGHUP});
  std::vector<Running> all;
  for (size_t rank = 0; rank < nodes.names.size(); ++rank) {
    Words words = TorchrunOn(nodes, rank, port, given);
    if (rank != nodes.rank) words = BySsh(nodes, rank, directory, words);
    ASSIGN_OR_RETURN(const node::ChildProcess process,
                     node::ChildProcess::Start({.arguments = words,
                                                .environment = environment,
                                                .directory = directory,
                                                .umask = mask}));
    all.push_back({nodes.names[rank], process});
  }
  return AwaitAll(std::move(all));
}

struct NodeProgram {
  const char* name;
  const char* about;
  const char* example;
  absl::Status (*run)(const Words&);
};

constexpr NodeProgram kPrograms[] = {
    {"mpirun", "start an MPI program on all nodes of the job",
     "Example: carme mpirun -n 4 ./program --its-option", Mpirun},
    {"torchrun", "start a PyTorch training on all nodes of the job",
     "Example: carme torchrun --nproc-per-node=2 train.py --its-option",
     Torchrun}};

}  // namespace

void AddNodeCommands(CLI::App* app, Command*) {
  for (const NodeProgram& program : kPrograms) {
    app->add_subcommand(program.name, program.about)
        ->footer(absl::StrCat(
            "All arguments go to ", program.name, ": `carme ", program.name,
            " -- --help` prints its own help.\n", program.example));
  }
}

std::optional<Command> NodeCommand(const Words& words) {
  for (const NodeProgram& program : kPrograms) {
    if (words.empty() || words[0] != program.name) continue;
    Words given(words.begin() + 1, words.end());
    if (given == Words{"--help"} || given == Words{"-h"}) break;
    if (!given.empty() && given[0] == "--") given.erase(given.begin());
    return [given, run = program.run] { return run(given); };
  }
  return std::nullopt;
}

}  // namespace carme
