#include "slurm-hooks/vet/cli/run_report.h"

#include <fcntl.h>
#include <limits.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "common/encoding.h"
#include "common/message.h"
#include "common/random.h"
#include "common/status.h"
#include "common/unique_fd.h"
#include "slurm-hooks/hook_report/exit_code.h"
#include "slurm-hooks/vet/cli/messages.h"

namespace carme::vet {
namespace {

using node::v1::VetResult;

constexpr char kSender[] = "carme-hook-report";
constexpr size_t kRunIdBytes = 16;
constexpr int kMaxReportedEvaluations = 64;

void FillNodeReport(const VetRun& run, const NodeReport& node,
                    const std::string& name, v1::NodeVetReport* report) {
  report->set_node(name);
  for (size_t i = 0; i < node.results.size(); ++i) {
    const VetResult& result = node.results[i];
    const std::string& evaluation = run.config.evaluations[i].name;
    if (result.status() == node::v1::VET_STATUS_PASSED) {
      if (report->passed_size() < kMaxReportedEvaluations) {
        report->add_passed(evaluation);
      }
    } else if (result.status() != node::v1::VET_STATUS_SKIPPED &&
               report->failures_size() < kMaxReportedEvaluations) {
      v1::VetFailure* const failure = report->add_failures();
      failure->set_evaluation(evaluation);
      failure->set_reason(
          result.reason().empty()
              ? FormatMessage(vet_messages::kNoResultOfEvaluation)
              : result.reason());
    }
  }
  // A node without any result is not healthy.
  if (!node.is_healthy() && report->failures().empty()) {
    v1::VetFailure* const failure = report->add_failures();
    failure->set_evaluation("connection");
    failure->set_reason(FormatMessage(vet_messages::kNoResultOfEvaluation));
  }
}

std::string ShortName(const std::string& host) {
  return host.substr(0, host.find('.'));
}

std::string SenderPath() {
  char path[PATH_MAX];
  const ssize_t length = readlink("/proc/self/exe", path, sizeof path);
  if (length <= 0) return kSender;
  const std::string own(path, static_cast<size_t>(length));
  return absl::StrCat(own.substr(0, own.rfind('/') + 1), kSender);
}

bool WriteAll(int fd, const std::string& bytes) {
  size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t count = write(fd, bytes.data() + done, bytes.size() - done);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    done += static_cast<size_t>(count);
  }
  return true;
}

// Runs carme-hook-report with these words first and `input`; its exit code, or
// -1 if it has none or did not read the input.
absl::StatusOr<int> RunSender(const std::string& path,
                              std::vector<std::string> words,
                              const std::string& input,
                              const std::string& node_config) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return ErrnoError(errno, "pipe");
  UniqueFd reading(ends[0]);
  UniqueFd writing(ends[1]);
  words.insert(words.begin(), kSender);
  if (!node_config.empty()) {
    words.insert(words.end(), {"--config", node_config});
  }
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  const pid_t sender = fork();
  if (sender < 0) return ErrnoError(errno, "fork");
  if (sender == 0) {
    dup2(reading.get(), STDIN_FILENO);
    execv(path.c_str(), arguments.data());
    _exit(127);
  }
  reading.reset();
  const bool is_written = WriteAll(writing.get(), input);
  writing.reset();
  int status = 0;
  while (waitpid(sender, &status, 0) < 0 && errno == EINTR) {
  }
  return is_written && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace

absl::StatusOr<v1::ReportVetRunRequest> MakeRunReport(
    const VetRun& run, const Options& options, bool is_root,
    const std::string& host, const ReadVariable& read) {
  v1::ReportVetRunRequest report;
  report.set_run_id(HexEncode(RandomBytes(kRunIdBytes)));
  if (is_root) {
    report.set_prolog_slurm_job_id(options.prolog_job);
    const std::string name = OwnNodeName(host, read);
    for (const NodeReport& node : run.nodes) {
      const bool is_own = node.host == host || node.host == name;
      if (is_own) FillNodeReport(run, node, name, report.add_nodes());
    }
    return report;
  }
  uint32_t job = 0;
  if (!absl::SimpleAtoi(read("SLURM_JOB_ID").value_or(""), &job) || job == 0) {
    return MakePlainError(vet_messages::kReportNotInAJob);
  }
  report.set_slurm_job_id(job);
  for (const NodeReport& node : run.nodes) {
    FillNodeReport(run, node, ShortName(node.host), report.add_nodes());
  }
  return report;
}

absl::Status SendRunReport(const v1::ReportVetRunRequest& report,
                           const Options& options) {
  const std::string path = SenderPath();
  ASSIGN_OR_RETURN(const int code,
                   RunSender(path, {"--vet-run"}, report.SerializeAsString(),
                             options.node_config));
  if (code == 0) return absl::OkStatus();
  return MakePlainError(vet_messages::kNotReported,
                        {{"program", path}, {"code", code}});
}

absl::StatusOr<bool> IsRunRequested(const std::string& node,
                                    const Options& options) {
  const std::string path = SenderPath();
  ASSIGN_OR_RETURN(const int code, RunSender(path, {"--vet-requested", node},
                                             "", options.node_config));
  if (code == 0) return true;
  if (code == hook_report::kVetNotRequested) return false;
  return MakePlainError(vet_messages::kRequestNotRead,
                        {{"program", path}, {"code", code}});
}

std::string OwnNodeName(const std::string& host, const ReadVariable& read) {
  return read("SLURMD_NODENAME").value_or(ShortName(host));
}

absl::Status ReportRun(const VetRun& run, const Options& options,
                       const ReadVariable& read) {
  char host[HOST_NAME_MAX + 1] = "";
  gethostname(host, HOST_NAME_MAX);
  ASSIGN_OR_RETURN(const v1::ReportVetRunRequest report,
                   MakeRunReport(run, options, geteuid() == 0, host, read));
  const bool has_failures = std::any_of(
      report.nodes().begin(), report.nodes().end(),
      [](const v1::NodeVetReport& node) { return node.failures_size() > 0; });
  const bool is_of_job = report.slurm_job_id() != 0 || options.prolog_job != 0;
  if (is_of_job && !has_failures) return absl::OkStatus();
  return SendRunReport(report, options);
}

}  // namespace carme::vet
