// Reservations of a real Slurm that does not show all of them.
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdio>
#include <memory>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "backend/slurm/query/slurm_query.h"
#include "common/file.h"
#include "tests/support/status_matchers.h"
#include "tests/support/wait_for.h"

namespace carme::backend {
namespace {

std::string OutputOf(const std::string& command) {
  FILE* pipe = popen(command.c_str(), "r");
  REQUIRE(pipe != nullptr);
  std::string output;
  char buffer[4096];
  while (const size_t got = fread(buffer, 1, sizeof buffer, pipe)) {
    output.append(buffer, got);
  }
  pclose(pipe);
  return output;
}

// slurmctld with one more line in its slurm.conf, for a while.
class MoreOfSlurmConf {
 public:
  explicit MoreOfSlurmConf(const std::string& line)
      : before_(ReadFile(kPath).value()) {
    Use(before_ + line);
  }
  ~MoreOfSlurmConf() { Use(before_); }

 private:
  static constexpr char kPath[] = "/etc/slurm/slurm.conf";
  static void Use(const std::string& text) {
    CHECK_THAT(WriteFile(kPath, text, 0644), IsOk());
    OutputOf("scontrol reconfigure 2>&1");
  }
  const std::string before_;
};

// bob's view: one of ten polls queries reservations.
SlurmFacts AskAsBob(SlurmQuery* query) {
  REQUIRE(seteuid(20002) == 0);
  absl::Status asked;
  for (int i = 0; i < 10 && asked.ok(); ++i) asked = query->Refresh();
  REQUIRE(seteuid(0) == 0);
  INFO(asked.ToString());
  REQUIRE_THAT(asked, IsOk());
  return query->facts();
}

bool IsIn(const std::string& name, const SlurmFacts& facts) {
  return std::any_of(
      facts.reservations.begin(), facts.reservations.end(),
      [&](const SlurmReservation& row) { return row.name == name; });
}

struct Exam {
  explicit Exam(std::string reservation) : name(std::move(reservation)) {
    OutputOf(absl::StrCat("scontrol create reservation reservationname=", name,
                          " starttime=now+1day duration=60 nodecnt=1 "
                          "users=ada 2>&1"));
  }
  ~Exam() { OutputOf("scontrol delete reservation " + name + " 2>&1"); }
  const std::string name;
};

TEST_CASE("slurm query: hidden reservations do not count as deleted",
          "[backend]") {
  SlurmConfig config;
  SlurmQuery query(config);
  auto exam = std::make_unique<Exam>("exam");
  SlurmFacts facts = AskAsBob(&query);
  CHECK(IsIn("exam", facts));
  CHECK_FALSE(facts.reservations_hidden);
  const absl::Time first = facts.reservations_asked_at;
  CHECK(first <= absl::Now());
  {
    const MoreOfSlurmConf hiding("PrivateData=reservations\n");
    const Exam other("other");  // so that there is something new
    CHECK(testing::WaitFor([&] {
      facts = AskAsBob(&query);
      CHECK((IsIn("exam", facts) || facts.reservations_hidden));
      return facts.reservations_hidden;
    }));
    CHECK_FALSE(IsIn("exam", facts));
  }
  CHECK(testing::WaitFor([&] {
    facts = AskAsBob(&query);
    CHECK((IsIn("exam", facts) || facts.reservations_hidden));
    return !facts.reservations_hidden;
  }));
  CHECK(IsIn("exam", facts));
  CHECK(facts.reservations_asked_at > first);
  exam.reset();
  CHECK(testing::WaitFor([&] {
    facts = AskAsBob(&query);
    return !IsIn("exam", facts);
  }));
  CHECK_FALSE(facts.reservations_hidden);
}

}  // namespace
}  // namespace carme::backend
