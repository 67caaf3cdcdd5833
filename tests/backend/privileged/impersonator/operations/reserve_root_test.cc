// Reservations for users, made as SlurmUser, on a real Slurm.
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <functional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "backend/privileged/protocol/frame_io.h"
#include "tests/backend/privileged/impersonator_process.h"
#include "tests/backend/privileged/valid_request.h"
#include "tests/support/status_matchers.h"

namespace carme::impersonator {
namespace {

using privileged::v1::OUTCOME_NOT_FOUND;
using privileged::v1::OUTCOME_OK;
using privileged::v1::OUTCOME_REFUSED;
using privileged::v1::OUTCOME_SLURM_REFUSED;
using privileged::v1::OUTCOME_UNAVAILABLE;
using privileged::v1::Request;
using privileged::v1::Reserve;
using privileged::v1::Response;

constexpr char kOffered[] =
    "[reservations]\n"
    "partitions = [\"main\"]\n"
    "max_nodes = 2\n"
    "max_minutes = 120\n"
    "max_days_ahead = 30\n"
    "max_per_user = 2\n";

std::string Reservations() {
  return OutputOf("scontrol -o show reservation 2>&1");
}

// Those that were made here; others of the cluster's are none of ours.
struct EndReservations {
  ~EndReservations() {
    OutputOf(
        "scontrol -o show res | sed -n 's/^ReservationName=\\(carme-[^ ]*\\) "
        ".*/\\1/p'"
        " | xargs -r -n 1 scontrol delete reservation 2>&1");
  }
};

// Tomorrow, for an hour.
Request ReserveForUsers(const std::function<void(Reserve*)>& change = nullptr) {
  Request request = ValidReserve();
  request.mutable_reserve()->set_start_unix_s(
      absl::ToUnixSeconds(absl::Now() + absl::Hours(24)));
  if (change) change(request.mutable_reserve());
  return request;
}

void SetUser(Request* request, const std::string& user, uint32_t uid) {
  request->set_user(user);
  request->set_uid(uid);
}

TEST_CASE("reserve: is disabled by default", "[backend]") {
  const ImpersonatorProcess impersonator;
  for (const Request& request : {ReserveForUsers(), ValidUnreserve()}) {
    const Response response = impersonator.Ask(request);
    CHECK(response.outcome() == OUTCOME_REFUSED);
    CHECK_THAT(response.message(), Catch::Contains("offers no operation"));
  }
  CHECK_THAT(Reservations(), !Catch::Contains("carme-"));
}

TEST_CASE("reserve: refuses users outside the group", "[backend]") {
  const EndReservations end;
  const ImpersonatorProcess impersonator(std::string(kOffered) +
                                         "group = \"daemon\"\n");
  const Response response = impersonator.Ask(ReserveForUsers());
  CHECK(response.outcome() == OUTCOME_REFUSED);
  CHECK_THAT(response.message(), Catch::Contains("not in group \"daemon\""));
  CHECK_THAT(Reservations(), !Catch::Contains("carme-"));
}

TEST_CASE("reserve: enforces the configured limits", "[backend]") {
  const EndReservations end;
  const ImpersonatorProcess impersonator(kOffered);
  const auto refusal = [&](const Request& request) {
    const Response response = impersonator.Ask(request);
    CHECK(response.outcome() == OUTCOME_REFUSED);
    return response.message();
  };
  const auto beyond = [&](const std::function<void(Reserve*)>& change) {
    return refusal(ReserveForUsers(change));
  };
  CHECK_THAT(beyond([](Reserve* r) { r->set_partition("debug"); }),
             Catch::Contains("expected one of main"));
  CHECK_THAT(beyond([](Reserve* r) { r->set_nodes(3); }),
             Catch::Contains("at most 2"));
  CHECK_THAT(beyond([](Reserve* r) { r->set_minutes(121); }),
             Catch::Contains("at most 120"));
  CHECK_THAT(beyond([](Reserve* r) { r->set_start_unix_s(1000000000); }),
             Catch::Contains("past"));
  CHECK_THAT(beyond([](Reserve* r) {
               r->set_start_unix_s(r->start_unix_s() + 31 * 86400);
             }),
             Catch::Contains("more than 30 days"));
  // It would be bob's.
  CHECK_THAT(beyond([](Reserve* r) { r->set_users(0, "bob"); }),
             Catch::Contains("expected \"ada\""));
  for (const auto& [user, uid] : {std::pair<std::string, uint32_t>{"root", 0},
                                  {"eve", 20004},
                                  {"slurm", 64030}}) {
    Request request = ReserveForUsers();
    SetUser(&request, user, uid);
    refusal(request);
  }
  CHECK_THAT(Reservations(), !Catch::Contains("carme-"));
}

TEST_CASE("reserve: creates one once; only its owner can delete it",
          "[backend]") {
  const EndReservations end;
  const ImpersonatorProcess impersonator(kOffered);
  const Request original = ReserveForUsers();
  for (int times = 0; times < 2; ++times) {
    const Response response = impersonator.Ask(original);
    INFO(response.message());
    CHECK(response.outcome() == OUTCOME_OK);
  }
  const std::string made = Reservations();
  CHECK_THAT(made, Catch::Contains("carme-abcdefghijklmno1") &&
                       Catch::Contains("Users=ada,bob") &&
                       Catch::Contains("NodeCnt=1") &&
                       Catch::Contains("Duration=01:00:00") &&
                       Catch::Contains("PartitionName=main"));
  CHECK(std::count(made.begin(), made.end(), '\n') == 1);
  CHECK_THAT(
      impersonator.AuditLines().back(),
      Catch::Contains("user=ada uid=20001 as=slurm_user operation=reserve "
                      "object=carme-abcdefghijklmno1/main/1/"));

  // Others come and commit; whose it is stays, and so does all else.
  Request fewer = original;
  fewer.mutable_reserve()->clear_users();
  fewer.mutable_reserve()->add_users("ada");
  fewer.mutable_reserve()->set_nodes(2);
  CHECK(impersonator.Ask(fewer).outcome() == OUTCOME_OK);
  CHECK_THAT(Reservations(),
             Catch::Contains("Users=ada ") && Catch::Contains("NodeCnt=1"));

  // Both nodes at that time, of which one is taken: Slurm refuses.
  const Response conflict =
      impersonator.Ask(ReserveForUsers([](Reserve* reserve) {
        reserve->set_name("carme-abcdefghijklmno2");
        reserve->set_nodes(2);
      }));
  CHECK(conflict.outcome() == OUTCOME_SLURM_REFUSED);

  Request foreign = ValidUnreserve();
  SetUser(&foreign, "bob", 20002);
  CHECK(impersonator.Ask(foreign).outcome() == OUTCOME_REFUSED);
  CHECK_THAT(Reservations(), Catch::Contains("carme-abcdefghijklmno1"));

  for (int times = 0; times < 2; ++times) {
    CHECK(impersonator.Ask(ValidUnreserve()).outcome() == OUTCOME_OK);
    CHECK_THAT(Reservations(), !Catch::Contains("carme-"));
  }
}

TEST_CASE("reserve: limits the reservations of a user", "[backend]") {
  const EndReservations end;
  const ImpersonatorProcess impersonator(kOffered);
  for (const char last : {'1', '2', '3'}) {
    const Response response =
        impersonator.Ask(ReserveForUsers([&](Reserve* reserve) {
          reserve->set_name(
              absl::StrCat("carme-abcdefghijklmno", std::string(1, last)));
          reserve->set_start_unix_s(reserve->start_unix_s() +
                                    7200 * (last - '0'));
        }));
    INFO(response.message());
    CHECK(response.outcome() == (last == '3' ? OUTCOME_REFUSED : OUTCOME_OK));
  }
}

TEST_CASE("reserve: limits concurrent requests of a user", "[backend]") {
  const EndReservations end;
  const ImpersonatorProcess impersonator(kOffered,
                                         {.preload = CARME_SLOW_RESERVATION});
  std::vector<UniqueFd> asked;
  for (char last = '1'; last <= '8'; ++last) {
    const std::string bytes = BytesOf(ReserveForUsers([&](Reserve* reserve) {
      reserve->set_name(
          absl::StrCat("carme-abcdefghijklmno", std::string(1, last)));
      reserve->set_start_unix_s(reserve->start_unix_s() + 7200 * (last - '0'));
    }));
    asked.push_back(impersonator.Connect());
    REQUIRE(write(asked.back().get(), bytes.data(), bytes.size()) ==
            static_cast<ssize_t>(bytes.size()));
  }
  int made = 0;
  for (const UniqueFd& fd : asked) {
    const auto answer = ReadFrame(fd.get(), absl::Now() + testing::kWaitTimeout,
                                  kMaxResponseBytes);
    REQUIRE_THAT(answer, IsOk());
    Response response;
    REQUIRE(response.ParseFromString(*answer));
    made += response.outcome() == OUTCOME_OK ? 1 : 0;
  }
  CHECK(made >= 1);
  CHECK(made <= 2);
  CHECK(OutputOf("scontrol -o show res | grep -c '=carme-'") ==
        absl::StrCat(made, "\n"));
}

TEST_CASE("reserve: users_only creates no reservation", "[backend]") {
  const EndReservations end;
  const ImpersonatorProcess impersonator(kOffered);
  const Request change =
      ReserveForUsers([](Reserve* reserve) { reserve->set_users_only(true); });
  CHECK(impersonator.Ask(change).outcome() == OUTCOME_NOT_FOUND);
  CHECK_THAT(impersonator.AuditLines().back(),
             Catch::Contains("object=carme-abcdefghijklmno1/users/2 ") &&
                 Catch::Contains("result=not_found"));
  CHECK_THAT(Reservations(), !Catch::Contains("carme-"));
  REQUIRE(impersonator.Ask(ReserveForUsers()).outcome() == OUTCOME_OK);
  Request fewer = change;
  fewer.mutable_reserve()->mutable_users()->RemoveLast();
  CHECK(impersonator.Ask(fewer).outcome() == OUTCOME_OK);
  CHECK_THAT(Reservations(), Catch::Contains("Users=ada "));
}

TEST_CASE("reserve: a missing group does not prevent deletion", "[backend]") {
  const EndReservations end;
  const ImpersonatorProcess impersonator(std::string(kOffered) +
                                         "group = \"nosuchgroup\"\n");
  const Response refused = impersonator.Ask(ReserveForUsers());
  CHECK(refused.outcome() == OUTCOME_UNAVAILABLE);
  CHECK_THAT(refused.message(), Catch::Contains("nosuchgroup"));
  CHECK_THAT(Reservations(), !Catch::Contains("carme-"));
  REQUIRE_THAT(
      OutputOf("scontrol create reservation reservationname=carme-"
               "abcdefghijklmno1 starttime=now+1day duration=60 nodecnt=1 "
               "users=ada,bob 2>&1"),
      Catch::Contains("created"));
  CHECK(impersonator.Ask(ValidUnreserve()).outcome() == OUTCOME_OK);
  CHECK_THAT(Reservations(), !Catch::Contains("carme-"));
}

TEST_CASE("reserve: does not delete an administrator's reservation",
          "[backend]") {
  const EndReservations end;
  const ImpersonatorProcess impersonator(kOffered);
  REQUIRE_THAT(
      OutputOf("scontrol create reservation reservationname=carme-"
               "abcdefghijklmno1 starttime=now+1day duration=60 nodecnt=1 "
               "users=bob,ada 2>&1"),
      Catch::Contains("created"));
  CHECK(impersonator.Ask(ValidUnreserve()).outcome() == OUTCOME_REFUSED);
  CHECK(impersonator.Ask(ReserveForUsers()).outcome() == OUTCOME_REFUSED);
  CHECK_THAT(Reservations(), Catch::Contains("Users=bob,ada"));
}

Request ReserveNodesForMaintenance() {
  Request request = ValidReserveForMaintenance();
  request.mutable_reserve_for_maintenance()->set_start_unix_s(
      absl::ToUnixSeconds(absl::Now() + absl::Hours(24)));
  return request;
}

TEST_CASE("maintenance reservation: refuses users outside the group",
          "[backend]") {
  const EndReservations end;
  const ImpersonatorProcess without(kOffered);
  const Response disabled = without.Ask(ReserveNodesForMaintenance());
  CHECK(disabled.outcome() == OUTCOME_REFUSED);
  CHECK_THAT(disabled.message(), Catch::Contains("[maintenance]"));
  const ImpersonatorProcess with("[maintenance]\ngroup = \"daemon\"\n");
  const Response other = with.Ask(ReserveNodesForMaintenance());
  CHECK(other.outcome() == OUTCOME_REFUSED);
  CHECK_THAT(other.message(), Catch::Contains("not in group \"daemon\""));
  const ImpersonatorProcess missing("[maintenance]\ngroup = \"nosuchgroup\"\n");
  CHECK(missing.Ask(ReserveNodesForMaintenance()).outcome() ==
        OUTCOME_UNAVAILABLE);
  CHECK_THAT(Reservations(), !Catch::Contains("carme-"));
}

TEST_CASE("maintenance reservation: is created once, and its owner deletes it",
          "[backend]") {
  const EndReservations end;
  const ImpersonatorProcess impersonator(
      "[maintenance]\ngroup = \"carme-users\"\n");
  // Reservations for users stay disabled.
  CHECK(impersonator.Ask(ReserveForUsers()).outcome() == OUTCOME_REFUSED);
  for (int times = 0; times < 2; ++times) {
    const Response response = impersonator.Ask(ReserveNodesForMaintenance());
    INFO(response.message());
    CHECK(response.outcome() == OUTCOME_OK);
  }
  CHECK_THAT(Reservations(), Catch::Contains("carme-abcdefghijklmno1") &&
                                 Catch::Contains("Users=ada ") &&
                                 Catch::Contains("MAINT") &&
                                 Catch::Contains("IGNORE_JOBS"));
  CHECK_THAT(impersonator.AuditLines().back(),
             Catch::Contains("as=slurm_user operation=reserve_for_maintenance "
                             "object=carme-abcdefghijklmno1/-/"));
  Request foreign = ValidUnreserve();
  SetUser(&foreign, "bob", 20002);
  CHECK(impersonator.Ask(foreign).outcome() == OUTCOME_REFUSED);
  CHECK(impersonator.Ask(ValidUnreserve()).outcome() == OUTCOME_OK);
  CHECK_THAT(Reservations(), !Catch::Contains("carme-"));
}

TEST_CASE("maintenance reservation: reserves a partition or named nodes",
          "[backend]") {
  const EndReservations end;
  const ImpersonatorProcess impersonator(
      "[maintenance]\ngroup = \"carme-users\"\n");
  Request unknown = ReserveNodesForMaintenance();
  unknown.mutable_reserve_for_maintenance()->set_nodes("nosuchnode");
  CHECK(impersonator.Ask(unknown).outcome() == OUTCOME_SLURM_REFUSED);
  Request partition = ReserveNodesForMaintenance();
  partition.mutable_reserve_for_maintenance()->set_partition("main");
  partition.mutable_reserve_for_maintenance()->set_minutes(60);
  const Response response = impersonator.Ask(partition);
  INFO(response.message());
  CHECK(response.outcome() == OUTCOME_OK);
  CHECK_THAT(Reservations(), Catch::Contains("PartitionName=main") &&
                                 Catch::Contains("PART_NODES") &&
                                 Catch::Contains("Duration=01:00:00"));
}

}  // namespace
}  // namespace carme::impersonator
