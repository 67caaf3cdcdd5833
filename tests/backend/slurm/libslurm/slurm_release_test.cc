#include "backend/slurm/libslurm/slurm_release.h"

#include <catch2/catch.hpp>
#include <string>

#include "backend/slurm/libslurm/libslurm.h"
#include "backend/slurm/libslurm/slurmctld_release.h"

namespace carme {
namespace {

constexpr SlurmRelease k2205 = {22, 5};
constexpr SlurmRelease k2411 = {24, 11};

// A message of slurmctld: its length, and the number of its release.
std::string HeadOf(int protocol, char length = 60) {
  return {0, 0, 0, length, static_cast<char>(protocol), 0};
}

TEST_CASE("slurm release: an invalid version has no release", "[backend]") {
  for (const char* text : {"", "24", "24.", "24.13", "24.0", "x.y", "1.11"}) {
    CHECK_FALSE(ParseSlurmRelease(text).has_value());
  }
}

TEST_CASE("slurm release: is read from versions of programs and packages",
          "[backend]") {
  for (const char* text : {"24.11", "24.11.5", "24.11.5-4+deb13u1"}) {
    CHECK(ParseSlurmRelease(text) == k2411);
  }
  CHECK(ParseSlurmRelease("22.05.8") == k2205);
  CHECK(ToText(k2205) == "22.05");
}

TEST_CASE("slurm release: derived from the number in Slurm's messages",
          "[backend]") {
  CHECK(ReleaseOfProtocol(38) == k2205);
  CHECK(ReleaseOfProtocol(40) == SlurmRelease{23, 11});
  CHECK(ReleaseOfProtocol(42) == k2411);
  CHECK(ReleaseOfProtocol(45) == SlurmRelease{26, 5});
  for (int protocol = 36; protocol < 60; ++protocol) {
    CHECK(ProtocolOf(ReleaseOfProtocol(protocol).value()) == protocol);
  }
  CHECK_FALSE(ReleaseOfProtocol(35).has_value());
  CHECK_FALSE(ProtocolOf({24, 10}).has_value());
  CHECK_FALSE(ProtocolOf({19, 5}).has_value());
}

TEST_CASE("slurm release: a newer libslurm does not work with slurmctld",
          "[backend]") {
  CHECK_FALSE(WorksWith(k2411, k2205));
  CHECK_FALSE(WorksWith(k2411, {24, 5}));
  CHECK_FALSE(WorksWith({26, 5}, {25, 11}));
}

TEST_CASE(
    "slurm release: libslurm works with two newer releases of slurmctld, or "
    "three from 24.11 on",
    "[backend]") {
  CHECK(WorksWith(k2205, k2205));
  CHECK(WorksWith(k2205, {23, 11}));
  CHECK_FALSE(WorksWith(k2205, {24, 5}));
  CHECK_FALSE(WorksWith(k2205, k2411));
  CHECK(WorksWith({23, 2}, k2411));
  CHECK(WorksWith(k2411, {26, 5}));
  CHECK_FALSE(WorksWith(k2411, {26, 11}));
}

TEST_CASE("slurm release: a mismatch names both versions and the remedy",
          "[backend]") {
  const std::string text = MismatchText("22.05.8", k2411);
  CHECK_THAT(text, Catch::Contains("slurmctld 24.11") &&
                       Catch::Contains("libslurm 22.05.8") &&
                       Catch::Contains("install"));
  CHECK(text.find('\n') == std::string::npos);
  CHECK_THAT(MismatchText("24.11.5", {}),
             Catch::Contains("libslurm 24.11.5") && Catch::Contains("older"));
}

TEST_CASE("slurm release: garbage is not slurmctld's response", "[backend]") {
  CHECK_FALSE(ReleaseOfMessage("").has_value());
  CHECK_FALSE(ReleaseOfMessage(HeadOf(42).substr(0, 5)).has_value());
  CHECK_FALSE(ReleaseOfMessage(HeadOf(42, 0)).has_value());
  CHECK_FALSE(ReleaseOfMessage("HTTP/1.1 400").has_value());
  CHECK_FALSE(ReleaseOfMessage(HeadOf(3)).has_value());
}

TEST_CASE("slurm release: is read from the head of slurmctld's response",
          "[backend]") {
  CHECK(ReleaseOfMessage(HeadOf(42)) == k2411);
  CHECK(ReleaseOfMessage(HeadOf(45) + "more") == SlurmRelease{26, 5});
}

TEST_CASE("slurm release: the loaded library is of the release of the headers",
          "[backend]") {
  const auto built = ParseSlurmRelease(BuiltWithLibslurm());
  REQUIRE(built.has_value());
  CHECK(LoadedLibslurm() == ToText(*built));
  CHECK(WorksWith(*built, *built));
  CHECK_THAT(LibslurmVersionText(),
             Catch::StartsWith("libslurm " + LoadedLibslurm()) &&
                 Catch::Contains(BuiltWithLibslurm()));
}

TEST_CASE("slurm release: a mismatch is an outage, not a refusal of the job",
          "[backend]") {
  CHECK(FailureOf(SLURM_PROTOCOL_VERSION_ERROR) == SlurmFailure::kUnreachable);
  for (const int error : {SLURM_ERROR, int{SLURM_PROTOCOL_VERSION_ERROR},
                          int{SLURM_PROTOCOL_SOCKET_ZERO_BYTES_SENT}}) {
    CHECK(MayBeReleaseMismatch(error));
  }
  CHECK_FALSE(MayBeReleaseMismatch(SLURMCTLD_COMMUNICATIONS_CONNECTION_ERROR));
}

}  // namespace
}  // namespace carme
