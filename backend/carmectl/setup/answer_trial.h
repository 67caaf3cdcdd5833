// Tries answers with the checks of `carmectl doctor`: the configuration that
// follows from them is written into a private directory, and inspected there.
#ifndef CARME_BACKEND_CARMECTL_SETUP_ANSWER_TRIAL_H_
#define CARME_BACKEND_CARMECTL_SETUP_ANSWER_TRIAL_H_

#include <sys/types.h>

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "backend/carmectl/doctor/host/finding.h"
#include "backend/carmectl/doctor/host/name_resolver.h"
#include "backend/carmectl/setup/site/site_files.h"

namespace carme::carmectl {

struct TrialOptions {
  std::vector<std::string> tool_directories;
  const NameResolver* resolver;
  std::string prefix = "/usr";
  uid_t root_uid = 0;
};

// Not thread-safe.
class AnswerTrial {
 public:
  explicit AnswerTrial(TrialOptions options) : options_(std::move(options)) {}

  // What is wrong with the answers of this step; blocks for names, connections
  // and commands. `password` as in LoadMaterial(). Errors: a file that an
  // answer names cannot be used.
  absl::StatusOr<std::vector<Finding>> TryStep(
      SetupStep step, const SiteAnswers& answers,
      const std::string& password) const;

  // Has the installed programs read their configuration, with these
  // certificates.
  absl::StatusOr<std::vector<Finding>> TryFiles(
      const SiteAnswers& answers, const SiteMaterial& material) const;

  // False: the step has nothing to try with these answers.
  static bool IsTried(SetupStep step, const SiteAnswers& answers);

  // What TryStep tries, for people.
  static std::string_view StepChecks(SetupStep step);

  // Whether Carme can be set up although this is wrong: warnings, and what can
  // be corrected afterwards, such as DNS.
  static bool IsAcceptable(const Finding& finding);

 private:
  const TrialOptions options_;
};

// A line for each part of the finding, safe for a terminal.
std::string FormatFinding(const Finding& finding);

}  // namespace carme::carmectl

#endif  // CARME_BACKEND_CARMECTL_SETUP_ANSWER_TRIAL_H_
