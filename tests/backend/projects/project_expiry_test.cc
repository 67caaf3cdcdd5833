#include "backend/projects/project_expiry.h"

#include <catch2/catch.hpp>
#include <vector>

namespace carme::backend {
namespace {

const absl::Time kEnd = absl::FromUnixSeconds(1'800'000'000);

Project Ending(int announced_days = 0) {
  return {.state = v1::PROJECT_STATE_ACTIVE,
          .expires_at = kEnd,
          .announced_days = announced_days};
}

int Due(double days_left, int announced_days = 0) {
  return DueAnnouncement(Ending(announced_days),
                         kEnd - absl::Hours(24 * days_left));
}

TEST_CASE(
    "project expiry: nothing is announced too early, after the end, or "
    "of one that does not run",
    "[backend]") {
  CHECK(Due(31) == 0);
  CHECK(Due(0) == 0);
  CHECK(Due(-1) == 0);
  for (const ProjectState state :
       {v1::PROJECT_STATE_REQUESTED, v1::PROJECT_STATE_EXPIRED,
        v1::PROJECT_STATE_CLOSED}) {
    Project project = Ending();
    project.state = state;
    CHECK(DueAnnouncement(project, kEnd - absl::Hours(1)) == 0);
  }
  Project endless = Ending();
  endless.expires_at.reset();
  CHECK(DueAnnouncement(endless, kEnd) == 0);
}

TEST_CASE(
    "project expiry: each announcement is made once, the last of those "
    "that were missed",
    "[backend]") {
  CHECK(Due(30) == 30);
  CHECK(Due(8) == 30);
  CHECK(Due(8, 30) == 0);
  CHECK(Due(7, 30) == 7);
  CHECK(Due(5, 7) == 0);
  CHECK(Due(5) == 7);
  CHECK(Due(0.5) == 1);
  CHECK(Due(0.5, 30) == 1);
  CHECK(Due(0.5, 1) == 0);
}

TEST_CASE("project expiry: the end counts from its very moment", "[backend]") {
  const Project project = Ending();
  CHECK(StateAt(project, kEnd - absl::Microseconds(1)) ==
        v1::PROJECT_STATE_ACTIVE);
  CHECK(StateAt(project, kEnd) == v1::PROJECT_STATE_EXPIRED);
  Project closed = project;
  closed.state = v1::PROJECT_STATE_CLOSED;
  CHECK(StateAt(closed, kEnd) == v1::PROJECT_STATE_CLOSED);
}

}  // namespace
}  // namespace carme::backend
