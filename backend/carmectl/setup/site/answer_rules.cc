#include "backend/carmectl/setup/site/answer_rules.h"

#include <optional>
#include <set>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "backend/carmectl/setup/site/messages.h"
#include "common/encoding.h"
#include "common/name_rules.h"
#include "common/net/address.h"
#include "common/net/networks.h"
#include "common/printable.h"

namespace carme::carmectl {
namespace {

constexpr size_t kMaxAnswerLength = 1000;
constexpr size_t kIssuerKeyBytes = 32;

constexpr NameRule kDnsNameRule{.characters = kAlphanumeric | "-.",
                                .max_bytes = 253,
                                .first = kAlphanumeric,
                                .last = kAlphanumeric};
constexpr NameRule kFeatureRule{.characters = kAlphanumeric | "_",
                                .max_bytes = 64};
constexpr NameRule kPlainPathRule{.characters = kAlphanumeric | "._-+/",
                                  .max_bytes = kMaxAnswerLength,
                                  .first = "/"};

bool Contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

absl::Status Refusal(const ErrorTemplate& error, std::string_view value) {
  return MakePlainError(error, {{"value", value}});
}

bool IsDnsName(std::string_view text) {
  if (!kDnsNameRule.Allows(text) || Contains(text, "..")) return false;
  // An address with a wrong number is not a name.
  return !(kDecimalDigits | CharacterSet(".")).ContainsAll(text);
}

bool IsIpAddress(std::string_view text) {
  return net::Address::FromIp(text, 0).ok();
}

bool IsPublicName(std::string_view text) {
  const std::vector<std::string> parts =
      absl::StrSplit(absl::string_view(text.data(), text.size()), ':');
  int port = 0;
  if (parts.size() == 2 &&
      (!absl::SimpleAtoi(parts[1], &port) || port < 1 || port > 65535 ||
       !kDecimalDigits.ContainsAll(parts[1]))) {
    return false;
  }
  return parts.size() <= 2 && IsDnsName(parts[0]) &&
         absl::StrContains(parts[0], '.');
}

bool IsHostAndPort(std::string_view text) {
  const size_t colon = text.rfind(':');
  int port = 0;
  if (colon == std::string_view::npos ||
      !absl::SimpleAtoi(std::string(text.substr(colon + 1)), &port) ||
      port < 1 || port > 65535) {
    return false;
  }
  std::string_view host = text.substr(0, colon);
  if (host.starts_with("[") && host.ends_with("]")) {
    return IsIpAddress(host.substr(1, host.size() - 2));
  }
  return IsDnsName(host) || net::Address::FromIp(host, 0).ok();
}

bool IsLdapAddress(std::string_view address) {
  for (const std::string_view scheme : {"ldapi://", "ldaps://", "ldap://"}) {
    if (!address.starts_with(scheme)) continue;
    address.remove_prefix(scheme.size());
    const CharacterSet allowed = scheme == "ldapi://"
                                     ? kAlphanumeric | CharacterSet("%._-")
                                     : kAlphanumeric | CharacterSet(".-:[]");
    return !address.empty() && allowed.ContainsAll(address);
  }
  return false;
}

absl::Status CheckLdapUrl(std::string_view text) {
  if (Contains(text, "@")) {
    return MakePlainError(setup_messages::kAnswerUrlCredentials);
  }
  const std::vector<std::string> addresses =
      absl::StrSplit(absl::string_view(text.data(), text.size()), ' ');
  for (const std::string& each : addresses) {
    if (!IsLdapAddress(each)) {
      return Refusal(setup_messages::kAnswerNotLdapUrl, text);
    }
  }
  return absl::OkStatus();
}

bool IsDn(std::string_view text) {
  const size_t equals = text.find('=');
  return equals != std::string_view::npos && equals > 0 &&
         (kAlphanumeric | CharacterSet("-."))
             .ContainsAll(text.substr(0, equals));
}

const ErrorTemplate* BrokenRule(AnswerRule rule, std::string_view text) {
  const auto unless = [](bool ok, const ErrorTemplate& error) {
    return ok ? nullptr : &error;
  };
  switch (rule) {
    case AnswerRule::kPublicName:
      return unless(IsPublicName(text), setup_messages::kAnswerNotPublicName);
    case AnswerRule::kHostName:
      return unless(IsDnsName(text) || IsIpAddress(text),
                    setup_messages::kAnswerNotHost);
    case AnswerRule::kAddresses:
      return unless(IsIpAddress(text), setup_messages::kAnswerNotAddress);
    case AnswerRule::kNetworks:
      return unless(net::Networks::Parse({std::string(text)}).ok(),
                    setup_messages::kAnswerNotNetwork);
    case AnswerRule::kDirectoryKind:
      return unless(text == "posix" || text == "active-directory",
                    setup_messages::kAnswerNotKind);
    case AnswerRule::kPath:
      return unless(kPlainPathRule.Allows(text) && !Contains(text, ".."),
                    setup_messages::kAnswerNotPath);
    case AnswerRule::kDn:
      return unless(IsDn(text), setup_messages::kAnswerNotDn);
    case AnswerRule::kName:
      return unless(kUsernameRule.Allows(text), setup_messages::kAnswerNotName);
    case AnswerRule::kFeature:
      return unless(kFeatureRule.Allows(text),
                    setup_messages::kAnswerNotFeature);
    case AnswerRule::kFlag:
      return unless(text == "yes" || text == "no",
                    setup_messages::kAnswerNotYesOrNo);
    case AnswerRule::kClusterName:
      return unless(kSlurmNameRule.Allows(text),
                    setup_messages::kAnswerNotCluster);
    case AnswerRule::kHostAndPort:
      return unless(IsHostAndPort(text), setup_messages::kAnswerNotHostAndPort);
    case AnswerRule::kIssuerKey:
      return unless(
          Base64UrlDecode(text).value_or("").size() == kIssuerKeyBytes,
          setup_messages::kAnswerNotIssuerKey);
    case AnswerRule::kLdapUrl:
      break;  // CheckLdapUrl
  }
  return nullptr;
}

void CheckPortal(const SiteAnswers& answers,
                 std::vector<AnswerConflict>* conflicts) {
  const std::string jobs = HostOf(
      answers.jobs_domain.empty() ? answers.jobs_host : answers.jobs_domain);
  const std::string portal = HostOf(answers.portal_host);
  if (answers.jobs_domain.empty() == answers.jobs_host.empty() ||
      portal == jobs || absl::EndsWith(portal, absl::StrCat(".", jobs))) {
    conflicts->push_back({"portal", "jobs_domain",
                          MakePlainError(setup_messages::kAnswerJobsName)});
  }
  if (answers.public_certificate.empty() != answers.public_key.empty()) {
    conflicts->push_back(
        {"portal", "certificate",
         MakePlainError(setup_messages::kAnswerPair,
                        {{"first", "certificate"}, {"second", "key"}})});
  }
}

void CheckCluster(const SiteAnswers& answers,
                  std::vector<AnswerConflict>* conflicts) {
  const auto refuse = [&](std::string_view key, const ErrorTemplate& error) {
    conflicts->push_back({"cluster", key, MakePlainError(error)});
  };
  const bool further = IsFurtherCluster(answers);
  const auto complete = [&](const std::string& value) {
    return value.empty() != further;
  };
  if (answers.cluster.empty() &&
      (further || !answers.further_clusters.empty())) {
    refuse("name", setup_messages::kAnswerClusterName);
  }
  if (further && !answers.further_clusters.empty()) {
    refuse("further", setup_messages::kAnswerClusterBoth);
  }
  std::set<std::string> names{answers.cluster};
  for (const std::string& each : answers.further_clusters) {
    if (names.insert(each).second) continue;
    refuse("further", setup_messages::kAnswerClusterRepeated);
  }
  if (!complete(answers.identity_ca) ||
      !complete(answers.identity_certificate) ||
      !complete(answers.identity_key) || !complete(answers.issuer_key)) {
    refuse("identity_backend", setup_messages::kAnswerIdentityBackend);
  }
}

void CheckDirectory(const SiteAnswers& answers,
                    std::vector<AnswerConflict>* conflicts) {
  bool plain = false;
  bool local = false;
  for (const absl::string_view each : absl::StrSplit(answers.ldap_url, ' ')) {
    plain = plain || absl::StartsWith(each, "ldap://");
    local = local || absl::StartsWith(each, "ldapi://");
  }
  if (plain != answers.start_tls) {
    conflicts->push_back({"directory", "start_tls",
                          MakePlainError(setup_messages::kAnswerLdapTls)});
  }
  if (!local && answers.ldap_ca_file.empty()) {
    conflicts->push_back({"directory", "ca_file",
                          MakePlainError(setup_messages::kAnswerLdapCa)});
  }
}

}  // namespace

absl::Status CheckAnswer(const SetupQuestion& question, std::string_view text) {
  if (text.empty()) {
    return question.required ? MakePlainError(setup_messages::kAnswerMissing)
                             : absl::OkStatus();
  }
  const std::optional<size_t> length = PrintableLength(text);
  if (!length || *length > kMaxAnswerLength) {
    return MakePlainError(setup_messages::kAnswerNotPrintable,
                          {{"max", kMaxAnswerLength}});
  }
  if (question.rule == AnswerRule::kLdapUrl) return CheckLdapUrl(text);
  const ErrorTemplate* const broken = BrokenRule(question.rule, text);
  return broken == nullptr ? absl::OkStatus() : Refusal(*broken, text);
}

absl::Status CheckAnswer(const SetupQuestion& question,
                         const std::vector<std::string>& items) {
  if (items.empty()) return CheckAnswer(question, "");
  for (const std::string& item : items) {
    const absl::Status checked = CheckAnswer(question, item);
    if (!checked.ok()) return checked;
    if (item.empty()) return MakePlainError(setup_messages::kAnswerMissing);
  }
  return absl::OkStatus();
}

std::vector<AnswerConflict> FindConflicts(SetupStep step,
                                          const SiteAnswers& answers) {
  std::vector<AnswerConflict> conflicts;
  if (step == SetupStep::kPortal) CheckPortal(answers, &conflicts);
  if (step == SetupStep::kCluster) CheckCluster(answers, &conflicts);
  if (step == SetupStep::kDirectory) CheckDirectory(answers, &conflicts);
  if (step == SetupStep::kJobs && !answers.node_system &&
      answers.image.empty()) {
    conflicts.push_back(
        {"jobs", "image", MakePlainError(setup_messages::kAnswerNoImage)});
  }
  return conflicts;
}

std::string HostOf(const std::string& host_and_port) {
  return host_and_port.substr(0, host_and_port.find(':'));
}

}  // namespace carme::carmectl
