#include "backend/carmectl/setup/setup_run.h"

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <utility>

#include "absl/strings/str_cat.h"
#include "backend/carmectl/doctor/host/tool_runner.h"
#include "backend/carmectl/setup/answer_trial.h"
#include "backend/carmectl/setup/host_proposals.h"
#include "backend/carmectl/setup/interview.h"
#include "backend/carmectl/setup/prepared_install.h"
#include "backend/carmectl/setup/site/messages.h"
#include "backend/carmectl/setup/site/site_authority.h"
#include "backend/carmectl/setup/staging.h"
#include "backend/carmectl/setup/terminal.h"
#include "common/status.h"

namespace carme::carmectl {
namespace {

namespace fs = std::filesystem;

class SetupRun {
 public:
  explicit SetupRun(const SetupOptions& options)
      : options_(options),
        tools_(options.tool_directories),
        trial_({.tool_directories = options.tool_directories,
                .resolver = options.resolver,
                .prefix = options.prefix,
                .root_uid = geteuid()}),
        terminal_(STDIN_FILENO, STDOUT_FILENO) {}

  absl::Status Run() {
    if (!options_.check_only) {
      if (geteuid() != 0) return MakePlainError(setup_messages::kNotRoot);
      RETURN_IF_ERROR(CheckStagingDirectory(options_.directory));
    }
    if (options_.answers_file.empty()) {
      RETURN_IF_ERROR(AskAnswers());
    } else {
      ASSIGN_OR_RETURN(answers_, LoadAnswers(options_.answers_file));
      if (!options_.offline) RETURN_IF_ERROR(TryAnswers());
    }
    ASSIGN_OR_RETURN(material_, LoadMaterial(answers_, password_));
    if (options_.check_only) {
      Print(options_.offline ? setup_messages::kCheckedOffline
                             : setup_messages::kChecked);
      return absl::OkStatus();
    }
    return Write();
  }

 private:
  void Print(const MessageTemplate& message) {
    terminal_.Print(FormatMessage(message));
  }

  std::string AnswersPath() const {
    return absl::StrCat(options_.directory, "/answers.toml");
  }

  absl::Status AskAnswers() {
    if (!terminal_.IsTerminal()) {
      return MakePlainError(setup_messages::kNoTerminal);
    }
    SiteAnswers proposals;
    auto previous = LoadAnswers(AnswersPath());
    if (previous.ok()) {
      proposals = *std::move(previous);
    } else {
      HostProposals found = FindProposals({"", &tools_, options_.resolver});
      for (const std::string& note : found.notes) terminal_.Print(note);
      proposals = std::move(found.answers);
    }
    SetupInterview interview(&terminal_, options_.offline ? nullptr : &trial_);
    ASSIGN_OR_RETURN(answers_, interview.Ask(proposals));
    password_ = interview.password();
    return absl::OkStatus();
  }

  absl::Status TryAnswers() {
    int errors = 0;
    for (const SetupStep step : kSetupSteps) {
      if (!AnswerTrial::IsTried(step, answers_)) continue;
      RETURN_IF_ERROR(InterruptSignals::Check());
      terminal_.Print(
          FormatMessage(setup_messages::kTrying,
                        {{"checks", AnswerTrial::StepChecks(step)}}));
      ASSIGN_OR_RETURN(const std::vector<Finding> findings,
                       trial_.TryStep(step, answers_, ""));
      errors += PrintFindings(findings);
    }
    return errors == 0 ? absl::OkStatus()
                       : MakePlainError(setup_messages::kTrialFailed,
                                        {{"errors", errors}});
  }

  // The number of errors with which nothing is written.
  int PrintFindings(const std::vector<Finding>& findings) {
    int errors = 0;
    for (const Finding& finding : findings) {
      terminal_.Print(FormatFinding(finding));
      errors += AnswerTrial::IsAcceptable(finding) ? 0 : 1;
    }
    if (findings.empty()) Print(setup_messages::kTrialGood);
    return errors;
  }

