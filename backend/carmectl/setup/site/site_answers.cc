#include "backend/carmectl/setup/site/site_answers.h"

#include <map>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "backend/carmectl/setup/site/answer_rules.h"
#include "backend/carmectl/setup/site/config_template.h"
#include "backend/carmectl/setup/site/messages.h"
#include "common/config/config.h"
#include "common/file.h"
#include "common/status.h"

namespace carme::carmectl {
namespace {

using A = SiteAnswers;

std::vector<SetupQuestion> MakeQuestions() {
  using R = AnswerRule;
  using S = SetupStep;
  return {
      {S::kPortal, "portal", "host", R::kPublicName, true,
       "Host name of the portal",
       "As users type it, with a port unless it is "
       "443.",
       &A::portal_host},
      {S::kPortal, "portal", "jobs_domain", R::kPublicName, false,
       "Domain of the jobs' host names",
       "With wildcard DNS. Use another registrable domain than the portal's.",
       &A::jobs_domain},
      {S::kPortal, "portal", "jobs_host", R::kPublicName, false,
       "One host name for all jobs",
       "Only without wildcard DNS, instead of "
       "jobs_domain.",
       &A::jobs_host},
      {S::kPortal, "portal", "certificate", R::kPath, false,
       "Certificate for browsers, with its chain (a file on this host)",
       "Empty: put it on the DMZ host yourself.", &A::public_certificate},
      {S::kPortal, "portal", "key", R::kPath, false,
       "Its key (a file on this "
       "host)",
       "", &A::public_key},
      {S::kHosts, "hosts", "backend", R::kHostName, true,
       "Name or address of this host, for the DMZ and the compute nodes", "",
       &A::backend_host},
      {S::kHosts, "hosts", "backend_address", R::kAddresses, true,
       "IP address on which the backend listens", "", &A::backend_address},
      {S::kHosts, "hosts", "dmz", R::kAddresses, true,
       "IP addresses of the DMZ host",
       "Also those of the backends of further clusters; at a further cluster, "
       "of the portal's frontend.",
       nullptr, &A::dmz_addresses},
      {S::kHosts, "hosts", "nodes", R::kNetworks, true,
       "Addresses or networks of the compute nodes", "", nullptr,
       &A::node_networks},
      {S::kCluster, "cluster", "name", R::kClusterName, false,
       "Name of this cluster", "Empty: the portal has one cluster.",
       &A::cluster},
      {S::kCluster, "cluster", "further", R::kClusterName, false,
       "Names of further clusters whose users this backend authenticates",
       "Empty: none, or this is a further cluster.", nullptr,
       &A::further_clusters},
      {S::kCluster, "cluster", "identity_backend", R::kHostAndPort, false,
       "Address of the identity backend, host:port",
       "Only of a further cluster.", &A::identity_backend},
      {S::kCluster, "cluster", "identity_ca", R::kPath, false,
       "The identity backend's ca.pem (a file on this host)", "",
       &A::identity_ca},
      {S::kCluster, "cluster", "identity_certificate", R::kPath, false,
       "The certificate of this cluster, from that authority (a file on this "
       "host)",
       "carmectl pki issue DIR cluster NAME", &A::identity_certificate},
      {S::kCluster, "cluster", "identity_key", R::kPath, false,
       "Its key (a file on this host)", "", &A::identity_key},
      {S::kCluster, "cluster", "issuer_key", R::kIssuerKey, false,
       "The issuer_key that the identity backend logs when it starts", "",
       &A::issuer_key},
      {S::kDirectory, "directory", "kind", R::kDirectoryKind, true,
       "Kind of the directory (posix or active-directory)", "",
       &A::directory_kind},
      {S::kDirectory, "directory", "url", R::kLdapUrl, true,
       "Addresses of the LDAP servers", "", &A::ldap_url},
      {S::kDirectory, "directory", "start_tls", R::kFlag, true,
       "StartTLS (only with ldap://)", "", nullptr, nullptr, &A::start_tls},
      {S::kDirectory, "directory", "ca_file", R::kPath, false,
       "File with the authority of their certificates", "", &A::ldap_ca_file},
      {S::kDirectory, "directory", "bind_dn", R::kDn, false,
       "DN of Carme's account", "Empty: anonymous.", &A::bind_dn},
      {S::kDirectory, "directory", "bind_password_file", R::kPath, false,
       "File with its password (mode 0600)", "", &A::bind_password_file},
      {S::kDirectory, "directory", "user_base", R::kDn, true,
       "DN below which users are", "", &A::user_base},
      {S::kDirectory, "directory", "group_base", R::kDn, true,
       "DN below which groups are", "", &A::group_base},
      {S::kGroups, "directory", "allowed_group", R::kName, true,
       "Group of the users that may log in", "Also in the name service.",
       &A::allowed_group},
      {S::kGroups, "directory", "admin_group", R::kName, true,
       "Group of Carme's administrators", "", &A::admin_group},
      {S::kGroups, "directory", "test_user", R::kName, false,
       "A user to look up", "Only tried, not stored in a configuration.",
       &A::test_user},
      {S::kSlurm, "slurm", "conf", R::kPath, true, "Slurm's configuration", "",
       &A::slurm_conf},
      {S::kSlurm, "slurm", "feature", R::kFeature, true,
       "Feature of the nodes for Carme", "", &A::feature},
      {S::kSlurm, "slurm", "allowed_addresses", R::kNetworks, true,
       "Addresses of slurmctld and name servers",
       "Carme's root programs may connect to these only.", nullptr,
       &A::allowed_addresses},
      {S::kJobs, "jobs", "homes", R::kPath, true,
       "Directories of the users' homes", "", nullptr, &A::homes},
      {S::kJobs, "jobs", "scratch", R::kPath, true,
       "Directory on each node's disk for jobs", "", &A::scratch},
      {S::kJobs, "jobs", "node_system", R::kFlag, true,
       "Offer jobs without an image (yes or no)", "", nullptr, nullptr,
       &A::node_system},
      {S::kJobs, "jobs", "image", R::kPath, false,
       "Image for jobs (a .sif file at the same path on all nodes)", "",
       &A::image},
  };
}

void ReadAnswer(const SetupQuestion& question, ConfigTable table,
                SiteAnswers* answers) {
  absl::Status checked;
  if (question.text != nullptr) {
    table.Read(question.key, &(answers->*question.text));
    checked = CheckAnswer(question, answers->*question.text);
  } else if (question.list != nullptr) {
    table.Read(question.key, &(answers->*question.list));
    checked = CheckAnswer(question, answers->*question.list);
  } else {
    table.Read(question.key, &(answers->*question.flag));
  }
  if (!checked.ok()) table.Refuse(question.key, std::string(checked.message()));
}

std::string AnswerToml(const SetupQuestion& question,
                       const SiteAnswers& answers) {
  if (question.text != nullptr) return TomlText(answers.*question.text);
  if (question.list != nullptr) return TomlText(answers.*question.list);
  return TomlText(answers.*question.flag);
}

}  // namespace

const std::vector<SetupQuestion>& SetupQuestions() {
  static const auto* const questions =
      new std::vector<SetupQuestion>(MakeQuestions());
  return *questions;
}

bool IsFurtherCluster(const SiteAnswers& answers) {
  return !answers.identity_backend.empty();
}

std::string AnswerText(const SetupQuestion& question,
                       const SiteAnswers& answers) {
  if (question.text != nullptr) return answers.*question.text;
  if (question.list != nullptr) {
    return absl::StrJoin(answers.*question.list, " ");
  }
  return answers.*question.flag ? "yes" : "no";
}

absl::Status SetAnswer(const SetupQuestion& question, std::string_view text,
                       SiteAnswers* answers) {
  const std::string value(
      absl::StripAsciiWhitespace(absl::string_view(text.data(), text.size())));
  if (question.list != nullptr) {
    std::vector<std::string> items =
        absl::StrSplit(value, absl::ByAnyChar(" ,"), absl::SkipEmpty());
    RETURN_IF_ERROR(CheckAnswer(question, items));
    answers->*question.list = std::move(items);
    return absl::OkStatus();
  }
  RETURN_IF_ERROR(CheckAnswer(question, value));
  if (question.text != nullptr) {
    answers->*question.text = value;
  } else {
    answers->*question.flag = value == "yes";
  }
  return absl::OkStatus();
}

absl::StatusOr<SiteAnswers> ParseAnswers(std::string_view text,
                                         const std::string& path) {
  ASSIGN_OR_RETURN(ConfigFile file, ConfigFile::Parse(text, path));
  SiteAnswers answers;
  ConfigTable root = file.root();
  std::map<std::string_view, ConfigTable> tables;
  for (const SetupQuestion& question : SetupQuestions()) {
    auto table = tables.find(question.table);
    if (table == tables.end()) {
      table = tables.emplace(question.table, root.Table(question.table)).first;
    }
    ReadAnswer(question, table->second, &answers);
  }
  for (const SetupStep step : {SetupStep::kPortal, SetupStep::kCluster,
                               SetupStep::kDirectory, SetupStep::kJobs}) {
    for (const AnswerConflict& each : FindConflicts(step, answers)) {
      tables.at(each.table)
          .Refuse(each.key, std::string(each.status.message()));
    }
  }
  if (answers.bind_dn.empty() != answers.bind_password_file.empty()) {
    tables.at("directory")
        .Refuse("bind_dn", FormatMessage(setup_messages::kAnswerPair.text,
                                         {{"first", "bind_dn"},
                                          {"second", "bind_password_file"}}));
  }
  RETURN_IF_ERROR(file.Finish());
  return answers;
}

absl::StatusOr<SiteAnswers> LoadAnswers(const std::string& path) {
  ASSIGN_OR_RETURN(const std::string text, ReadFile(path));
  return ParseAnswers(text, path);
}

std::string FormatAnswers(const SiteAnswers& answers) {
  std::string text =
      "# Answers of `carmectl setup --answers FILE`. Keys may be left out "
      "where "
      "they have\n# no value. Passwords and keys are files, never values.\n";
  std::string_view table;
  for (const SetupQuestion& question : SetupQuestions()) {
    if (question.table != table) {
      table = question.table;
      absl::StrAppend(&text, "\n[", std::string(table), "]\n");
    }
    absl::StrAppend(&text, "# ", std::string(question.question), ".",
                    question.about.empty() ? "" : " ",
                    std::string(question.about), "\n");
    absl::StrAppend(&text, std::string(question.key), " = ",
                    AnswerToml(question, answers), "\n");
  }
  return text;
}

SiteAnswers ExampleAnswers() {
  SiteAnswers answers;
  answers.portal_host = "carme.example.org";
  answers.jobs_domain = "jobs.example.net";
  answers.backend_host = "head.example.org";
  answers.backend_address = "192.0.2.5";
  answers.dmz_addresses = {"198.51.100.7"};
  answers.node_networks = {"10.1.0.0/16"};
  answers.ldap_url = "ldaps://ldap1.example.org ldaps://ldap2.example.org";
  answers.ldap_ca_file = "/etc/ssl/certs/ca-certificates.crt";
  answers.bind_dn = "cn=carme,ou=services,dc=example,dc=org";
  answers.bind_password_file = "/root/carme-ldap-password";
  answers.user_base = "ou=people,dc=example,dc=org";
  answers.group_base = "ou=groups,dc=example,dc=org";
  answers.allowed_addresses = {"192.0.2.5", "192.0.2.53"};
  return answers;
}

}  // namespace carme::carmectl
