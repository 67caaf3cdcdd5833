#include "slurm-hooks/mount/plan/plan.h"

#include <fcntl.h>

#include <catch2/catch.hpp>
#include <utility>

#include "tests/support/status_matchers.h"

namespace carme::mount {
namespace {

node::Packet Packet(std::string bytes, int descriptors = 0) {
  node::Packet packet;
  packet.bytes = std::move(bytes);
  for (int i = 0; i < descriptors; ++i) {
    packet.descriptors.emplace_back(open("/dev/null", O_RDONLY | O_CLOEXEC));
  }
  return packet;
}

TEST_CASE("plan: refuses packets that the plan sender never sends", "[edf]") {
  const std::string zero(1, '\0');
  for (const std::string& bytes :
       {std::string(), zero, std::string("I"), "I/a" + zero,
        "I/a" + zero + "link" + zero, std::string("I/a"), "?/a" + zero,
        "M/a" + zero + "/b" + zero, "M/a" + zero + "/b" + zero + "z" + zero,
        "W" + zero + "wr" + zero, "W" + zero + "rw" + zero, "V" + zero,
        "V=a" + zero, DevicePacket("/etc/passwd"),
        DevicePacket("/dev/../etc/x"), DevicePacket("/dev/")}) {
    for (const int descriptors : {0, 1}) {
      MountPlan plan;
      CHECK_FALSE(AddToPlan(Packet(bytes, descriptors), &plan).ok());
    }
  }
}

TEST_CASE("plan: refuses descriptors that are missing or too many", "[edf]") {
  MountPlan plan;
  CHECK_FALSE(AddToPlan(Packet(ImagePacket("/a", true), 0), &plan).ok());
  CHECK_FALSE(AddToPlan(Packet(ImagePacket("/a", true), 2), &plan).ok());
  CHECK_FALSE(AddToPlan(Packet(VariablePacket("A=1"), 1), &plan).ok());
}

TEST_CASE("plan: has one image, and an end", "[edf]") {
  MountPlan plan;
  CHECK_FALSE(AddToPlan(Packet(RestPacket("", true)), &plan).ok());
  REQUIRE_THAT(AddToPlan(Packet(ImagePacket("/a", true), 1), &plan), IsOk());
  CHECK_FALSE(AddToPlan(Packet(ImagePacket("/a", true), 1), &plan).ok());
  CHECK_FALSE(AddToPlan(Packet(RestPacket("a", true)), &plan).ok());
  CHECK_FALSE(AddToPlan(Packet(RestPacket("/../a", true)), &plan).ok());
  REQUIRE_THAT(AddToPlan(Packet(RestPacket("/a", false)), &plan), IsOk());
  CHECK(plan.whole);
  CHECK(plan.workdir == "/a");
  CHECK_FALSE(plan.writable);
  CHECK_FALSE(AddToPlan(Packet(VariablePacket("A=1")), &plan).ok());
}

TEST_CASE("plan: returns the text of a refusal", "[edf]") {
  MountPlan plan;
  CHECK(AddToPlan(Packet(RefusalPacket("no")), &plan) ==
        absl::FailedPreconditionError("no"));
}

TEST_CASE("plan: accepts mounts with their flags", "[edf]") {
  MountPlan plan;
  REQUIRE_THAT(AddToPlan(Packet(MountPacket({.source = {},
                                             .source_path = "/a",
                                             .destination = "/b",
                                             .read_only = true,
                                             .no_exec = true,
                                             .slave = true,
                                             .squashfs = true}),
                                1),
                         &plan),
               IsOk());
  const PlannedMount& mount = plan.mounts.at(0);
  CHECK(mount.source_path == "/a");
  CHECK(mount.destination == "/b");
  CHECK((mount.read_only && mount.no_exec && mount.slave && mount.squashfs));
  CHECK(mount.source.valid());
}

TEST_CASE("plan: a destination is a place of the image's", "[edf]") {
  for (const char* path : {"", "a", "/", "//", "/a/..", "/../a", "/proc",
                           "/proc/x", "/sys", "/dev/shm", "/dev"}) {
    INFO(path);
    CHECK_FALSE(CheckDestination(path).ok());
  }
  CHECK_FALSE(CheckDestination("/" + std::string(5000, 'a')).ok());
  for (const char* path : {"/a", "/process", "/devices", "/a/proc", "/etc"}) {
    INFO(path);
    CHECK_THAT(CheckDestination(path), IsOk());
  }
}

}  // namespace
}  // namespace carme::mount
