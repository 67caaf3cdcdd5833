// What `carmectl setup` must know about a site: the answers, one table with all
// questions, and the TOML file in which they are kept.
#ifndef CARME_BACKEND_CARMECTL_SETUP_SITE_SITE_ANSWERS_H_
#define CARME_BACKEND_CARMECTL_SETUP_SITE_SITE_ANSWERS_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace carme::carmectl {

// Values. Contains no password.
struct SiteAnswers {
  // [portal]
  std::string portal_host;
  std::string jobs_domain;
  std::string jobs_host;
  std::string public_certificate;
  std::string public_key;
  // [hosts]
  std::string backend_host;
  std::string backend_address;
  std::vector<std::string> dmz_addresses;
  std::vector<std::string> node_networks;
  // [cluster]
  std::string cluster;                        // empty: the portal has one
  std::vector<std::string> further_clusters;  // of the identity backend
  std::string identity_backend;               // of a further cluster
  std::string identity_ca;
  std::string identity_certificate;
  std::string identity_key;
  std::string issuer_key;
  // [directory]
  std::string directory_kind = "posix";
  std::string ldap_url;
  bool start_tls = false;
  std::string ldap_ca_file;
  std::string bind_dn;
  std::string bind_password_file;
  std::string user_base;
  std::string group_base;
  std::string allowed_group = "carme-users";
  std::string admin_group = "carme-admins";
  std::string test_user;
  // [slurm]
  std::string slurm_conf = "/etc/slurm/slurm.conf";
  std::string feature = "carme";
  std::vector<std::string> allowed_addresses;
  // [jobs]
  std::vector<std::string> homes = {"/home"};
  std::string scratch = "/var/lib/carme/scratch";
  bool node_system = true;
  std::string image;
};

enum class AnswerRule {
  kPublicName,  // a DNS name, with a port unless it is 443
  kHostName,    // a DNS name or an IP address
  kAddresses,
  kNetworks,
  kDirectoryKind,
  kLdapUrl,
  kPath,
  kDn,
  kName,
  kFeature,
  kFlag,
  kClusterName,
  kHostAndPort,  // a host name or an IP address, with a port
  kIssuerKey,    // 32 bytes as base64url
};

// The steps in which answers are asked and tried.
enum class SetupStep {
  kPortal,
  kHosts,
  kCluster,
  kDirectory,
  kGroups,
  kSlurm,
  kJobs
};

inline constexpr SetupStep kSetupSteps[] = {
    SetupStep::kPortal,    SetupStep::kHosts,  SetupStep::kCluster,
    SetupStep::kDirectory, SetupStep::kGroups, SetupStep::kSlurm,
    SetupStep::kJobs};

// Whether this cluster is a further one of a portal: the identity backend of
// another cluster authenticates its users.
bool IsFurtherCluster(const SiteAnswers& answers);

// A question and its key in the file. One of the three members is set.
struct SetupQuestion {
  SetupStep step;
  std::string_view table;
  std::string_view key;
  AnswerRule rule;
  bool required;
  std::string_view question;
  std::string_view about;  // lines of a comment; may be empty
  std::string SiteAnswers::*text = nullptr;
  std::vector<std::string> SiteAnswers::*list = nullptr;
  bool SiteAnswers::*flag = nullptr;
};

// In the order in which they are asked; questions of a table are adjacent.
const std::vector<SetupQuestion>& SetupQuestions();

// The answer as typed and shown: a list has spaces between its items, a flag is
// "yes" or "no".
std::string AnswerText(const SetupQuestion& question,
                       const SiteAnswers& answers);
// Sets the answer, unless it breaks its rule: INVALID_ARGUMENT.
absl::Status SetAnswer(const SetupQuestion& question, std::string_view text,
                       SiteAnswers* answers);

// All answers of a file, each by its rule. INVALID_ARGUMENT: all errors at
// once, with their lines; unknown keys are errors.
absl::StatusOr<SiteAnswers> ParseAnswers(std::string_view text,
                                         const std::string& path);
absl::StatusOr<SiteAnswers> LoadAnswers(const std::string& path);

// A commented file that ParseAnswers reads.
std::string FormatAnswers(const SiteAnswers& answers);
// The answers of `--print-answers`.
SiteAnswers ExampleAnswers();

}  // namespace carme::carmectl

#endif  // CARME_BACKEND_CARMECTL_SETUP_SITE_SITE_ANSWERS_H_
