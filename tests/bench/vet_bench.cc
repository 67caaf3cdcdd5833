// vet_bench NODES LINK_MS: the coordinator of carme vet with workers in one
// process that answer at once, for some rounds. Prints the number of rounds for
// all pairs, what a round costs the coordinator, and the sum for all rounds, in
// which a link takes LINK_MS.
#include <poll.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "common/listen.h"
#include "slurm-hooks/vet/coordination/coordinator.h"
#include "slurm-hooks/vet/coordination/rounds.h"
#include "slurm-hooks/vet/coordination/tcp.h"

namespace carme::vet {
namespace {

using node::v1::VetPacket;

constexpr int kFewRounds = 2;
constexpr int kManyRounds = 10;
constexpr char kSecret[] = "secret of the benchmark";

std::string Config(int rounds) {
  return "name: x\nevals:\n- {name: Links, type: links, max_rounds: " +
         std::to_string(rounds) + "}\n";
}

// What a worker would answer, without a measurement. False: the run is over.
bool Answer(Channel* channel, const VetPacket& packet) {
  if (packet.has_verdict()) return false;
  if (!packet.has_link_run()) return true;
  if (packet.link_run().address().empty()) {
    VetPacket listening;
    listening.mutable_link_listening()->set_port(1);
    if (!channel->Send(listening).ok()) return false;
  }
  VetPacket result;
  result.mutable_result()->set_status(node::v1::VET_STATUS_PASSED);
  (*result.mutable_result()->mutable_metrics())["latency_s"] = 1e-6;
  (*result.mutable_result()->mutable_metrics())["send_bytes_per_second"] = 1e9;
  (*result.mutable_result()->mutable_metrics())["receive_bytes_per_second"] =
      1e9;
  return channel->Send(result).ok();
}

// All workers, in this process.
void Work(size_t nodes, int port) {
  std::vector<Channel> channels;
  std::vector<pollfd> waiting;
  for (uint32_t rank = 0; rank < nodes; ++rank) {
    auto channel = ConnectToCoordinator({{"127.0.0.1", port}},
                                        {"bench", kSecret}, absl::Seconds(60));
    if (!channel.ok()) return;
    VetPacket hello;
    hello.mutable_hello()->set_rank(rank);
    if (!channel->Send(hello).ok()) return;
    waiting.push_back({channel->fd(), POLLIN, 0});
    channels.push_back(*std::move(channel));
  }
  size_t left = nodes;
  while (left > 0 && poll(waiting.data(), waiting.size(), 60000) > 0) {
    for (size_t i = 0; i < nodes; ++i) {
      if (waiting[i].revents == 0) continue;
      bool goes_on = channels[i].Receive().ok();
      for (auto packet = channels[i].Take(); packet.ok() && packet->has_value();
           packet = channels[i].Take()) {
        goes_on = Answer(&channels[i], **packet) && goes_on;
      }
      if (goes_on) continue;
      waiting[i].fd = -1;
      --left;
    }
  }
}

// Seconds; negative: it failed.
double Run(size_t nodes, int rounds) {
  auto listener = ListenEverywhere(0);
  if (!listener.ok()) return -1;
  const int port = *PortOf(listener->get());
  const pid_t workers = fork();
  if (workers == 0) {
    listener->reset();
    Work(nodes, port);
    _exit(0);
  }
  CoordinatorOptions options;
  for (size_t i = 0; i < nodes; ++i) {
    options.nodes.push_back("n" + std::to_string(i));
  }
  options.config = Config(rounds);
  options.config_path = "bench";
  options.identity = {"bench", kSecret};
  options.listener = *std::move(listener);
  const auto run = Coordinate(std::move(options));
  waitpid(workers, nullptr, 0);
  if (!run.ok() || run->Healthy().size() != nodes) return -1;
  // of the links alone, without the connections
  return run->nodes[0].results[0].elapsed_s();
}

void Print(const char* metric, double value, const char* unit) {
  std::printf(
      "{\"bench\":\"vet\",\"subject\":\"carme\",\"metric\":\"%s\",\"value\":"
      "%.6g,\"unit\":\"%s\"}\n",
      metric, value, unit);
}

}  // namespace
}  // namespace carme::vet

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const auto nodes = static_cast<size_t>(std::atoi(argv[1]));
  const double link_ms = std::atof(argv[2]);
  rlimit files{};
  getrlimit(RLIMIT_NOFILE, &files);
  files.rlim_cur = files.rlim_max;
  setrlimit(RLIMIT_NOFILE, &files);
  const double few = carme::vet::Run(nodes, carme::vet::kFewRounds);
  const double many = carme::vet::Run(nodes, carme::vet::kManyRounds);
  if (few < 0 || many < 0) {
    std::fputs("vet_bench: the coordinator failed\n", stderr);
    return 1;
  }
  const double round_ms =
      1000 * (many - few) / (carme::vet::kManyRounds - carme::vet::kFewRounds);
  const auto rounds = static_cast<double>(carme::vet::RoundCount(nodes));
  carme::vet::Print("rounds_2688", rounds, "1");
  carme::vet::Print("coordinator_ms_per_round", round_ms, "ms");
  carme::vet::Print("simulated_2688_s", rounds * (round_ms + link_ms) / 1000,
                    "s");
  return 0;
}
