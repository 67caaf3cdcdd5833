#include "backend/carmectl/setup/answer_trial.h"

#include <sys/socket.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/time/clock.h"
#include "backend/carmectl/doctor/doctor_report.h"
#include "backend/carmectl/doctor/host/host.h"
#include "backend/carmectl/doctor/host/peer_connection.h"
#include "backend/carmectl/setup/site/messages.h"
#include "backend/carmectl/setup/staging.h"
#include "common/file.h"
#include "common/net/address.h"
#include "common/printable.h"
#include "common/status.h"
#include "common/unique_fd.h"

namespace carme::carmectl {
namespace {

constexpr size_t kMaxFindingBytes = 1000;

constexpr FindingKind kBackendUnresolved{
    "setup-backend-unresolved", Severity::kError,
    "Frontend, proxy and compute nodes connect to the backend by this name."};
constexpr FindingKind kBackendNotLocal{
    "setup-address-not-local", Severity::kError,
    "The backend cannot listen on an address of another host."};
constexpr FindingKind kIdentityBackend{
    "setup-identity-backend", Severity::kError,
    "Without the identity backend no user can use this cluster."};
constexpr FindingKind kHomesMissing{
    "setup-homes-missing", Severity::kWarning,
    "The impersonator creates the directory of job logs in the user's home."};

// Corrected later, without other answers: in DNS, or by what setup prints.
constexpr std::string_view kCorrectedLater[] = {
    "portal-name-unresolved", "jobs-name-unresolved", "slurm-feature-missing",
    "slurm-prolog-flags"};

std::string Basename(const std::string& path) {
  return std::filesystem::path(path).filename();
}

absl::Status CheckLocalAddress(const std::string& ip) {
  ASSIGN_OR_RETURN(const net::Address address, net::Address::FromIp(ip, 0));
  const UniqueFd fd(socket(address.family(), SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (fd.valid() && bind(fd.get(), address.get(), address.size()) == 0) {
    return absl::OkStatus();
  }
  return MakePlainError(
      setup_messages::kAddressNotLocal,
      {{"address", ip}, {"error", std::string_view(std::strerror(errno))}});
}

std::vector<Finding> TryHosts(const SiteAnswers& answers,
                              const NameResolver& resolver) {
  std::vector<Finding> findings;
  const auto resolved = resolver.Resolve(answers.backend_host, 0);
  if (!resolved.ok()) {
    findings.push_back(
        {kBackendUnresolved,
         absl::StrCat(answers.backend_host, ": ", resolved.status().message()),
         "add the name to DNS or /etc/hosts, or use an IP "
         "address"});
  }
  const absl::Status local = CheckLocalAddress(answers.backend_address);
  if (!local.ok()) {
    findings.push_back({kBackendNotLocal, std::string(local.message()),
                        "use an address of `ip address` on this host"});
  }
  return findings;
}

std::vector<Finding> TryCluster(const SiteAnswers& answers,
                                const NameResolver& resolver) {
  const absl::Status probed =
      ProbeTlsPeer({answers.identity_backend,
                    std::string(kBackendName),
                    answers.identity_ca,
                    {answers.identity_certificate, answers.identity_key}},
                   resolver);
  if (probed.ok()) return {};
  return {{kIdentityBackend,
           absl::StrCat(answers.identity_backend, ": ", probed.message()),
           absl::StrCat("at the identity backend: carmectl pki issue DIR "
                        "cluster ",
                        answers.cluster,
                        "; its firewall must let this host reach it")}};
}

std::vector<Finding> TryJobs(const SiteAnswers& answers) {
  std::vector<Finding> findings;
  for (const std::string& home : answers.homes) {
    std::error_code error;
    if (std::filesystem::is_directory(home, error)) continue;
    findings.push_back({kHomesMissing,
                        absl::StrCat("\"", home,
                                     "\" is not a directory of "
                                     "this host"),
                        "mount the users' homes on this host"});
  }
  return findings;
}

struct CheckPlan {
  std::set<HostRole> roles;
  std::vector<std::string> checks;
};

CheckPlan PlanOf(SetupStep step, const SiteAnswers& answers) {
  switch (step) {
    case SetupStep::kPortal: {
      CheckPlan plan{{HostRole::kProxy}, {"jobs-domain"}};
      if (!answers.public_certificate.empty()) {
        plan.checks.emplace_back("public-certificate");
      }
      return plan;
    }
    case SetupStep::kDirectory:
      return {{HostRole::kBackend}, {"directory"}};
    case SetupStep::kGroups:
      return {{HostRole::kBackend, HostRole::kImpersonator},
              {"directory", "name-service"}};
    case SetupStep::kSlurm:
      return {{HostRole::kBackend}, {"munge", "slurm"}};
    case SetupStep::kHosts:
    case SetupStep::kCluster:
    case SetupStep::kJobs:
      break;
  }
  return {};
}

// Without the answers of other steps, whose files may not exist.
SiteAnswers AnswersOf(SetupStep step, const SiteAnswers& answers) {
  SiteAnswers tried = answers;
  if (step != SetupStep::kJobs) tried.image.clear();
  if (step != SetupStep::kPortal) {
    tried.public_certificate.clear();
    tried.public_key.clear();
  }
  // Reads no file of the cluster's step.
  tried.cluster.clear();
  tried.further_clusters.clear();
  tried.identity_backend.clear();
  tried.identity_ca.clear();
  tried.identity_certificate.clear();
  tried.identity_key.clear();
  tried.issuer_key.clear();
  if (step == SetupStep::kDirectory) {
    tried.allowed_group.clear();
    tried.admin_group.clear();
    tried.test_user.clear();
  } else if (step != SetupStep::kGroups) {
    tried.ldap_ca_file.clear();
    tried.bind_dn.clear();
    tried.bind_password_file.clear();
    tried.test_user.clear();
  }
  return tried;
}

// Files of several hosts in one directory: their names differ, or their
// contents are the same but for the firewall's.
absl::Status WriteTrialFiles(const std::vector<SetupFile>& files,
                             const std::string& directory) {
  for (const SetupFile& file : files) {
    if (!file.path.starts_with(directory)) continue;
    const bool secret = (file.mode & 0077) == 0;
    RETURN_IF_ERROR(WriteFile(absl::StrCat(directory, "/", Basename(file.path)),
                              file.content, secret ? 0600 : 0644));
  }
  return absl::OkStatus();
}

// The files of the trial are gone when the finding is read: names those that
// they were copied from, or will be.
std::string NamingRealFiles(const std::string& text,
                            const std::string& directory,
                            const SiteAnswers& answers) {
  std::vector<std::pair<std::string, std::string>> names;
  for (const auto& [name, path] :
       {std::pair("/ldap-ca.pem", &answers.ldap_ca_file),
        {"/ldap-password", &answers.bind_password_file},
        {"/identity-ca.pem", &answers.identity_ca},
        {"/cluster.pem", &answers.identity_certificate},
        {"/cluster.key", &answers.identity_key},
        {"/public.pem", &answers.public_certificate},
        {"/public.key", &answers.public_key}}) {
    if (!path->empty()) names.emplace_back(directory + name, *path);
  }
  return absl::StrReplaceAll(absl::StrReplaceAll(text, names),
                             {{directory, SitePaths().config_directory}});
}

absl::StatusOr<std::vector<Finding>> RunPlan(const TrialOptions& options,
                                             const std::string& directory,
                                             const SiteAnswers& answers,
                                             const CheckPlan& plan) {
  HostOptions host_options{.config_directory = directory,
                           .roles = plan.roles,
                           .tool_directories = options.tool_directories,
                           .now = absl::Now(),
                           .root_uid = options.root_uid};
  if (!answers.test_user.empty()) host_options.users = {answers.test_user};
  const Host host(std::move(host_options), options.resolver);
  ASSIGN_OR_RETURN(const DoctorReport report,
                   RunChecks(host, {.only = plan.checks}));
  std::vector<Finding> findings;
  for (const CheckResult& result : report.results) {
    for (Finding finding : result.findings) {
      for (std::string* const text : {&finding.problem, &finding.remedy}) {
        *text = NamingRealFiles(*text, directory, answers);
      }
      findings.push_back(std::move(finding));
    }
  }
  return findings;
}

}  // namespace

absl::StatusOr<std::vector<Finding>> AnswerTrial::TryStep(
    SetupStep step, const SiteAnswers& answers,
    const std::string& password) const {
  if (step == SetupStep::kHosts) return TryHosts(answers, *options_.resolver);
  if (step == SetupStep::kCluster) {
    return TryCluster(answers, *options_.resolver);
  }
  const SiteAnswers tried = AnswersOf(step, answers);
  ASSIGN_OR_RETURN(const SiteMaterial material, LoadMaterial(tried, password));
  if (step == SetupStep::kJobs) return TryJobs(tried);
  ASSIGN_OR_RETURN(const PrivateDirectory directory,
                   PrivateDirectory::CreateTemporary());
  ASSIGN_OR_RETURN(
      const std::vector<SetupFile> files,
      RenderSite(tried, material, {directory.path(), options_.prefix}));
  RETURN_IF_ERROR(WriteTrialFiles(files, directory.path()));
  return RunPlan(options_, directory.path(), tried, PlanOf(step, tried));
}

absl::StatusOr<std::vector<Finding>> AnswerTrial::TryFiles(
    const SiteAnswers& answers, const SiteMaterial& material) const {
  SiteMaterial complete = material;
  if (complete.browsers.certificate.empty()) {
    complete.browsers = material.proxy;  // the proxy needs one to read its file
  }
  ASSIGN_OR_RETURN(const PrivateDirectory directory,
                   PrivateDirectory::CreateTemporary());
  ASSIGN_OR_RETURN(
      const std::vector<SetupFile> files,
      RenderSite(answers, complete, {directory.path(), options_.prefix}));
  RETURN_IF_ERROR(WriteTrialFiles(files, directory.path()));
  std::set<HostRole> roles{HostRole::kProxy, HostRole::kBackend,
                           HostRole::kImpersonator, HostRole::kStorageReader,
                           HostRole::kNode};
  if (!IsFurtherCluster(answers)) roles.insert(HostRole::kFrontend);
  return RunPlan(options_, directory.path(), answers,
                 {std::move(roles), {"configuration", "certificates"}});
}

bool AnswerTrial::IsTried(SetupStep step, const SiteAnswers& answers) {
  return step != SetupStep::kCluster || IsFurtherCluster(answers);
}

std::string_view AnswerTrial::StepChecks(SetupStep step) {
  switch (step) {
    case SetupStep::kPortal:
      return "DNS of the portal and the jobs, the certificate for browsers";
    case SetupStep::kHosts:
      return "name and address of this host";
    case SetupStep::kCluster:
      return "the connection to the identity backend";
    case SetupStep::kDirectory:
      return "the LDAP servers, TLS, Carme's account";
    case SetupStep::kGroups:
      return "the groups, the user, the name service";
    case SetupStep::kSlurm:
      return "MUNGE, slurmctld, its release and settings";
    case SetupStep::kJobs:
      break;
  }
  return "homes and image";
}

bool AnswerTrial::IsAcceptable(const Finding& finding) {
  if (finding.kind.severity != Severity::kError) return true;
  for (const std::string_view id : kCorrectedLater) {
    if (id == finding.kind.id) return true;
  }
  return false;
}

std::string FormatFinding(const Finding& finding) {
  const bool acceptable = AnswerTrial::IsAcceptable(finding);
  const std::string_view severity = finding.kind.severity == Severity::kNote
                                        ? "note"
                                    : acceptable ? "warning"
                                                 : "error";
  return FormatMessage(
      setup_messages::kFindingLine,
      {{"severity", severity},
       {"problem", Readable(finding.problem, kMaxFindingBytes)},
       {"why", finding.kind.why},
       {"remedy", Readable(finding.remedy, kMaxFindingBytes)}});
}

}  // namespace carme::carmectl
