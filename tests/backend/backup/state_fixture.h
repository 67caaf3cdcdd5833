// A state directory as a backend leaves it, and its backup.
#ifndef CARME_TESTS_BACKEND_BACKUP_STATE_FIXTURE_H_
#define CARME_TESTS_BACKEND_BACKUP_STATE_FIXTURE_H_

#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <set>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "backend/audit/audit_log.h"
#include "backend/backup/backup.h"
#include "backend/backup/restore.h"
#include "backend/store/database.h"
#include "common/clock.h"
#include "common/file.h"
#include "common/status.h"
#include "tests/support/read_number.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace carme::backend {

inline bool IsPresent(const std::string& path) {
  return access(path.c_str(), F_OK) == 0;
}

inline absl::Status RunSqlOn(const std::string& path, std::string_view sql) {
  ASSIGN_OR_RETURN(const auto database,
                   Database::OpenExisting(path, Migrations()));
  return database->Query([&](Database& self) -> absl::Status {
    ASSIGN_OR_RETURN(Statement statement, self.Prepare(sql));
    return statement.Run();
  });
}

class StateFixture {
 public:
  StateFixture() {
    static const Template first;
    std::filesystem::copy(first.dir.path(), state());
    chmod(state().c_str(), 0700);
  }

  std::string state() const { return dir_.File("state"); }
  std::string File(const std::string& name) const {
    return absl::StrCat(state(), "/", name);
  }
  // Beside the state directory.
  std::string Beside(const std::string& name) const { return dir_.File(name); }
  std::set<std::string> NamesBeside() const {
    std::set<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(dir_.path())) {
      names.insert(entry.path().filename());
    }
    return names;
  }

  BackupOptions ToFile(const std::string& file) const {
    return {.state_directory = state(),
            .file = file,
            .now = absl::Now(),
            .go_on = [] { return absl::OkStatus(); }};
  }
  RestoreOptions FromFile(const std::string& file,
                          const std::string& directory) const {
    mkdir(directory.c_str(), 0700);
    RestoreOptions options;
    options.state_directory = directory;
    options.file = BackupSource::Open(file).value();
    options.actor = "root";
    options.now = absl::Now();
    options.go_on = [] { return absl::OkStatus(); };
    return options;
  }

 private:
  // Made once: migrations take longer than a copy.
  struct Template {
    Template() {
      const SystemClock clock;
      auto database =
          Database::Open(dir.File("carme.db"), Migrations()).value();
      {
        auto audit = AuditLog::Open(database.get(), &clock).value();
        REQUIRE_THAT(audit->RecordNow({.act = "log-in",
                                       .actor = "ada",
                                       .decision = AuditDecision::kAllow,
                                       .result = "ok"}),
                     IsOk());
      }
      database.reset();
      for (const char* const name : kKeyFiles) {
        REQUIRE_THAT(
            WriteFile(dir.File(name), absl::StrCat("key ", name, "\n"), 0600),
            IsOk());
      }
      // A session, a token and a factor of Ada's.
      for (
          const char* const sql :
          {"INSERT INTO sessions (id, token_hash, username, display_name, uid, "
           "role, client_address, user_agent, created_at, used_at, expires_at, "
           "reauthenticated_until, last_address) VALUES ('s', x'01', 'ada', "
           "'Ada', 20001, 'user', '', '', 1, 1, 9999999999999999, 0, '')",
           "INSERT INTO access_tokens (id, hash, uid, username, name, scopes, "
           "created_at, expires_at, used_from) VALUES ('t', x'02', 20001, "
           "'ada', 'script', '', 1, 9999999999999999, '')",
           "INSERT INTO second_factors (id, uid, kind, name, secret, "
           "algorithm, "
           "counter, created_at) VALUES ('f', 20001, 'totp', 'phone', x'03', "
           "0, "
           "7, 1)"}) {
        REQUIRE_THAT(RunSqlOn(dir.File("carme.db"), sql), IsOk());
      }
    }

    TempDir dir;
  };

  TempDir dir_;
};

}  // namespace carme::backend

#endif  // CARME_TESTS_BACKEND_BACKUP_STATE_FIXTURE_H_