  // A copy, so that the authority changes with everything else or not at all.
  absl::Status CopyAuthority(const std::string& directory) {
    const std::string present = absl::StrCat(options_.directory, "/pki");
    const std::string copy = absl::StrCat(directory, "/pki");
    struct stat info {};
    if (options_.new_authority) return absl::OkStatus();
    if (lstat(present.c_str(), &info) != 0) {
      if (access(AnswersPath().c_str(), F_OK) != 0) return absl::OkStatus();
      return MakePlainError(setup_messages::kAuthorityMissing,
                            {{"path", present}});
    }
    std::error_code error;
    fs::copy(present, copy,
             fs::copy_options::recursive | fs::copy_options::copy_symlinks,
             error);
    if (!error) return absl::OkStatus();
    return ErrnoError(error.value(), absl::StrCat("copy \"", present, "\""));
  }

  absl::Status Confirm() {
    if (!options_.answers_file.empty()) return absl::OkStatus();
    const std::string install =
        options_.stage_only ? "" : FormatMessage(setup_messages::kWriteInstall);
    for (;;) {
      ASSIGN_OR_RETURN(
          const std::string line,
          terminal_.ReadLine(FormatMessage(
              setup_messages::kWriteQuestion,
              {{"directory", options_.directory}, {"install", install}})));
      if (line == "yes") return absl::OkStatus();
      if (line == "no") return MakePlainError(setup_messages::kInterrupted);
    }
  }

  absl::Status Write() {
    ASSIGN_OR_RETURN(PrivateDirectory staging,
                     PrivateDirectory::CreateBeside(options_.directory));
    RETURN_IF_ERROR(CopyAuthority(staging.path()));
    RETURN_IF_ERROR(IssueSiteCertificates(absl::StrCat(staging.path(), "/pki"),
                                          answers_, options_.now, &material_));
    if (!options_.offline) {
      terminal_.Print(FormatMessage(
          setup_messages::kTrying,
          {{"checks", std::string_view("each program reads its files")}}));
      ASSIGN_OR_RETURN(const std::vector<Finding> findings,
                       trial_.TryFiles(answers_, material_));
      const int errors = PrintFindings(findings);
      if (errors > 0) {
        return MakePlainError(setup_messages::kTrialFailed,
                              {{"errors", errors}});
      }
    }
    const SitePaths paths{.prefix = options_.prefix};
    ASSIGN_OR_RETURN(const std::vector<SetupFile> files,
                     RenderSite(answers_, material_, paths));
    SiteAnswers stored = answers_;
    if (!stored.bind_dn.empty()) {
      stored.bind_password_file = StagedPasswordPath(options_.directory);
    }
    RETURN_IF_ERROR(WriteStaging(staging.path(), files, FormatAnswers(stored),
                                 RenderSlurmLines(answers_, paths),
                                 RenderPortalLines(answers_, paths)));
    RETURN_IF_ERROR(Confirm());
    ASSIGN_OR_RETURN(PreparedInstall install,
                     PreparedInstall::Prepare(
                         options_.stage_only ? std::vector<SetupFile>() : files,
                         SetupHost::kHead,
                         {.root = options_.root,
                          .replace = options_.replace,
                          .now = options_.now}));
    RETURN_IF_ERROR(InterruptSignals::Check());
    RETURN_IF_ERROR(staging.MoveTo(options_.directory));
    RETURN_IF_ERROR(install.Commit());
    PrintNextSteps(install);
    return absl::OkStatus();
  }

  void PrintNextSteps(const PreparedInstall& install) {
    for (const std::string& copy : install.copies()) {
      terminal_.Print(
          FormatMessage(setup_messages::kCopyKept, {{"path", copy}}));
    }
    if (answers_.public_certificate.empty()) {
      Print(setup_messages::kNoPublicCertificate);
    }
    if (!answers_.further_clusters.empty()) {
      Print(setup_messages::kClusterCertificates);
    }
    if (IsFurtherCluster(answers_)) Print(setup_messages::kPortalSteps);
    const std::string command = FormatMessage(
        setup_messages::kStagedHead, {{"directory", options_.directory}});
    terminal_.Print(FormatMessage(
        setup_messages::kNextSteps,
        {{"directory", options_.directory},
         {"head_note", options_.stage_only ? "" : " (its files are installed)"},
         {"head_command", options_.stage_only ? command : ""}}));
  }

  const SetupOptions& options_;
  const ToolRunner tools_;
  const AnswerTrial trial_;
  SetupTerminal terminal_;
  SiteAnswers answers_;
  SiteMaterial material_;
  std::string password_;
};

}  // namespace

absl::Status RunSetup(const SetupOptions& options) {
  const InterruptSignals signals;
  return SetupRun(options).Run();
}

}  // namespace carme::carmectl
