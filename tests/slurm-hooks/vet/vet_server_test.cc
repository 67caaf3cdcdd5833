// carme vet on the two nodes of the private cluster, with one fault at a time.
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <optional>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "common/file.h"
#include "common/listen.h"
#include "slurm-hooks/vet/coordination/handshake.h"
#include "slurm-hooks/vet/coordination/node_connections.h"
#include "slurm-hooks/vet/coordination/tcp.h"
#include "tests/slurm-hooks/spank/user_shell.h"
#include "tests/support/status_matchers.h"
#include "tests/support/wait_for.h"

namespace carme::vet {
namespace {

constexpr uid_t kBob = 20002;
constexpr char kVet[] = "/opt/carme/bin/carme vet";

// ada's configuration.
void Write(const std::string& evaluations) {
  const std::string path = "/home/ada/vet.yaml";
  REQUIRE_THAT(WriteFile(path, "name: Test\nevals:\n" + evaluations, 0644),
               IsOk());
}

// Vets both nodes in a job.
Ran VetBoth(const std::string& options = "") {
  return AsAda(absl::StrCat("srun -Q -N 2 ", kVet, " ", options, " vet.yaml"));
}

// As root on a node, outside of ada's jobs.
std::string OnNode(const std::string& node, const std::string& command) {
  return AsRoot(absl::StrCat("srun -Q -w ", node, " --overlap --chdir=/ ",
                             "sh -c '", command, "'"))
      .text;
}

// Undoes a fault of n2 at the end of a test.
class Fault {
 public:
  Fault(const std::string& begin, std::string end) : end_(std::move(end)) {
    CHECK(OnNode("n2", begin) == "");
  }
  ~Fault() { OnNode("n2", end_); }
  Fault(const Fault&) = delete;

