#include "backend/carmectl/setup/interview.h"

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "backend/carmectl/setup/site/answer_rules.h"
#include "backend/carmectl/setup/site/messages.h"
#include "common/printable.h"
#include "common/status.h"

namespace carme::carmectl {
namespace {

constexpr size_t kMaxShownBytes = 1000;

std::string PromptOf(const SetupQuestion& question,
                     const std::string& proposal) {
  std::string prompt;
  if (!question.about.empty()) {
    absl::StrAppend(&prompt, "  (", std::string(question.about), ")\n");
  }
  absl::StrAppend(&prompt, std::string(question.question), " [",
                  Readable(proposal, kMaxShownBytes), "]: ");
  return prompt;
}

// Answers that follow from others are not asked for.
bool IsAsked(const SetupQuestion& question, const SiteAnswers& answers) {
  if (question.key == "jobs_host") return answers.jobs_domain.empty();
  if (question.key == "key") return !answers.public_certificate.empty();
  if (question.step == SetupStep::kCluster && question.key != "name") {
    if (answers.cluster.empty()) return false;
    if (question.key == "identity_backend") {
      return answers.further_clusters.empty();
    }
    return question.key == "further" || IsFurtherCluster(answers);
  }
  if (question.key == "start_tls") {
    return absl::StrContains(answers.ldap_url, "ldap://");
  }
  if (question.key == "ca_file") {
    return !absl::StartsWith(answers.ldap_url, "ldapi://");
  }
  return true;
}

}  // namespace

absl::StatusOr<SiteAnswers> SetupInterview::Ask(const SiteAnswers& proposals) {
  answers_ = proposals;
  terminal_.Print(FormatMessage(setup_messages::kWelcome));
  for (const SetupStep step : kSetupSteps) {
    for (bool finished = false; !finished;) {
      RETURN_IF_ERROR(AskStep(step));
      ASSIGN_OR_RETURN(finished, TryStep(step));
    }
  }
  return answers_;
}

absl::Status SetupInterview::AskStep(SetupStep step) {
  terminal_.Print("\n");
  for (const SetupQuestion& question : SetupQuestions()) {
    if (question.step != step) continue;
    if (question.key == "bind_password_file") {
      RETURN_IF_ERROR(AskPassword());
    } else if (IsAsked(question, answers_)) {
      RETURN_IF_ERROR(AskQuestion(question));
    } else if (question.text != nullptr) {
      (answers_.*question.text).clear();
    } else if (question.list != nullptr) {
      (answers_.*question.list).clear();
    } else if (question.flag != nullptr) {
      answers_.*question.flag = false;
    }
  }
  return absl::OkStatus();
}

absl::Status SetupInterview::AskQuestion(const SetupQuestion& question) {
  const std::string proposal = AnswerText(question, answers_);
  for (;;) {
    ASSIGN_OR_RETURN(const std::string line,
                     terminal_.ReadLine(PromptOf(question, proposal)));
    std::string value(absl::StripAsciiWhitespace(line));
    if (value.empty()) value = proposal;
    if (value == "-") value.clear();
    const absl::Status set = SetAnswer(question, value, &answers_);
    if (set.ok()) return set;
    terminal_.Print(absl::StrCat(
        "  ", std::string(question.key), " ",
        Readable(std::string(set.message()), kMaxShownBytes), "\n"));
  }
}

absl::Status SetupInterview::AskPassword() {
  if (answers_.bind_dn.empty()) {
    answers_.bind_password_file.clear();
    password_.clear();
    return absl::OkStatus();
  }
  const bool has_one =
      !answers_.bind_password_file.empty() || !password_.empty();
  for (;;) {
    ASSIGN_OR_RETURN(
        std::string typed,
        terminal_.ReadPassword(FormatMessage(
            has_one ? setup_messages::kPasswordKept
                    : setup_messages::kPasswordQuestion,
            {{"account", Readable(answers_.bind_dn, kMaxShownBytes)}})));
    if (typed.empty() && has_one) return absl::OkStatus();
    if (typed.empty()) continue;
    password_ = std::move(typed);
    return absl::OkStatus();
  }
}

absl::StatusOr<bool> SetupInterview::TryStep(SetupStep step) {
  bool blocked = false;
  for (const AnswerConflict& each : FindConflicts(step, answers_)) {
    terminal_.Print(
        absl::StrCat("  ", std::string(each.status.message()), "\n"));
    blocked = true;
  }
  if (blocked) return AskChoice(false);
  if (trial_ == nullptr || !AnswerTrial::IsTried(step, answers_)) return true;
  terminal_.Print(FormatMessage(setup_messages::kTrying,
                                {{"checks", AnswerTrial::StepChecks(step)}}));
  const auto findings = trial_->TryStep(step, answers_, password_);
  RETURN_IF_ERROR(InterruptSignals::Check());
  if (!findings.ok()) {
    terminal_.Print(absl::StrCat(
        "  ",
        Readable(std::string(findings.status().message()), kMaxShownBytes),
        "\n"));
    return AskChoice(false);
  }
  bool notable = false;
  for (const Finding& finding : *findings) {
    terminal_.Print(FormatFinding(finding));
    notable = notable || finding.kind.severity != Severity::kNote;
    blocked = blocked || !AnswerTrial::IsAcceptable(finding);
  }
  if (notable) return AskChoice(!blocked);
  terminal_.Print(FormatMessage(setup_messages::kTrialGood));
  return true;
}

absl::StatusOr<bool> SetupInterview::AskChoice(bool acceptable) {
  for (;;) {
    const auto line = terminal_.ReadLine(
        FormatMessage(acceptable ? setup_messages::kChoiceAcceptable
                                 : setup_messages::kChoiceBlocked));
    RETURN_IF_ERROR(line.status());
    const std::string_view choice = *line;
    if (choice.empty() || choice == "a") return false;
    if (choice == "c" && acceptable) return true;
    if (choice == "s") return MakePlainError(setup_messages::kInterrupted);
  }
}

}  // namespace carme::carmectl
