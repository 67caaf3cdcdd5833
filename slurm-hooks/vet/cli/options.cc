#include "slurm-hooks/vet/cli/options.h"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "slurm-hooks/vet/cli/messages.h"

namespace carme::vet {
namespace {

[[noreturn]] void Refuse(const MessageTemplate& problem) {
  std::fprintf(stderr, "carme vet: %s\n", FormatMessage(problem).c_str());
  std::exit(kExitConfiguration);
}

// The name by which scripts for vetnode call this program.
bool IsCalledVetnode(const char* program) {
  return std::filesystem::path(program).filename() == "vetnode";
}

// `diagnose CONFIG` and `setup CONFIG` are vetnode's.
void TakeWords(std::vector<std::string> words, bool is_vetnode,
               Options* options) {
  const bool has_verb =
      !words.empty() && (words[0] == "diagnose" || words[0] == "setup");
  if (is_vetnode && !has_verb) Refuse(vet_messages::kVetnodeVerb);
  if (has_verb) {
    options->is_setup = words[0] == "setup";
    words.erase(words.begin());
    if (words.empty() && options->config_path.empty()) {
      Refuse(vet_messages::kOneConfig);
    }
  }
  if (words.size() > (options->config_path.empty() ? 1U : 0U)) {
    Refuse(vet_messages::kOneConfig);
  }
  if (!words.empty()) options->config_path = words[0];
}

}  // namespace

Options ParseOptions(int argc, char** argv) {
  std::vector<std::string> arguments(argv + 1, argv + argc);
  Options options;
  const auto separator = std::find(arguments.begin(), arguments.end(), "--");
  if (separator != arguments.end()) {
    options.command.assign(separator + 1, arguments.end());
    arguments.erase(separator, arguments.end());
  }
  const bool is_vetnode = argc > 0 && IsCalledVetnode(argv[0]);
  CLI::App app("carme vet checks the nodes of a job before it uses them.",
               is_vetnode ? "vetnode" : "carme vet");
  app.footer(is_vetnode ? "vetnode setup CONFIG\n"
                          "vetnode diagnose CONFIG [OPTION...]\n"
                          "This is carme vet in the place of vetnode."
                        : "carme vet [OPTION...] [diagnose] CONFIG\n"
                          "carme vet --require N [--spare K] [OPTION...] -- "
                          "COMMAND...");
  app.set_version_flag("--version", "carme vet " CARME_VERSION);
  std::vector<std::string> words;
  double timeout_s = 0;
  double connect_timeout_s = absl::ToDoubleSeconds(options.connect_timeout);
  size_t spare = 0;
  bool skip_install = false;
  app.add_option("words", words)->group("");
  app.add_option("--config", options.config_path, "configuration (YAML)");
  app.add_flag("--check-config", options.check_config,
               "check the configuration and exit");
  app.add_flag("--json", options.json, "print a JSON object a line");
  app.add_flag("--grid", options.grid, "print a table");
  app.add_flag("--verbose", options.verbose, "print all results");
  app.add_option("--timeout", timeout_s,
                 "seconds for each evaluation without a time-out of its own")
      ->check(CLI::Range(0.1, 86400.0));
  app.add_option("--connect-timeout", connect_timeout_s,
                 "seconds to wait for the other nodes")
      ->check(CLI::Range(0.1, 3600.0))
      ->capture_default_str();
  app.add_option("--learn", options.learn_path,
                 "add the measurements of healthy nodes to a baseline file");
  app.add_option("--require", options.required,
                 "number of healthy nodes that the command needs")
      ->check(CLI::Range(size_t{1}, size_t{100000}));
  auto* const spare_option = app.add_option(
      "--spare", spare, "number of nodes that the job has in addition");
  app.add_flag(
      "--requeue", options.requeue,
      "with too few healthy nodes, requeue the job without the others");
  app.add_flag("--report", options.report,
               "report the results to Carme: the site's as root, else the "
               "user's in this job");
  app.add_flag("--if-requested", options.if_requested,
               "as root: vet this node only if Carme asks for that, and report "
               "the results");
  app.add_option("--prolog-job", options.prolog_job)->group("");
  app.add_option("--node-config", options.node_config)->group("");
  app.add_flag("--skip-install", skip_install, "ignored: nothing is installed")
      ->group(is_vetnode ? "Options" : "");
  app.add_flag("--worker", options.is_worker)->group("");
  std::reverse(arguments.begin(), arguments.end());  // in the order of CLI11
  try {
    app.parse(arguments);
  } catch (const CLI::ParseError& error) {  // --help and --version, too
    std::exit(app.exit(error) == 0 ? 0 : kExitConfiguration);
  }
  if (timeout_s > 0) options.timeout = absl::Seconds(timeout_s);
  options.connect_timeout = absl::Seconds(connect_timeout_s);
  if (spare_option->count() > 0) options.spare = spare;
  if (options.prolog_job != 0 || options.if_requested) options.report = true;
  TakeWords(words, is_vetnode, &options);
  if (options.required > 0 && options.command.empty()) {
    Refuse(vet_messages::kNoCommand);
  }
  if (options.required == 0 &&
      (!options.command.empty() || options.requeue || options.spare)) {
    Refuse(vet_messages::kNoRequire);
  }
  if (options.if_requested &&
      (geteuid() != 0 || options.prolog_job != 0 || options.required > 0)) {
    Refuse(vet_messages::kIfRequestedNotRoot);
  }
  return options;
}

}  // namespace carme::vet
