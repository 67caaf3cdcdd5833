// The groups of commands that carmectl is made of, one a file.
#ifndef CARME_BACKEND_CARMECTL_COMMANDS_COMMAND_H_
#define CARME_BACKEND_CARMECTL_COMMANDS_COMMAND_H_

#include <functional>

#include "absl/status/status.h"

namespace CLI {
class App;
}

namespace carme::carmectl {

// The selected command. An error is printed on stderr and determines the exit
// code (main.cc).
using Command = std::function<absl::Status()>;

// Marks an error that consists of warnings only (`doctor`).
inline constexpr char kWarningsPayload[] = "carme/warnings";

// Adds `carmectl GROUP …` to `app`. The callback of the selected subcommand
// sets `chosen` when the command line has been parsed. Both must outlive the
// parsing.
using CommandGroup = void (*)(CLI::App* app, Command* chosen);

// These work on files of the host.
void AddAuditCommands(CLI::App* app, Command* chosen);
void AddBackupCommands(CLI::App* app, Command* chosen);
void AddDoctorCommand(CLI::App* app, Command* chosen);
void AddRulesCommands(CLI::App* app, Command* chosen);
void AddPkiCommands(CLI::App* app, Command* chosen);
void AddSetupCommand(CLI::App* app, Command* chosen);
void AddSupportBundleCommand(CLI::App* app, Command* chosen);
// These call the API of the portal.
void AddUserCommands(CLI::App* app, Command* chosen);
void AddSessionCommands(CLI::App* app, Command* chosen);
void AddFactorCommands(CLI::App* app, Command* chosen);
void AddJobCommands(CLI::App* app, Command* chosen);
void AddProjectCommands(CLI::App* app, Command* chosen);
void AddTemplateCommands(CLI::App* app, Command* chosen);
void AddLimitCommands(CLI::App* app, Command* chosen);
void AddImageCommands(CLI::App* app, Command* chosen);
void AddReservationCommands(CLI::App* app, Command* chosen);
void AddLogCommand(CLI::App* app, Command* chosen);
void AddAnnouncementCommands(CLI::App* app, Command* chosen);
void AddMaintenanceCommands(CLI::App* app, Command* chosen);
void AddNodeCommands(CLI::App* app, Command* chosen);
void AddCallCommand(CLI::App* app, Command* chosen);

}  // namespace carme::carmectl

#endif  // CARME_BACKEND_CARMECTL_COMMANDS_COMMAND_H_