 private:
  const std::string end_;
};

void CheckOnlyN2IsBad(const Ran& ran, const std::string& reason) {
  INFO(ran.text);
  CHECK(ran.code == 1);
  CHECK(absl::StrContains(ran.text, "Vetted: n1\nCordon: n2\n"));
  CHECK(absl::StrContains(ran.text, reason));
  CHECK_FALSE(absl::StrContains(ran.text, "n1: failed"));
}

TEST_CASE("carme vet: two healthy nodes pass ten evaluations", "[vet]") {
  Write(
      "- {name: Env, type: env, expected: {SLURM_JOB_ID: null}}\n"
      "- {name: CPUs, type: cpu, min_count: 1}\n"
      "- {name: Memory, type: memory, min_total: 1 GB}\n"
      "- {name: Home, type: filesystem, path: /home/ada}\n"
      "- {name: User, type: user, user: ada, uid: 20001}\n"
      "- {name: Munge, type: munge}\n"
      "- {name: DNS, type: dns, host: n1}\n"
      "- {name: Clock, type: clock_skew}\n"
      "- {name: Network, type: links, min_bandwidth: 1 MB/s}\n"
      "- {name: Compute, type: compute, duration: 100 ms}\n");
  const Ran ran = VetBoth();
  CHECK(ran.text == "Vetted: n1\nVetted: n2\n");
  CHECK(ran.code == 0);
  const Ran json = VetBoth("--json");
  CHECK(absl::StrContains(json.text, "{\"link\":["));
  CHECK(absl::StrContains(json.text, "\"verdict\":\"vetted\""));
}

TEST_CASE("carme vet: several tasks of a node are one vote", "[vet]") {
  Write("- {name: Memory, type: memory}\n");
  const Ran ran =
      AsAda(absl::StrCat("srun -Q -N 2 -n 4 -O ", kVet, " vet.yaml"));
  CHECK(ran.text == "Vetted: n1\nVetted: n2\n");
}

TEST_CASE("carme vet: a wrong file ends all ranks at once", "[vet]") {
  Write("- {name: Memory, type: memoryy}\n");
  const absl::Time start = absl::Now();
  const Ran ran = VetBoth();
  CHECK(ran.code == 2);
  CHECK(absl::StrContains(ran.text, "vet.yaml:3: unknown type \"memoryy\""));
  CHECK(absl::Now() - start < absl::Seconds(30));
}

TEST_CASE("carme vet: a full file system of n2 is named", "[vet]") {
  for (const char* node : {"n1", "n2"}) {
    CHECK(OnNode(node,
                 "mkdir -p /run/vet-scratch && mount -t tmpfs -o "
                 "size=1m,mode=1777 tmpfs /run/vet-scratch") == "");
  }
  OnNode("n2", "dd if=/dev/zero of=/run/vet-scratch/x bs=1k count=2000");
  Write(
      "- {name: Scratch, type: filesystem, path: /run/vet-scratch, mounted: "
      "true, min_free: 512 KB}\n");
  const Ran limited = VetBoth();
  Write("- {name: Scratch, type: filesystem, path: /run/vet-scratch}\n");
  const Ran written = VetBoth();
  for (const char* node : {"n1", "n2"}) {
    OnNode(node, "umount /run/vet-scratch; rmdir /run/vet-scratch");
  }
  CheckOnlyN2IsBad(limited,
                   "n2: failed \"Scratch\" (filesystem): "
                   "\"/run/vet-scratch\" has 0 B free: expected at least "
                   "512 KiB\n");
  CheckOnlyN2IsBad(written, "No space left on device");
}

TEST_CASE("carme vet: a port that n2 cannot reach is named", "[vet]") {
  // the firewall lets nodes connect to these ports of head
  std::optional<UniqueFd> listener;
  int port = 60090;
  for (; port > 60050 && !listener.has_value(); --port) {
    auto fd = ListenTcp(absl::StrCat("10.77.0.1:", port));
    if (fd.ok()) listener = *std::move(fd);
  }
  REQUIRE(listener.has_value());
  ++port;
  Write(absl::StrCat("- {name: Licences, type: tcp, host: 10.77.0.1, port: ",
                     port, ", timeout: 2}\n"));
  CHECK(VetBoth().code == 0);
  const Fault fault(
      absl::StrCat("nft add table inet vet && nft \"add chain inet vet out { "
                   "type filter hook output priority 0 ; }\" && nft add rule "
                   "inet vet out tcp dport ",
                   port, " drop"),
      "nft delete table inet vet");
  CheckOnlyN2IsBad(
      VetBoth(), absl::StrCat("n2: failed \"Licences\" (tcp): 10.77.0.1 port ",
                              port, " was not reached: "));
}

TEST_CASE("carme vet: a wrong environment of n2 is named", "[vet]") {
  Write("- {name: Fabric, type: env, expected: {FABRIC: fast}}\n");
  const Ran ran = AsAda(absl::StrCat(
      "export FABRIC=fast; srun -Q -N 2 sh -c \"[ \\$SLURM_NODEID = 0 ] || "
      "export FABRIC=slow; exec ",
      kVet, " vet.yaml\""));
  CheckOnlyN2IsBad(ran,
                   "n2: failed \"Fabric\" (env): variable FABRIC is \"slow\": "
                   "expected \"fast\"\n");
}

TEST_CASE("carme vet: an evaluation that hangs on n2 is named", "[vet]") {
  Write(
      "- name: Probe\n  type: command\n  timeout: 1 s\n"
      "  command: '[ $(hostname) = n1 ] || sleep 4712'\n"
      "- {name: Memory, type: memory}\n");
  CheckOnlyN2IsBad(VetBoth("--verbose"),
                   "n2: failed \"Probe\" (command): timed out after 1 s\n");
  CHECK(OnNode("n2", "pgrep -f \"^sleep 4712\" || true") == "");
}

TEST_CASE("carme vet: a rank that is killed is unknown, hence unhealthy",
          "[vet]") {
  Write(
      "- name: Killer\n  type: command\n"
      "  command: '[ $(hostname) = n1 ] || kill -9 $(ps -o ppid= -p $PPID)'\n"
      "- {name: Memory, type: memory}\n"
      "- {name: Network, type: links}\n");
  const Ran ran =
      AsAda(absl::StrCat("srun -Q -N 2 ", kVet, " vet.yaml 2> /dev/null"));
  INFO(ran.text);
  CHECK(ran.code != 0);
  CHECK(absl::StrContains(ran.text, "Vetted: n1\nCordon: n2\n"));
  CHECK(absl::StrContains(ran.text,
                          "n2: unknown \"Killer\" (command): the node was lost "
                          "during the run"));
}

TEST_CASE("carme vet: a rank that never connects is unhealthy", "[vet]") {
  Write("- {name: Memory, type: memory}\n");
  const Ran ran = AsAda(absl::StrCat(
      "srun -Q -N 2 sh -c \"[ \\$SLURM_NODEID = 0 ] || exit 0; exec ", kVet,
      " --connect-timeout 2 vet.yaml\""));
  CheckOnlyN2IsBad(ran, "the node has not connected within 2 s");
}

TEST_CASE("carme vet: a slow link is named with both ends", "[vet]") {
  Write(
      "- {name: Network, type: links, payload: 8 MB, min_bandwidth: 20 "
      "MB/s}\n");
  CHECK(VetBoth().code == 0);
  // of every packet that exceeds 2 MiB a second, n2 receives none
  const Fault fault(
      "nft add table inet vet && nft \"add chain inet vet in { type filter "
      "hook "
      "input priority 0 ; }\" && nft add rule inet vet in ip saddr 10.77.0.11 "
      "limit rate over 2 mbytes/second drop",
      "nft delete table inet vet");
  const Ran ran = VetBoth();
  INFO(ran.text);
  CHECK(ran.code == 1);
  CHECK(
      absl::StrContains(ran.text, "failed \"Network\" (links): link n1–n2: "));
  // either end alone is as good as a job of one node needs
  const Ran launched = AsAda(absl::StrCat(
      "salloc -Q -N 2 ", kVet,
      " --require 1 --spare 1 --config vet.yaml -- srun hostname"));
  INFO(launched.text);
  CHECK(launched.code == 0);
  CHECK(absl::StrContains(launched.text, "starting on n1\n"));
}

// n2 is broken, n1 is healthy, or the other way round.
void Break(const std::string& node) {
  Write("- name: Sick\n  type: command\n  command: '[ $(hostname) != " + node +
        " ]'\n");
}

TEST_CASE("carme vet --require: starts on the healthy node, returns the other",
          "[vet]") {
  for (const std::string sick : {"n2", "n1"}) {
    const std::string healthy = sick == "n1" ? "n2" : "n1";
    Break(sick);
    const Ran ran = AsAda(absl::StrCat(
        "salloc -Q -N 2 sh -c \"", kVet,
        " --require 1 --spare 1 --config vet.yaml -- srun sh -c \\\"echo on "
        "\\\\\\$(hostname) of \\\\\\$SLURM_JOB_NUM_NODES; exit 7\\\"; echo "
        "code "
        "\\$?; squeue -h -o %D,%N -j \\$SLURM_JOB_ID\""));
    INFO(ran.text);
    CHECK(absl::StrContains(ran.text, "Cordon: " + sick));
    CHECK(absl::StrContains(ran.text, "returned to Slurm: " + sick));
    CHECK(absl::StrContains(ran.text, "on " + healthy + " of 1\n"));
    CHECK(absl::StrContains(ran.text, "code 7\n"));
    CHECK(absl::StrContains(ran.text, "\n1," + healthy));
  }
}

TEST_CASE("carme vet --require: a batch job starts on the healthy node",
          "[vet]") {
  for (const std::string sick : {"n2", "n1"}) {
    const std::string healthy = sick == "n1" ? "n2" : "n1";
    Break(sick);
    const Ran ran = AsAda(absl::StrCat(
        "rm -f vet.out; sbatch -Q -W -N 2 -o vet.out --wrap \"", kVet,
        " --require 1 --spare 1 --config vet.yaml -- srun hostname\"; cat "
        "vet.out"));
    INFO(ran.text);
    CHECK(ran.code == 0);
    CHECK(absl::StrContains(ran.text, "\n" + healthy));
  }
}

TEST_CASE("carme vet --require: too few healthy nodes start nothing", "[vet]") {
  Break("n2");
  const Ran ran = AsAda(absl::StrCat(
      "rm -f started; salloc -Q -N 2 ", kVet,
      " --require 2 --config vet.yaml -- touch started; code=$?; ls started "
      "2> /dev/null; exit $code"));
  INFO(ran.text);
  CHECK(ran.code == 4);
  CHECK(absl::StrContains(ran.text,
                          "1 of 2 nodes are healthy: expected 2; the command "
                          "was not started"));
  CHECK_FALSE(absl::StrContains(ran.text, "\nstarted"));
}

TEST_CASE("carme vet --requeue: the job waits for other nodes", "[vet]") {
  Break("n2");
  const Ran submitted = AsAda(absl::StrCat(
      "rm -f vet.out; sbatch --parsable --requeue -N 2 -o vet.out --wrap \"",
      kVet, " --require 2 --requeue --config vet.yaml -- true\""));
  REQUIRE(submitted.code == 0);
  const std::string id = submitted.text.substr(0, submitted.text.find('\n'));
  std::string job;
  const bool requeued = testing::WaitFor([&] {
    job = AsRoot("scontrol show job " + id).text;
    return absl::StrContains(job, "JobState=PENDING") &&
           absl::StrContains(job, "ExcNodeList=n2");
  });
  INFO(job << ReadFile("/home/ada/vet.out").value_or("no output"));
  CHECK(requeued);
  CHECK(absl::StrContains(job, "Restarts=1"));
  AsRoot("scancel " + id);
}

TEST_CASE("carme vet: another user of a node is not admitted", "[vet]") {
  const RunIdentity identity{"7.0", ""};  // by MUNGE
  auto listener = ListenEverywhere(0);
  REQUIRE_THAT(listener, IsOk());
  const int port = *PortOf(listener->get());
  NodeConnections connections(1, identity, *std::move(listener));
  const auto connect_as = [&](uid_t uid) {
    const pid_t pid = fork();
    if (pid != 0) return pid;
    if (uid != 0 && setresuid(uid, uid, uid) != 0) _exit(2);
    auto channel =
        ConnectToCoordinator({{"127.0.0.1", port}}, identity, absl::Seconds(2));
    if (!channel.ok()) _exit(1);
    node::v1::VetPacket hello;
    hello.mutable_hello()->set_rank(0);
    _exit(channel->Send(hello).ok() ? 0 : 1);
  };
  int status = 0;
  const pid_t bob = connect_as(kBob);
  CHECK_FALSE(connections.Next(absl::Now() + absl::Seconds(3)).has_value());
  waitpid(bob, &status, 0);
  CHECK(WEXITSTATUS(status) == 1);
  CHECK_FALSE(connections.is_connected(0));
  const pid_t own = connect_as(0);
  const auto event = connections.Next(absl::Now() + absl::Seconds(10));
  REQUIRE(event.has_value());
  REQUIRE(event->packet.has_value());
  CHECK(event->packet->has_hello());
  waitpid(own, &status, 0);
  CHECK(WEXITSTATUS(status) == 0);
}

}  // namespace
}  // namespace carme::vet
