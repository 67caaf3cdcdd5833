#include "slurm-hooks/vet/coordination/channel.h"

#include <sys/socket.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <thread>

#include "absl/time/clock.h"
#include "common/listen.h"
#include "slurm-hooks/vet/coordination/handshake.h"
#include "slurm-hooks/vet/coordination/node_connections.h"
#include "slurm-hooks/vet/coordination/tcp.h"
#include "tests/support/status_matchers.h"

namespace carme::vet {
namespace {

using absl::StatusCode;
using node::v1::VetPacket;

VetPacket Hello(uint32_t rank) {
  VetPacket packet;
  packet.mutable_hello()->set_rank(rank);
  return packet;
}

struct Ends {
  Ends() {
    int fds[2];
    REQUIRE(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds) == 0);
    a.reset(fds[0]);
    b.reset(fds[1]);
  }
  UniqueFd a;
  UniqueFd b;
};

TEST_CASE("vet channel: refuses a packet by another key", "[vet]") {
  Ends ends;
  Channel coordinator(std::move(ends.a), Channel::Side::kCoordinator, "key");
  Channel worker(std::move(ends.b), Channel::Side::kWorker, "other");
  REQUIRE_THAT(worker.Send(Hello(1)), IsOk());
  CHECK_THAT(coordinator.Await(absl::Seconds(5)),
             StatusIs(StatusCode::kPermissionDenied, "wrong authentication"));
}

TEST_CASE("vet channel: refuses a packet that comes twice", "[vet]") {
  Ends ends;
  const int raw = ends.b.get();
  Ends copy;
  Channel worker(std::move(copy.b), Channel::Side::kWorker, "key");
  REQUIRE_THAT(worker.Send(Hello(1)), IsOk());
  char bytes[512];
  const ssize_t size = read(copy.a.get(), bytes, sizeof bytes);
  REQUIRE(size > 0);
  Channel coordinator(std::move(ends.a), Channel::Side::kCoordinator, "key");
  REQUIRE(write(raw, bytes, static_cast<size_t>(size)) == size);
  CHECK_THAT(coordinator.Await(absl::Seconds(5)), IsOk());
  REQUIRE(write(raw, bytes, static_cast<size_t>(size)) == size);
  CHECK_THAT(coordinator.Await(absl::Seconds(5)),
             StatusIs(StatusCode::kPermissionDenied, ""));
}

TEST_CASE("vet channel: refuses its own packet sent back", "[vet]") {
  Ends ends;
  const int raw = ends.b.get();
  Channel coordinator(std::move(ends.a), Channel::Side::kCoordinator, "key");
  REQUIRE_THAT(coordinator.Send(Hello(1)), IsOk());
  char bytes[512];
  const ssize_t size = read(raw, bytes, sizeof bytes);
  REQUIRE(write(raw, bytes, static_cast<size_t>(size)) == size);
  CHECK_THAT(coordinator.Await(absl::Seconds(5)),
             StatusIs(StatusCode::kPermissionDenied, ""));
}

TEST_CASE("vet channel: refuses a packet that claims to be huge", "[vet]") {
  Ends ends;
  const int raw = ends.b.get();
  Channel coordinator(std::move(ends.a), Channel::Side::kCoordinator, "key");
  const std::string bytes(64, '\xff');
  REQUIRE(write(raw, bytes.data(), bytes.size()) == 64);
  CHECK_THAT(coordinator.Await(absl::Seconds(5)),
             StatusIs(StatusCode::kInvalidArgument, "expected at most"));
}

TEST_CASE("vet channel: delivers packets before the end", "[vet]") {
  Ends ends;
  Channel coordinator(std::move(ends.a), Channel::Side::kCoordinator, "key");
  {
    Channel worker(std::move(ends.b), Channel::Side::kWorker, "key");
    REQUIRE_THAT(worker.Send(Hello(1)), IsOk());
    REQUIRE_THAT(worker.Send(Hello(2)), IsOk());
  }
  CHECK(coordinator.Await(absl::Seconds(5))->hello().rank() == 1);
  CHECK(coordinator.Await(absl::Seconds(5))->hello().rank() == 2);
  CHECK_THAT(coordinator.Await(absl::Seconds(5)),
             StatusIs(StatusCode::kUnavailable, "closed"));
}

// A coordinator of two nodes with a secret.
struct Listening {
  Listening() {
    auto fd = ListenEverywhere(0);
    REQUIRE_THAT(fd, IsOk());
    port = *PortOf(fd->get());
    connections.emplace(2, identity, *std::move(fd));
  }
  RunIdentity identity{"7.0", "secret"};
  int port = 0;
  std::optional<NodeConnections> connections;
};

TEST_CASE("vet handshake: another secret or run is not admitted", "[vet]") {
  Listening listening;
  for (const RunIdentity& wrong :
       {RunIdentity{"7.0", "guess"}, RunIdentity{"8.0", "secret"}}) {
    absl::Status end;
    std::thread stranger([&] {
      auto channel = ConnectToCoordinator({{"127.0.0.1", listening.port}},
                                          wrong, absl::Seconds(5));
      if (!channel.ok()) return;
      (void)channel->Send(Hello(0));
      end = channel->Await(absl::Seconds(5)).status();
    });
    CHECK_FALSE(listening.connections->Next(absl::Now() + absl::Seconds(1)));
    stranger.join();
    // closed without a word
    CHECK_THAT(end, StatusIs(StatusCode::kUnavailable, "closed"));
    CHECK_FALSE(listening.connections->is_connected(0));
  }
}

TEST_CASE("vet handshake: silence holds nothing up, nor a rank taken twice",
          "[vet]") {
  Listening listening;
  const auto silent =
      ConnectTcp("127.0.0.1", listening.port, absl::Now() + absl::Seconds(5));
  REQUIRE_THAT(silent, IsOk());
  std::vector<Channel> admitted;
  std::vector<absl::Status> sent;
  std::thread workers([&] {
    for (const uint32_t rank : {1, 1, 5}) {
      auto channel = ConnectToCoordinator({{"127.0.0.1", listening.port}},
                                          listening.identity, absl::Seconds(5));
      if (!channel.ok()) return;
      sent.push_back(channel->Send(Hello(rank)));
      admitted.push_back(*std::move(channel));
    }
  });
  const auto event =
      listening.connections->Next(absl::Now() + absl::Seconds(5));
  REQUIRE(event.has_value());
  CHECK(event->node == 1);
  // the second worker of rank 1, and a rank that is not there
  CHECK_FALSE(listening.connections->Next(absl::Now() + absl::Seconds(1)));
  workers.join();
  REQUIRE(sent.size() == 3);
  CHECK(listening.connections->is_connected(1));
  CHECK_FALSE(listening.connections->is_connected(0));
}

}  // namespace
}  // namespace carme::vet
