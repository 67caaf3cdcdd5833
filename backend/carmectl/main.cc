// carmectl: the command-line tool for administrators. `audit`, `backup`,
// `doctor`, `pki`, `restore`, `rules` and `setup` work on files of the host;
// everything else calls the portal's API.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <string>

#include "absl/strings/str_split.h"
#include "backend/carmectl/commands/command.h"
#include "backend/carmectl/portal/portal_client.h"

namespace carme::carmectl {
namespace {

constexpr CommandGroup kGroups[] = {
    AddUserCommands,         AddSessionCommands, AddFactorCommands,
    AddJobCommands,          AddProjectCommands, AddTemplateCommands,
    AddLimitCommands,        AddImageCommands,   AddReservationCommands,
    AddMaintenanceCommands,  AddNodeCommands,    AddCallCommand,
    AddAuditCommands,        AddPkiCommands,     AddBackupCommands,
    AddSupportBundleCommand, AddDoctorCommand,   AddSetupCommand,
    AddLogCommand,           AddRulesCommands,   AddAnnouncementCommands};

constexpr int kFailed = 1;
constexpr int kWrongUse = 2;
constexpr int kRefused = 3;      // by the portal: the token may not do this
constexpr int kUnavailable = 4;  // the portal, or too many calls: try again
constexpr int kWarnings = 5;     // doctor found warnings only

int ExitCode(const absl::Status& status) {
  if (status.GetPayload(kWarningsPayload)) return kWarnings;
  if (!status.GetPayload(kPortalPayload)) return kFailed;
  switch (status.code()) {
    case absl::StatusCode::kUnauthenticated:
    case absl::StatusCode::kPermissionDenied:
      return kRefused;
    case absl::StatusCode::kUnavailable:
    case absl::StatusCode::kDeadlineExceeded:
    case absl::StatusCode::kResourceExhausted:
      return kUnavailable;
    default:
      return kFailed;
  }
}

int Run(const Command& command) {
  const absl::Status status = command();
  if (status.ok()) return 0;
  for (absl::string_view line : absl::StrSplit(status.message(), '\n')) {
    std::fprintf(stderr, "carmectl: %s\n", std::string(line).c_str());
  }
  return ExitCode(status);
}

}  // namespace
}  // namespace carme::carmectl

int main(int argc, char** argv) {
  CLI::App app("carmectl administers a site of Carme.", "carmectl");
  app.footer(
      "Exit codes: 0 done, 1 failed, 2 wrong use, 3 the token is refused, "
      "4 try again later, 5 warnings only (doctor).");
  app.set_version_flag("--version", "carmectl " CARME_VERSION);
  app.require_subcommand(1);
  carme::carmectl::Command chosen;
  for (const carme::carmectl::CommandGroup add : carme::carmectl::kGroups)
    add(&app, &chosen);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {  // --help and --version, too
    return app.exit(error) == 0 ? 0 : carme::carmectl::kWrongUse;
  }
  return carme::carmectl::Run(chosen);
}
