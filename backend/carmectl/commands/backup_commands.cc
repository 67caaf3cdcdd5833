// carmectl backup and restore: copy and replace the state directory of the
// backend.
#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstdio>
#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "backend/backup/backup.h"
#include "backend/backup/restore.h"
#include "backend/carmectl/commands/command.h"
#include "backend/carmectl/commands/messages.h"
#include "common/ids.h"
#include "common/status.h"
#include "common/unique_fd.h"

namespace carme::carmectl {
namespace {

using backend::BackupManifest;
using backend::BackupOptions;
using backend::BackupSource;
using backend::CreateBackup;
using backend::RestoreBackup;
using backend::RestoreOptions;
using backend::RestoreResult;

constexpr char kServiceUser[] = "carme";

// Set by a signal: incomplete files are removed before the program ends.
volatile sig_atomic_t stop_requested = 0;

void CatchSignals() {
  struct sigaction action {};
  action.sa_handler = [](int /*number*/) { stop_requested = 1; };
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
    sigaction(number, &action, nullptr);
  }
}

absl::Status CheckNotStopped() {
  if (stop_requested == 0) return absl::OkStatus();
  return absl::CancelledError("interrupted by a signal; nothing was changed");
}

absl::Status CompleteBackup(BackupOptions options) {
  CatchSignals();
  options.now = absl::Now();
  options.go_on = CheckNotStopped;
  ASSIGN_OR_RETURN(const BackupManifest manifest, CreateBackup(options));
  std::printf("backup \"%s\": schema version %lld, %lld audit entries\n",
              options.file.c_str(),
              static_cast<long long>(manifest.schema_version()),
              static_cast<long long>(manifest.audit_entries()));
  std::printf("audit head: %s\n", manifest.audit_head().c_str());
  for (const std::string& missing : manifest.not_included()) {
    std::printf("not included: %s\n", missing.c_str());
  }
  return absl::OkStatus();
}

struct RestoreArguments {
  std::string state_directory;
  std::string file;
  std::string keys_file;
  std::string owner;
  bool replace = false;
  bool keep_tokens = false;
};

struct DirectoryOwner {
  uid_t uid = 0;
  gid_t gid = 0;
};

// That of an existing directory, unless it is root's; or the service's user.
absl::StatusOr<DirectoryOwner> OwnerOf(const RestoreArguments& given) {
  struct stat info {};
  if (given.owner.empty() && lstat(given.state_directory.c_str(), &info) == 0 &&
      info.st_uid != 0) {
    return DirectoryOwner{info.st_uid, info.st_gid};
  }
  const std::string name = given.owner.empty() ? kServiceUser : given.owner;
  const passwd* const user = getpwnam(name.c_str());
  if (user != nullptr) return DirectoryOwner{user->pw_uid, user->pw_gid};
  return MakePlainError(command_messages::kOwnerNotFound, {{"name", name}});
}

// The files of the directory are written as its owner, who could otherwise
// redirect root to other files.
absl::Status BecomeOwner(const RestoreArguments& given) {
  ASSIGN_OR_RETURN(const DirectoryOwner owner, OwnerOf(given));
  const UniqueFd fd(open(given.state_directory.c_str(),
                         O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!fd.valid() || fchown(fd.get(), owner.uid, owner.gid) != 0 ||
      fchmod(fd.get(), 0700) != 0) {
    return ErrnoError(errno,
                      absl::StrCat("open \"", given.state_directory, "\""));
  }
  if (setgroups(1, &owner.gid) != 0 ||
      setresgid(owner.gid, owner.gid, owner.gid) != 0 ||
      setresuid(owner.uid, owner.uid, owner.uid) != 0) {
    return ErrnoError(errno, "become the owner of the state directory");
  }
  if (owner.uid == 0 || setuid(0) != 0) return absl::OkStatus();
  return absl::InternalError("root could be regained after the switch");
}

void PrintRestored(const RestoreOptions& options, const RestoreResult& result) {
  const std::string time = absl::FormatTime(
      "%Y-%m-%d %H:%M:%S", result.backup_at, absl::LocalTimeZone());
  std::printf("restored \"%s\" as of %s\n", options.state_directory.c_str(),
              time.c_str());
  if (!result.replaced.empty()) {
    std::printf("replaced files: \"%s\"\n", result.replaced.c_str());
  }
  std::printf("audit head of the backup: %s (entry %lld)\n",
              result.audit_head.c_str(),
              static_cast<long long>(result.audit_entries));
  std::printf("%lld sessions ended, %lld access tokens revoked\n",
              static_cast<long long>(result.sessions_ended),
              static_cast<long long>(result.tokens_revoked));
  if (!result.has_keys) {
    std::printf(
        "no keys: the backend creates new ones, and apps of running jobs "
        "cannot be opened\n");
  }
  std::printf(
      "Next:\n"
      "1. Start carme-backend. It finds running jobs in Slurm.\n"
      "2. Compare the audit head with the journal's audit-head lines of that "
      "time.\n"
      "3. Changes since then are lost, and the journal has them: journalctl "
      "-u carme-backend --since \"%s\" | grep audit\n"
      "   Apps that were opened in sessions that began since then stay open "
      "until those would have expired.\n"
      "   Repeat removals of second factors and project members. Recovery "
      "codes that were used since then are valid again: reset the factors of "
      "those users.\n",
      time.c_str());
}

absl::Status CompleteRestore(const RestoreArguments& given) {
  CatchSignals();
  umask(0077);
  RestoreOptions options{.state_directory = given.state_directory,
                         .replace = given.replace,
                         .keep_tokens = given.keep_tokens,
                         .actor_uid = Uid(getuid()),
                         .now = absl::Now(),
                         .go_on = CheckNotStopped};
  const passwd* const user = getpwuid(getuid());
  options.actor = user == nullptr ? "" : user->pw_name;
  ASSIGN_OR_RETURN(options.file, BackupSource::Open(given.file));
  if (!given.keys_file.empty()) {
    ASSIGN_OR_RETURN(options.keys_file, BackupSource::Open(given.keys_file));
  }
  if (mkdir(given.state_directory.c_str(), 0700) != 0 && errno != EEXIST) {
    return ErrnoError(errno,
                      absl::StrCat("create \"", given.state_directory, "\""));
  }
  if (geteuid() == 0) {
    RETURN_IF_ERROR(BecomeOwner(given));
  } else if (!given.owner.empty()) {
    return MakePlainError(command_messages::kOwnerNeedsRoot);
  }
  ASSIGN_OR_RETURN(const RestoreResult result, RestoreBackup(options));
  PrintRestored(options, result);
  return absl::OkStatus();
}

}  // namespace

void AddBackupCommands(CLI::App* app, Command* chosen) {
  CLI::App* const backup = app->add_subcommand(
      "backup", "back up the backend's database and keys, while it runs");
  const auto saved = std::make_shared<BackupOptions>();
  saved->state_directory = "/var/lib/carme";
  const auto without_keys = std::make_shared<bool>(false);
  backup->add_option("file", saved->file, "a new file, mode 0600")->required();
  backup->add_option("--state-dir", saved->state_directory, "the backend's")
      ->capture_default_str();
  CLI::Option* const keys = backup->add_option(
      "--keys", saved->keys_file,
      "put the keys into this new file, and not into the other one");
  backup
      ->add_flag("--without-keys", *without_keys,
                 "do not back up the keys: after a restore without them, apps "
                 "of running jobs cannot be opened")
      ->excludes(keys);
  backup->footer(
      "The database has password-equivalent secrets (second factors): keep "
      "each file as secret as the state directory. Configuration and "
      "certificates in /etc/carme are not included.");
  backup->callback([=] {
    saved->with_keys = !*without_keys && saved->keys_file.empty();
    *chosen = [saved] { return CompleteBackup(*saved); };
  });

  CLI::App* const restore = app->add_subcommand(
      "restore", "restore the state directory from a backup");
  const auto options = std::make_shared<RestoreArguments>();
  restore
      ->add_option("file", options->file,
                   "of \"carmectl backup\", or a carme.db.schema-*.backup that "
                   "the backend made before a migration")
      ->required();
  restore->add_option("--state-dir", options->state_directory, "the backend's")
      ->required();
  restore->add_option("--keys", options->keys_file,
                      "the keys of the same backup");
  restore->add_flag("--replace", options->replace,
                    "replace a state that exists; its files are kept in "
                    "before-restore-TIME in the directory");
  restore->add_flag("--keep-access-tokens", options->keep_tokens,
                    "access tokens stay valid, also those that were revoked "
                    "after the backup");
  restore->add_option("--owner", options->owner,
                      "the backend's user; by default the owner of the "
                      "directory, or \"carme\"");
  restore->footer(
      "Stop carme-backend first. Users must log in again; TOTP codes of the "
      "last minute are refused. Jobs that were submitted after the backup "
      "continue: the backend adds them to their owners' lists from Slurm's "
      "data, without their app.");
  restore->callback(
      [=] { *chosen = [options] { return CompleteRestore(*options); }; });
}

}  // namespace carme::carmectl
