// carmectl support-bundle: collects what a report of a problem needs.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/time/clock.h"
#include "backend/carmectl/commands/command.h"
#include "backend/carmectl/support/support_bundle.h"
#include "common/status.h"

namespace carme::carmectl {
namespace {

absl::Status WriteBundle(SupportBundleOptions options) {
  std::error_code error;
  const std::filesystem::path self =
      std::filesystem::read_symlink("/proc/self/exe", error);
  std::vector<std::string> directories = {"/usr/local/sbin", "/usr/local/bin",
                                          "/usr/sbin",       "/usr/bin",
                                          "/sbin",           "/bin"};
  if (!error) directories.insert(directories.begin(), self.parent_path());
  options.now = absl::Now();
  RETURN_IF_ERROR(
      CreateSupportBundle(options, ToolRunner(std::move(directories))));
  std::printf(
      "wrote \"%s\". It has names of users and hosts, and no passwords or "
      "keys. Look at it before you send it.\n",
      options.file.c_str());
  return absl::OkStatus();
}

}  // namespace

void AddSupportBundleCommand(CLI::App* app, Command* chosen) {
  CLI::App* const bundle = app->add_subcommand(
      "support-bundle",
      "collect configuration without secrets, versions, logs and findings");
  const auto options = std::make_shared<SupportBundleOptions>();
  bundle->add_option("file", options->file, "a new tar file, mode 0600")
      ->required();
  bundle
      ->add_option("--config-dir", options->config_directory,
                   "where the configuration files are")
      ->capture_default_str();
  bundle
      ->add_option("--lines", options->log_lines,
                   "of the journal, for each service")
      ->capture_default_str()
      ->check(CLI::Range(0, 100000));
  bundle->add_flag("!--without-doctor", options->with_doctor,
                   "do not run carmectl doctor");
  bundle->footer(
      "Run it as root on the host with the problem. Values of the "
      "configuration that are not known to be harmless are \"***\".");
  bundle->callback(
      [=] { *chosen = [options] { return WriteBundle(*options); }; });
}

}  // namespace carme::carmectl
