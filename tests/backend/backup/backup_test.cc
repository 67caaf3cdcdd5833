#include "backend/backup/backup.h"

#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "backend/audit/verification.h"
#include "backend/backup/restore.h"
#include "backend/store/state_lock.h"
#include "tests/backend/backup/state_fixture.h"

namespace carme::backend {
namespace {

using Names = std::set<std::string>;

mode_t ModeOf(const std::string& path) {
  struct stat info {};
  REQUIRE(stat(path.c_str(), &info) == 0);
  return info.st_mode & 0777;
}

TEST_CASE("backup: replaces no file and leaves none when it fails",
          "[backend]") {
  StateFixture site;
  REQUIRE_THAT(WriteFile(site.Beside("old"), "precious", 0600), IsOk());
  CHECK_THAT(CreateBackup(site.ToFile(site.Beside("old"))),
             StatusIs(absl::StatusCode::kAlreadyExists, "choose a new name"));
  CHECK(ReadFile(site.Beside("old")).value() == "precious");
  BackupOptions stopped = site.ToFile(site.Beside("new"));
  stopped.go_on = [] { return absl::CancelledError("signal"); };
  CHECK_THAT(CreateBackup(stopped), StatusIs(absl::StatusCode::kCancelled));
  BackupOptions same = site.ToFile(site.Beside("new"));
  same.with_keys = false;
  same.keys_file = same.file;
  CHECK_THAT(CreateBackup(same),
             StatusIs(absl::StatusCode::kInvalidArgument, "two names"));
  CHECK(site.NamesBeside() == Names{"old", "state"});
}

TEST_CASE("backup: a corrupt database is not backed up", "[backend]") {
  StateFixture site;
  std::string content = ReadFile(site.File("carme.db"), 1 << 24).value();
  content.replace(8192, 4096, 4096, '\x5a');
  REQUIRE_THAT(WriteFile(site.File("carme.db"), content, 0600), IsOk());
  CHECK_THAT(CreateBackup(site.ToFile(site.Beside("new"))),
             StatusIs(absl::StatusCode::kDataLoss));
  CHECK(site.NamesBeside() == Names{"state"});
}

TEST_CASE("backup: contains database and keys, lists missing files",
          "[backend]") {
  StateFixture site;
  // The backend runs.
  const auto lock = StateLock::Take(site.state());
  const auto running =
      Database::OpenExisting(site.File("carme.db"), Migrations());
  REQUIRE_THAT(running, IsOk());
  const auto manifest = CreateBackup(site.ToFile(site.Beside("all")));
  REQUIRE_THAT(manifest, IsOk());
  CHECK(manifest->files_size() == 3);
  CHECK(manifest->schema_version() ==
        static_cast<int64_t>(Migrations().size()));
  CHECK(manifest->audit_entries() == 1);
  CHECK(manifest->audit_head().size() == 64);
  CHECK(manifest->not_included_size() == 1);
  CHECK(ModeOf(site.Beside("all")) == 0600);
  CHECK(site.NamesBeside() == Names{"all", "state"});
}

TEST_CASE("backup: writes keys into a separate file", "[backend]") {
  StateFixture site;
  BackupOptions options = site.ToFile(site.Beside("database"));
  options.with_keys = false;
  options.keys_file = site.Beside("keys");
  const auto manifest = CreateBackup(options);
  REQUIRE_THAT(manifest, IsOk());
  CHECK(manifest->files_size() == 1);
  CHECK(manifest->not_included_size() == 2);
  CHECK(ModeOf(site.Beside("keys")) == 0600);
  const std::string text = ReadFile(site.Beside("database"), 1 << 24).value();
  CHECK(text.find("key job_ca.pem") == std::string::npos);
  CHECK(ReadFile(site.Beside("keys"), 1 << 24).value().find("key job_ca.pem") !=
        std::string::npos);
}

TEST_CASE("restore: refuses a used directory and an invalid backup",
          "[backend]") {
  StateFixture site;
  REQUIRE_THAT(CreateBackup(site.ToFile(site.Beside("all"))), IsOk());
  const auto restore = [&](bool replace = true) {
    RestoreOptions options = site.FromFile(site.Beside("all"), site.state());
    options.replace = replace;
    return RestoreBackup(options);
  };
  CHECK_THAT(restore(/*replace=*/false),
             StatusIs(absl::StatusCode::kFailedPrecondition, "--replace"));
  {
    const auto lock = StateLock::Take(site.state());
    CHECK_THAT(restore(), StatusIs(absl::StatusCode::kFailedPrecondition,
                                   absl::StrCat("process ", getpid())));
  }
  std::string content = ReadFile(site.Beside("all"), 1 << 24).value();
  SECTION("not a backup") {
    content = "something else";
    REQUIRE_THAT(WriteFile(site.Beside("all"), content, 0600), IsOk());
    CHECK_THAT(restore(),
               StatusIs(absl::StatusCode::kInvalidArgument, "not a backup"));
  }
  SECTION("damaged") {
    content[content.size() / 2] ^= 1;
    REQUIRE_THAT(WriteFile(site.Beside("all"), content, 0600), IsOk());
    CHECK_THAT(restore(), StatusIs(absl::StatusCode::kDataLoss, "damaged"));
  }
  SECTION("shortened") {
    content.resize(content.size() / 2);
    REQUIRE_THAT(WriteFile(site.Beside("all"), content, 0600), IsOk());
    CHECK_THAT(restore(), StatusIs(absl::StatusCode::kDataLoss));
  }
  CHECK(ReadNumber(site.File("carme.db"),
                   "SELECT count(*) FROM sessions WHERE ended_at IS NULL") ==
        1);
  CHECK_FALSE(IsPresent(site.File("restore.part")));
  CHECK_THAT(CheckStateComplete(site.state()), IsOk());
}

TEST_CASE("restore: refuses a backup of a newer Carme", "[backend]") {
  StateFixture site;
  REQUIRE_THAT(CreateBackup(site.ToFile(site.Beside("all"))), IsOk());
  // The database alone is also accepted.
  std::filesystem::copy(site.File("carme.db"), site.Beside("newer"));
  REQUIRE_THAT(
      RunSqlOn(site.Beside("newer"),
               absl::StrCat("PRAGMA user_version=", Migrations().size() + 1)),
      IsOk());
  CHECK_THAT(
      RestoreBackup(site.FromFile(site.Beside("newer"), site.Beside("empty"))),
      StatusIs(absl::StatusCode::kFailedPrecondition, "schema version"));
  CHECK_FALSE(IsPresent(site.Beside("empty/carme.db")));
}

TEST_CASE("restore: refuses keys of another backup", "[backend]") {
  StateFixture site;
  for (const char* const number : {"1", "2"}) {
    BackupOptions options =
        site.ToFile(site.Beside(absl::StrCat("database", number)));
    options.with_keys = false;
    options.keys_file = site.Beside(absl::StrCat("keys", number));
    REQUIRE_THAT(CreateBackup(options), IsOk());
  }
  RestoreOptions options =
      site.FromFile(site.Beside("database1"), site.Beside("empty"));
  options.keys_file = BackupSource::Open(site.Beside("keys2")).value();
  CHECK_THAT(RestoreBackup(options),
             StatusIs(absl::StatusCode::kInvalidArgument, "another backup"));
  options.file = BackupSource::Open(site.Beside("keys1")).value();
  options.keys_file.reset();
  CHECK_THAT(RestoreBackup(options),
             StatusIs(absl::StatusCode::kInvalidArgument, "no database"));
  options.file = BackupSource::Open(site.Beside("database1")).value();
  options.keys_file = BackupSource::Open(site.Beside("keys1")).value();
  REQUIRE_THAT(RestoreBackup(options), IsOk());
  CHECK(ReadFile(site.Beside("empty/ticket_seed")).value() ==
        "key ticket_seed\n");
}

TEST_CASE("restore: ends sessions, tokens and TOTP codes of the backup",
          "[backend]") {
  StateFixture site;
  REQUIRE_THAT(CreateBackup(site.ToFile(site.Beside("all"))), IsOk());
  const std::string fresh = site.Beside("fresh");
  const auto result = RestoreBackup(site.FromFile(site.Beside("all"), fresh));
  REQUIRE_THAT(result, IsOk());
  CHECK(result->sessions_ended == 1);
  CHECK(result->tokens_revoked == 1);
  CHECK(result->has_keys);
  CHECK(result->replaced.empty());
  for (const char* const name : {"carme.db", "job_ca.pem", "ticket_seed"}) {
    CHECK(ModeOf(absl::StrCat(fresh, "/", name)) == 0600);
  }
  const std::string database = fresh + "/carme.db";
  CHECK(ReadNumber(database,
                   "SELECT count(*) FROM sessions WHERE ended_at IS NULL") ==
        0);
  CHECK(ReadNumber(database,
                   "SELECT count(*) FROM access_tokens "
                   "WHERE revoked_at IS NULL") == 0);
  CHECK(ReadNumber(database, "SELECT counter FROM second_factors") >=
        absl::ToUnixSeconds(absl::Now()) / 30);
  CHECK(ReadNumber(database, "SELECT count(*) FROM restores") == 1);
  // The audit log continues, and has the restore.
  const auto opened = Database::OpenReadOnly(database).value();
  const auto verdict =
      VerifyAudit(opened.get(), "", [] { return absl::OkStatus(); });
  REQUIRE_THAT(verdict, IsOk());
  CHECK(verdict->broken_at == 0);
  CHECK(verdict->entries == 2);
}

TEST_CASE("restore: keeps the replaced files and keys that it does not have",
          "[backend]") {
  StateFixture site;
  BackupOptions options = site.ToFile(site.Beside("database"));
  options.with_keys = false;
  REQUIRE_THAT(CreateBackup(options), IsOk());
  REQUIRE_THAT(RunSqlOn(site.File("carme.db"), "DELETE FROM second_factors"),
               IsOk());
  RestoreOptions restore = site.FromFile(site.Beside("database"), site.state());
  restore.replace = true;
  restore.keep_tokens = true;
  const auto result = RestoreBackup(restore);
  REQUIRE_THAT(result, IsOk());
  CHECK(result->has_keys);
  CHECK(result->tokens_revoked == 0);
  CHECK(ReadNumber(site.File("carme.db"),
                   "SELECT count(*) FROM second_factors") == 1);
  CHECK(ReadNumber(result->replaced + "/carme.db",
                   "SELECT count(*) FROM second_factors") == 0);
  CHECK(ReadFile(site.File("ticket_seed")).value() == "key ticket_seed\n");
  CHECK_FALSE(IsPresent(site.File("restore.part")));
}

TEST_CASE("restore: completes one that was interrupted", "[backend]") {
  StateFixture site;
  REQUIRE_THAT(CreateBackup(site.ToFile(site.Beside("all"))), IsOk());
  // The old database was moved away, the new one not moved yet.
  REQUIRE_THAT(WriteFile(site.File(kRestoreMarker), "", 0600), IsOk());
  REQUIRE(unlink(site.File("carme.db").c_str()) == 0);
  REQUIRE(mkdir(site.File("restore.part").c_str(), 0700) == 0);
  REQUIRE_THAT(WriteFile(site.File("restore.part/carme.db"), "part", 0600),
               IsOk());
  CHECK_FALSE(CheckStateComplete(site.state()).ok());
  RestoreOptions restore = site.FromFile(site.Beside("all"), site.state());
  restore.replace = true;
  REQUIRE_THAT(RestoreBackup(restore), IsOk());
  CHECK_THAT(CheckStateComplete(site.state()), IsOk());
  CHECK_THAT(Database::OpenExisting(site.File("carme.db"), Migrations()),
             IsOk());
}

}  // namespace
}  // namespace carme::backend
