// carmectl audit, the program itself, on a database that the backend has open.
#include <stdlib.h>
#include <sys/wait.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "absl/time/clock.h"
#include "common/encoding.h"
#include "common/file.h"
#include "tests/backend/audit/audit_world.h"
#include "tests/support/status_matchers.h"

namespace carme::backend {
namespace {

struct Ran {
  int code = -1;
  std::string out;
  std::string error;
};

class World : public AuditWorld {
 public:
  World() {
    for (int i = 1; i <= 10; ++i) {
      log->Record(i % 5 == 0 ? Refused("eve\n", "192.0.2.9")
                             : Allowed("log-in"));
      clock.Advance(absl::Hours(1));
    }
    Restart();
  }
  // An entry of each age, counted from today.
  explicit World(const std::vector<int>& days_old) {
    for (const int days : days_old) {
      clock.Advance(absl::Now() - absl::Hours(24) * days - clock.Now());
      log->Record(Allowed("log-in"));
    }
    Restart();
  }
  Ran Run(const std::string& arguments) {
    const std::string out = directory.File("out");
    const std::string error = directory.File("error");
    const std::string line =
        std::string(CARME_CARMECTL) + " audit " + arguments + " --database " +
        directory.File("carme.db") + " >" + out + " 2>" + error;
    const int status = system(line.c_str());
    return {WEXITSTATUS(status), ReadFile(out).value(),
            ReadFile(error).value()};
  }
  void Forge(const std::string& sql) {
    REQUIRE_THAT(RunSql(database.get(), "DROP TRIGGER audit_keeps"), IsOk());
    REQUIRE_THAT(RunSql(database.get(), "DROP TRIGGER audit_grows"), IsOk());
    REQUIRE_THAT(RunSql(database.get(), sql), IsOk());
  }
};

int64_t Lines(const std::string& text) {
  return std::count(text.begin(), text.end(), '\n');
}

TEST_CASE("carmectl audit: wrong use is 2, a file that is not there 1",
          "[audit]") {
  World world;
  CHECK(world.Run("").code == 2);
  CHECK(world.Run("verify --haed 12").code == 2);
  CHECK(world.Run("list --decision maybe").code == 2);
  CHECK(world.Run("list --limit 0").code == 2);
  CHECK(world.Run("verify --head 12").error ==
        "carmectl: --head is \"12\": expected 64 hexadecimal digits\n");
  CHECK(world.Run("list --since yesterday").code == 1);
  const std::string absent = std::string(CARME_CARMECTL) +
                             " audit verify --database /nonexistent/db 2>" +
                             world.directory.File("error");
  CHECK(WEXITSTATUS(system(absent.c_str())) == 1);
  CHECK(ReadFile(world.directory.File("error"))->find("/nonexistent/db") !=
        std::string::npos);
}

TEST_CASE("carmectl audit: verify prints the error and its entry", "[audit]") {
  World world;
  const std::string head = HexEncode(world.log->Head().hash);
  Ran ran = world.Run("verify --head " + head);
  CHECK(ran.code == 0);
  CHECK(ran.out == "{\"good\":true,\"entries\":10,\"brokenAt\":0,\"head\":\"" +
                       head + "\",\"givenHeadAt\":10}\n");
  world.Forge("DELETE FROM audit WHERE sequence = 10");
  CHECK(world.Run("verify").code == 0);  // without a head this is not detected
  ran = world.Run("verify --head " + head);
  CHECK(ran.code == 1);
  CHECK(ran.out.find("\"good\":false,\"entries\":9,\"brokenAt\":10,") == 1);
  REQUIRE_THAT(RunSql(world.database.get(),
                      "UPDATE audit SET result = 'no' WHERE sequence = 3"),
               IsOk());
  ran = world.Run("verify");
  CHECK(ran.code == 1);
  CHECK(ran.error ==
        "carmectl: audit log: entry 3 does not match its hash: the "
        "entry or an earlier one was changed\n");
}

TEST_CASE("carmectl audit: export and list print JSON lines", "[audit]") {
  World world;
  const Ran all = world.Run("export");
  CHECK(all.code == 0);
  CHECK(Lines(all.out) == 10);
  CHECK(all.out.find("{\"sequence\":\"1\",") == 0);
  const Ran refused = world.Run("export --decision refuse --actor 'eve?'");
  CHECK(Lines(refused.out) == 2);
  const Ran newest = world.Run("list --limit 3");
  CHECK(Lines(newest.out) == 3);
  CHECK(newest.out.find("{\"sequence\":\"10\",") == 0);
  // The clock of the tests starts on 2027-01-15 at 8 o'clock.
  CHECK(Lines(world.Run("list --since 2027-01-15T12:00:00Z").out) == 6);
  CHECK(Lines(world.Run("list --until 2027-01-15T12:00:00Z").out) == 4);
  CHECK(Lines(world.Run("list --until 2027-01-15").out) == 0);
}

TEST_CASE("carmectl audit: archives entries and verifies the archive",
          "[audit]") {
  World world({400, 400, 400, 400, 400, 100, 100, 100, 0, 0});
  const std::string a = world.directory.File("a.jsonl");
  const std::string b = world.directory.File("b.jsonl");
  const std::string first = HexEncode(
      ReadPiece(world.database.get(), {}, AuditOrder::kOldestFirst, kOldest, 1)
          ->entries.at(0)
          .hash);
  CHECK(world.Run("archive " + a).code == 2);
  CHECK(world.Run("archive " + a + " --older-than 0").code == 2);
  CHECK(world.Run("archive " + a + " --older-than 500")
            .out.find("{\"archived\":0,") == 0);
  CHECK(world.Run("archive " + a + " --older-than 200")
            .out.find("{\"archived\":5,\"upto\":5,") == 0);
  CHECK(world.Run("archive " + a + " --older-than 50").code == 1);  // is there
  CHECK(world.Run("archive " + b + " --older-than 50")
            .out.find("{\"archived\":3,\"upto\":8,") == 0);

  const Ran good = world.Run("verify --archive " + a + " --archive " + b +
                             " --head " + first);
  CHECK(good.code == 0);
  CHECK(good.out.find("{\"archivedAfter\":5,\"archivedUpto\":8}\n"
                      "{\"archivedAfter\":0,\"archivedUpto\":5}\n"
                      "{\"good\":true,\"entries\":") == 0);
  CHECK(world.Run("verify").code == 0);
  CHECK(world.Run("verify --head " + first).code == 1);
  CHECK(world.Run("verify --archive " + a).code == 1);
  CHECK(world.Run("verify --archive " + b + " --archive " + a).code == 1);
}

TEST_CASE("carmectl audit: does not change the database", "[audit]") {
  World world;
  world.log.reset();
  world.database.reset();
  const auto before = ReadFile(world.directory.File("carme.db"));
  CHECK(world.Run("verify").code == 0);
  CHECK(world.Run("export").code == 0);
  CHECK(ReadFile(world.directory.File("carme.db")) == before);
}

}  // namespace
}  // namespace carme::backend
