// carmectl setup: the configuration of all hosts of a site.
#include <signal.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>

#include "absl/strings/match.h"
#include "absl/time/clock.h"
#include "backend/carmectl/commands/command.h"
#include "backend/carmectl/commands/tool_directories.h"
#include "backend/carmectl/doctor/host/name_resolver.h"
#include "backend/carmectl/setup/setup_run.h"
#include "backend/carmectl/setup/site/site_answers.h"

namespace carme::carmectl {
namespace {

constexpr char kSetupFooter[] =
    "Run it as root on the host of the backend, with Slurm's commands and the "
    "name service there. Without --answers it asks on the terminal, with "
    "proposals from slurm.conf, sssd.conf, nslcd.conf and an earlier run, and "
    "tries each answer with the checks of `carmectl doctor`.\n\n"
    "Then it writes, all or nothing: the certificates of the site's own "
    "authority, the configuration of all programs, firewall rules and drop-ins "
    "of systemd units, as one tar file for each host (head, dmz, node), and "
    "installs those of this host. A file that is already configured is "
    "replaced only with --replace, and a copy is kept.\n\n"
    "The password of the LDAP account is asked without echo, or read from a "
    "file (bind_password_file); it is never stored with the answers.\n\n"
    "Examples:\n"
    "  carmectl setup\n"
    "  carmectl setup --print-answers > site.toml\n"
    "  carmectl setup --answers site.toml --check\n"
    "  carmectl setup --answers site.toml --stage-only";

struct SetupArguments {
  SetupOptions options;
  bool print_answers = false;
};

// "/usr" for /usr/sbin/carmectl.
std::string InstalledPrefix() {
  std::error_code error;
  const std::filesystem::path self =
      std::filesystem::read_symlink("/proc/self/exe", error);
  const std::filesystem::path prefix = self.parent_path().parent_path();
  return error || prefix.empty() ? "/usr" : prefix.string();
}

absl::Status RunSetupCommand(SetupArguments given) {
  if (given.print_answers) {
    std::fputs(FormatAnswers(ExampleAnswers()).c_str(), stdout);
    return absl::OkStatus();
  }
  signal(SIGPIPE, SIG_IGN);
  const SystemNameResolver resolver;
  given.options.directory =
      std::filesystem::absolute(given.options.directory).lexically_normal();
  if (absl::EndsWith(given.options.directory, "/")) {
    given.options.directory.pop_back();
  }
  given.options.prefix = InstalledPrefix();
  given.options.tool_directories = ToolDirectories();
  given.options.resolver = &resolver;
  given.options.now = absl::Now();
  return RunSetup(given.options);
}

}  // namespace

void AddSetupCommand(CLI::App* app, Command* chosen) {
  auto given = std::make_shared<SetupArguments>();
  SetupOptions& options = given->options;
  CLI::App* const setup = app->add_subcommand(
      "setup", "asks about the site and writes the configuration of all hosts");
  setup->footer(kSetupFooter);
  setup->add_option("--answers", options.answers_file,
                    "a TOML file with all answers, instead of questions");
  setup->add_flag("--print-answers", given->print_answers,
                  "prints an example of such a file");
  setup->add_flag("--check", options.check_only,
                  "tries the answers and writes nothing");
  setup->add_flag("--offline", options.offline,
                  "does not try the answers: for a host without the site's "
                  "network");
  setup
      ->add_option("--directory", options.directory,
                   "where the files of all hosts are written")
      ->capture_default_str();
  setup->add_flag("--stage-only", options.stage_only,
                  "installs nothing on this host");
  setup->add_flag("--replace", options.replace,
                  "replaces configured files, and keeps copies");
  setup->add_flag("--new-authority", options.new_authority,
                  "a new certificate authority: all hosts need their new "
                  "certificates at once");
  setup->add_option("--root", options.root,
                    "instead of /, for the files of this host");
  setup->callback([given, chosen] {
    *chosen = [given] { return RunSetupCommand(*given); };
  });
}

}  // namespace carme::carmectl
