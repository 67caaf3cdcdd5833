#include "slurm-hooks/mount/system/child_work.h"

#include <unistd.h>

#include <catch2/catch.hpp>
#include <string>

namespace carme::mount {
namespace {

constexpr int kEnough = 60;

TEST_CASE("child: abandons work that hangs", "[edf]") {
  const auto hang = []() -> absl::StatusOr<std::string> {
    while (true) pause();
  };
  CHECK(RunInChild(Deadline(1), "too late", hang).status() ==
        absl::DeadlineExceededError("too late"));
}

TEST_CASE("child: an early exit is an error", "[edf]") {
  const auto end = []() -> absl::StatusOr<std::string> { _exit(0); };
  CHECK_FALSE(RunInChild(Deadline(kEnough), "late", end).ok());
}

TEST_CASE("child: returns results and errors", "[edf]") {
  const auto act = []() -> absl::StatusOr<std::string> {
    return std::string("a\0b", 3);
  };
  CHECK(*RunInChild(Deadline(kEnough), "late", act) == std::string("a\0b", 3));
  const auto fail = []() -> absl::StatusOr<std::string> {
    return absl::NotFoundError("no such thing");
  };
  CHECK(RunInChild(Deadline(kEnough), "late", fail).status().message() ==
        "no such thing");
}

}  // namespace
}  // namespace carme::mount
