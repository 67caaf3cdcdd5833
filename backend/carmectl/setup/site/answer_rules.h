// The rules for answers that need no other host.
#ifndef CARME_BACKEND_CARMECTL_SETUP_SITE_ANSWER_RULES_H_
#define CARME_BACKEND_CARMECTL_SETUP_SITE_ANSWER_RULES_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "backend/carmectl/setup/site/site_answers.h"

namespace carme::carmectl {

// Checks one answer; of a list, each item. INVALID_ARGUMENT, with a text that
// continues "KEY ".
absl::Status CheckAnswer(const SetupQuestion& question, std::string_view text);
absl::Status CheckAnswer(const SetupQuestion& question,
                         const std::vector<std::string>& items);

struct AnswerConflict {
  std::string_view table;
  std::string_view key;  // where it is reported
  absl::Status status;
};

// Answers of the step that do not fit together.
std::vector<AnswerConflict> FindConflicts(SetupStep step,
                                          const SiteAnswers& answers);

// "carme.example.org" of "carme.example.org:8443".
std::string HostOf(const std::string& host_and_port);

}  // namespace carme::carmectl

#endif  // CARME_BACKEND_CARMECTL_SETUP_SITE_ANSWER_RULES_H_
