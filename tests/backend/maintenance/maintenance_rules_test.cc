#include "backend/maintenance/maintenance_rules.h"

#include <catch2/catch.hpp>
#include <functional>
#include <string>

#include "tests/support/status_matchers.h"

namespace carme::backend {
namespace {

const absl::Time kNow = absl::FromUnixSeconds(1'800'000'000);

MaintenanceRequest TwoHours() {
  return {.message = "New storage", .ends_at = kNow + absl::Hours(2)};
}

absl::Status ErrorOf(const std::function<void(MaintenanceRequest*)>& change) {
  MaintenanceRequest request = TwoHours();
  change(&request);
  return CheckMaintenance(request, std::nullopt, kNow).status();
}

TEST_CASE("maintenance rules: refuse a missing or unprintable message",
          "[backend]") {
  for (const std::string& message :
       {std::string(), std::string("  "), std::string(501, 'x'),
        std::string("a\nb"), std::string("\xff")}) {
    CHECK_THAT(ErrorOf([&](auto* r) { r->message = message; }),
               StatusIs(absl::StatusCode::kInvalidArgument, "message"));
  }
  CHECK_THAT(ErrorOf([](auto* r) { r->message = std::string(500, 'x'); }),
             IsOk());
}

TEST_CASE("maintenance rules: refuse times in the past and far ahead",
          "[backend]") {
  constexpr auto kInvalid = absl::StatusCode::kInvalidArgument;
  CHECK_THAT(ErrorOf([](auto* r) { r->ends_at = kNow; }),
             StatusIs(kInvalid, "endsAt"));
  CHECK_THAT(ErrorOf([](auto* r) { r->starts_at = r->ends_at; }),
             StatusIs(kInvalid, "endsAt"));
  CHECK_THAT(
      ErrorOf([](auto* r) { r->ends_at = kNow + absl::Hours(24 * 366); }),
      StatusIs(kInvalid, "endsAt"));
  CHECK_THAT(ErrorOf([](auto* r) { r->starts_at = kNow - absl::Minutes(6); }),
             StatusIs(kInvalid, "startsAt"));
  CHECK_THAT(ErrorOf([](auto* r) {
               r->starts_at = kNow + absl::Hours(24 * 366);
               r->ends_at = *r->starts_at + absl::Hours(1);
             }),
             StatusIs(kInvalid, "startsAt"));
}

TEST_CASE("maintenance rules: refuse nodes without a reservation",
          "[backend]") {
  constexpr auto kInvalid = absl::StatusCode::kInvalidArgument;
  CHECK_THAT(ErrorOf([](auto* r) { r->partition = "main"; }),
             StatusIs(kInvalid, "reserve"));
  CHECK_THAT(ErrorOf([](auto* r) { r->nodes = "n1"; }),
             StatusIs(kInvalid, "reserve"));
  CHECK_THAT(ErrorOf([](auto* r) {
               r->reserve = true;
               r->partition = "main";
               r->nodes = "n1";
             }),
             StatusIs(kInvalid, "exclude each other"));
}

TEST_CASE("maintenance rules: a changed maintenance keeps its start",
          "[backend]") {
  const auto first = CheckMaintenance(TwoHours(), std::nullopt, kNow);
  REQUIRE_THAT(first, IsOk());
  CHECK(first->starts_at == kNow);
  MaintenanceRequest later = TwoHours();
  later.ends_at = kNow + absl::Hours(4);
  const absl::Time then = kNow + absl::Hours(1);
  const auto second = CheckMaintenance(later, *first, then);
  REQUIRE_THAT(second, IsOk());
  CHECK(second->starts_at == kNow);
  later.starts_at = kNow;  // the same start, although it has passed
  CHECK_THAT(CheckMaintenance(later, *first, then), IsOk());
  CHECK_FALSE(CheckMaintenance(later, std::nullopt, then).ok());
}

TEST_CASE("maintenance rules: it lasts until it is ended", "[backend]") {
  MaintenanceWindow window{.message = "New storage",
                           .starts_at = kNow,
                           .ends_at = kNow + absl::Hours(2)};
  CHECK_FALSE(IsInEffect(window, kNow - absl::Seconds(1)));
  CHECK(IsInEffect(window, kNow));
  CHECK(IsInEffect(window, kNow + absl::Hours(3)));
  CHECK_THAT(RefusalDuring(window, kNow + absl::Hours(3)).message.text,
             Catch::Contains("longer than expected"));
  CHECK(ReservationFor(window, "x").duration == absl::InfiniteDuration());
  window.auto_end = true;
  CHECK(IsInEffect(window, kNow + absl::Minutes(119)));
  CHECK_FALSE(IsInEffect(window, kNow + absl::Hours(2)));
  CHECK(ReservationFor(window, "x").duration == absl::Hours(2));
}

TEST_CASE("maintenance rules: the refusal has the message and the end",
          "[backend]") {
  const Violation refusal =
      RefusalDuring({.message = "New storage",
                     .starts_at = kNow,
                     .ends_at = absl::FromUnixSeconds(1'800'007'200)},
                    kNow);
  CHECK(refusal.message.code == "MAINTENANCE_NO_JOBS");
  CHECK(refusal.message.text ==
        "no new jobs during maintenance, until 2027-01-15 10:00 UTC: New "
        "storage");
  CHECK(refusal.value == "2027-01-15T10:00:00Z");
  CHECK_THAT(StatusOf({refusal}),
             StatusIs(absl::StatusCode::kFailedPrecondition));
}

}  // namespace
}  // namespace carme::backend
