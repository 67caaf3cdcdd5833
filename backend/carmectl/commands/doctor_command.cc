// carmectl doctor: finds out what is wrong on this host.
#include <signal.h>
#include <sys/timex.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/cord.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/time/clock.h"
#include "backend/carmectl/commands/command.h"
#include "backend/carmectl/commands/messages.h"
#include "backend/carmectl/commands/tool_directories.h"
#include "backend/carmectl/doctor/doctor_report.h"
#include "backend/carmectl/doctor/host/host.h"
#include "backend/carmectl/doctor/host/name_resolver.h"
#include "common/status.h"

namespace carme::carmectl {
namespace {

constexpr char kDoctorFooter[] =
    "Run it as root on each host: other users cannot read keys, processes and "
    "the firewall. The roles of the host are those whose files are in the "
    "configuration directory. Nothing is changed.\n\n"
    "Exit codes: 0 no errors or warnings, 1 errors or not done, 2 wrong use, "
    "5 warnings only. Notes do not count.\n\n"
    "The check confinement-job starts a job as the calling user, which tries "
    "to use GPUs that it does not have, and compares its node with this host: "
    "run it as a user, not as root.\n\n"
    "Known limits: it looks from this host only, so run it on every host.\n\n"
    "Examples:\n"
    "  carmectl doctor\n"
    "  carmectl doctor --only certificates --only network\n"
    "  carmectl doctor --json --skip firewall\n"
    "  carmectl doctor --only confinement-job --host-role node\n"
    "  carmectl doctor --list";

struct DoctorArguments {
  bool json = false;
  bool list = false;
  std::string config_directory = "/etc/carme";
  std::vector<std::string> roles;
  std::vector<std::string> accounts;  // "ROLE=NAME"
  std::vector<std::string> users;
  CheckSelection selection;
};

absl::StatusOr<HostRole> RoleOf(const std::string& name) {
  const auto role = ParseHostRole(name);
  if (role) return *role;
  std::string names;
  for (const HostRole each : kHostRoles) {
    absl::StrAppend(&names, names.empty() ? "" : ", ",
                    std::string(HostRoleName(each)));
  }
  return MakePlainError(command_messages::kNotARole,
                        {{"name", name}, {"roles", names}});
}

bool IsClockSynchronized() {
  timex state{};
  return adjtimex(&state) != TIME_ERROR && (state.status & STA_UNSYNC) == 0;
}

absl::StatusOr<HostOptions> OptionsOf(const DoctorArguments& given) {
  HostOptions options{.config_directory = given.config_directory,
                      .tool_directories = ToolDirectories(),
                      .users = given.users,
                      .now = absl::Now(),
                      .clock_synchronized = IsClockSynchronized()};
  for (const std::string& name : given.roles) {
    ASSIGN_OR_RETURN(const HostRole role, RoleOf(name));
    options.roles.insert(role);
  }
  for (const std::string& pair : given.accounts) {
    const std::vector<std::string> parts =
        absl::StrSplit(pair, absl::MaxSplits('=', 1));
    if (parts.size() != 2 || parts[1].empty()) {
      return MakePlainError(command_messages::kNotRoleName, {{"text", pair}});
    }
    ASSIGN_OR_RETURN(const HostRole role, RoleOf(parts[0]));
    options.accounts[role] = parts[1];
  }
  return options;
}

absl::Status RunDoctor(const DoctorArguments& given) {
  if (given.list) {
    std::fputs(FormatCheckList().c_str(), stdout);
    return absl::OkStatus();
  }
  ASSIGN_OR_RETURN(HostOptions options, OptionsOf(given));
  // A peer may close a connection at any time.
  signal(SIGPIPE, SIG_IGN);
  const SystemNameResolver resolver;
  const Host host(std::move(options), &resolver);
  ASSIGN_OR_RETURN(const DoctorReport report, RunChecks(host, given.selection));
  std::fputs(
      (given.json ? FormatReportJson(report) : FormatReport(report)).c_str(),
      stdout);
  const int errors = report.Count(Severity::kError);
  const int warnings = report.Count(Severity::kWarning);
  if (errors == 0 && warnings == 0) return absl::OkStatus();
  absl::Status status =
      MakePlainError(command_messages::kDoctorFindings,
                     {{"errors", errors}, {"warnings", warnings}});
  if (errors == 0) status.SetPayload(kWarningsPayload, absl::Cord());
  return status;
}

}  // namespace

void AddDoctorCommand(CLI::App* app, Command* chosen) {
  auto given = std::make_shared<DoctorArguments>();
  CLI::App* const doctor =
      app->add_subcommand("doctor", "finds out what is wrong on this host");
  doctor->footer(kDoctorFooter);
  doctor->add_flag("--json", given->json, "prints the report as JSON");
  doctor->add_flag("--list", given->list,
                   "prints all checks and what each may report");
  doctor->add_option("--only", given->selection.only,
                     "runs this check; may be repeated");
  doctor->add_option("--skip", given->selection.skip,
                     "leaves out this check; may be repeated");
  doctor->add_option("--host-role", given->roles,
                     "instead of the roles by files; may be repeated");
  doctor
      ->add_option("--config-dir", given->config_directory,
                   "directory of the configuration files")
      ->capture_default_str();
  doctor->add_option("--account", given->accounts,
                     "ROLE=NAME, where a program does not run as its usual "
                     "account");
  doctor->add_option("--user", given->users,
                     "compares the ids of this user; may be repeated");
  doctor->callback(
      [given, chosen] { *chosen = [given] { return RunDoctor(*given); }; });
}

}  // namespace carme::carmectl
