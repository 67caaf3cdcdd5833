// The questions of `carmectl setup` on a terminal.
#ifndef CARME_BACKEND_CARMECTL_SETUP_INTERVIEW_H_
#define CARME_BACKEND_CARMECTL_SETUP_INTERVIEW_H_

#include <string>

#include "absl/status/statusor.h"
#include "backend/carmectl/setup/answer_trial.h"
#include "backend/carmectl/setup/site/site_answers.h"
#include "backend/carmectl/setup/terminal.h"

namespace carme::carmectl {

// Not thread-safe. Everything must outlive it.
class SetupInterview {
 public:
  // `trial` nullptr: answers are not tried.
  SetupInterview(SetupTerminal* terminal, const AnswerTrial* trial)
      : terminal_(*terminal), trial_(trial) {}

  // Asks all questions, with `proposals` as their defaults, and tries each
  // step. CANCELLED: the user stopped.
  absl::StatusOr<SiteAnswers> Ask(const SiteAnswers& proposals);
  // The password that was typed; empty: the one of bind_password_file is kept.
  const std::string& password() const { return password_; }

 private:
  absl::Status AskStep(SetupStep step);
  absl::Status AskQuestion(const SetupQuestion& question);
  absl::Status AskPassword();
  // Whether the step is finished, else it is asked again.
  absl::StatusOr<bool> TryStep(SetupStep step);
  absl::StatusOr<bool> AskChoice(bool acceptable);

  SetupTerminal& terminal_;
  const AnswerTrial* const trial_;
  SiteAnswers answers_;
  std::string password_;
};

}  // namespace carme::carmectl

#endif  // CARME_BACKEND_CARMECTL_SETUP_INTERVIEW_H_
