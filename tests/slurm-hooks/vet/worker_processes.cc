#include "tests/slurm-hooks/vet/worker_processes.h"

#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <utility>

#include "common/listen.h"
#include "slurm-hooks/vet/coordination/tcp.h"
#include "slurm-hooks/vet/coordination/worker.h"
#include "tests/support/status_matchers.h"

namespace carme::vet {

void Honest(Channel channel, uint32_t rank) {
  (void)RunWorker(std::move(channel), rank, "");
}

absl::StatusOr<VetRun> TryWith(const std::string& config,
                               const std::vector<Behaviour>& behaviours,
                               absl::Duration connect_timeout) {
  CoordinatorOptions options;
  for (size_t i = 0; i < behaviours.size(); ++i) {
    options.nodes.push_back("n" + std::to_string(i + 1));
  }
  options.config = config;
  options.config_path = "v.yaml";
  options.connect_timeout = connect_timeout;
  options.identity = {"7", "secret"};
  auto listener = ListenEverywhere(0);
  REQUIRE_THAT(listener, IsOk());
  const int port = *PortOf(listener->get());
  options.listener = *std::move(listener);
  std::vector<pid_t> workers;
  for (uint32_t rank = 0; rank < behaviours.size(); ++rank) {
    if (behaviours[rank] == nullptr) continue;
    const pid_t pid = fork();
    if (pid == 0) {
      auto channel = ConnectToCoordinator({{"127.0.0.1", port}},
                                          {"7", "secret"}, absl::Seconds(20));
      if (channel.ok()) behaviours[rank](*std::move(channel), rank);
      _exit(0);
    }
    workers.push_back(pid);
  }
  auto run = Coordinate(std::move(options));
  for (const pid_t pid : workers) waitpid(pid, nullptr, 0);
  return run;
}

VetRun RunWith(const std::string& config,
               const std::vector<Behaviour>& behaviours,
               absl::Duration connect_timeout) {
  auto run = TryWith(config, behaviours, connect_timeout);
  REQUIRE_THAT(run, IsOk());
  return *std::move(run);
}

}  // namespace carme::vet
