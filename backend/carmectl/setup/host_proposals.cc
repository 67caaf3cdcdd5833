#include "backend/carmectl/setup/host_proposals.h"

#include <optional>
#include <set>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "backend/carmectl/doctor/host/host.h"
#include "backend/carmectl/setup/site/answer_rules.h"
#include "backend/carmectl/setup/site/messages.h"
#include "common/file.h"
#include "common/printable.h"

namespace carme::carmectl {
namespace {

constexpr size_t kMaxSingleAddresses = 16;
constexpr size_t kMaxResolvedNodes = 1024;
constexpr size_t kMaxNoteBytes = 300;

// Lines "KEY=VALUE" or "KEY VALUE", without comments; keys in lower case.
using KeyValues = std::vector<std::pair<std::string, std::string>>;

KeyValues ParseLines(const std::string& text, char separator) {
  KeyValues found;
  for (absl::string_view line : absl::StrSplit(text, '\n')) {
    line = absl::StripAsciiWhitespace(line.substr(0, line.find('#')));
    const size_t end =
        separator == '=' ? line.find('=') : line.find_first_of(" \t");
    if (end == absl::string_view::npos) continue;
    found.emplace_back(
        absl::AsciiStrToLower(absl::StripAsciiWhitespace(line.substr(0, end))),
        absl::StripAsciiWhitespace(line.substr(end + 1)));
  }
  return found;
}

std::string ValueOf(const KeyValues& lines, const std::string& key) {
  for (const auto& [name, value] : lines) {
    if (name == key) return value;
  }
  return "";
}

bool IsLoopback(const std::string& ip) {
  return absl::StartsWith(ip, "127.") || ip == "::1";
}

class ProposalFinder {
 public:
  explicit ProposalFinder(const ProposalSources& sources) : sources_(sources) {}

  HostProposals Find() {
    FindHostName();
    FindSlurm();
    FindNameServers();
    FindDirectory();
    found_.answers.allowed_addresses = SummarizeAddresses(reachable_);
    DropInvalid();
    return std::move(found_);
  }

 private:
  SiteAnswers& answers() { return found_.answers; }

  // nullopt: missing. A note, if it is there but cannot be read.
  std::optional<std::string> Read(const std::string& path) {
    auto text = ReadFile(sources_.system_root + path);
    if (text.ok()) return *std::move(text);
    if (!absl::IsNotFound(text.status())) {
      found_.notes.push_back(
          FormatMessage(setup_messages::kUnreadableProposal,
                        {{"path", path}, {"error", text.status().message()}}));
    }
    return std::nullopt;
  }

  std::vector<std::string> Resolve(const std::string& name) const {
    const auto addresses = sources_.resolver->Resolve(name, 0);
    std::vector<std::string> ips;
    if (!addresses.ok()) return ips;
    for (const net::Address& each : *addresses) {
      if (!IsLoopback(each.Ip())) ips.push_back(each.Ip());
    }
    return ips;
  }

  void FindHostName() {
    for (const std::vector<std::string>& command :
         {std::vector<std::string>{"hostname", "-f"}, {"hostname"}}) {
      const auto shown = sources_.tools->Run({.arguments = command});
      if (!shown.ok() || !shown->ok()) continue;
      answers().backend_host = FirstLine(shown->output);
      break;
    }
    const std::vector<std::string> ips = Resolve(answers().backend_host);
    if (!ips.empty()) answers().backend_address = ips.front();
    // DNS of a portal is usually in the domain of its hosts.
    const size_t dot = answers().backend_host.find('.');
    if (dot != std::string::npos) {
      answers().portal_host =
          absl::StrCat("carme", answers().backend_host.substr(dot));
    }
  }

  void FindSlurm() {
    const auto text = Read(answers().slurm_conf);
    if (!text) return;
    const KeyValues lines = ParseLines(*text, '=');
    std::vector<std::string> controllers;
    std::vector<std::string> nodes;
    for (const auto& [key, value] : lines) {
      if (key == "slurmctldhost") AddController(value, &controllers);
      if (key == "nodename") AddNodes(value, &nodes);
    }
    found_.notes.push_back(
        FormatMessage(setup_messages::kFoundSlurm,
                      {{"cluster", Shown(ValueOf(lines, "clustername"))},
                       {"controllers", Shown(absl::StrJoin(controllers, ", "))},
                       {"nodes", nodes.size()},
                       {"accounting", Shown(AccountingOf(lines))}}));
    std::vector<std::string> addresses;
    if (nodes.size() > kMaxResolvedNodes) nodes.resize(kMaxResolvedNodes);
    for (const std::string& node : nodes) {
      const std::vector<std::string> ips = Resolve(node);
      if (!ips.empty()) addresses.push_back(ips.front());
    }
    answers().node_networks = SummarizeAddresses(addresses);
  }

  static std::string Shown(const std::string& text) {
    return text.empty() ? "none" : Readable(text, kMaxNoteBytes);
  }

  static std::string AccountingOf(const KeyValues& lines) {
    const std::string type = ValueOf(lines, "accountingstoragetype");
    if (!absl::StrContains(type, "slurmdbd")) return "";
    return absl::StrCat("slurmdbd at ",
                        Shown(ValueOf(lines, "accountingstoragehost")));
  }

  // "head" or "head(10.77.0.1)".
  void AddController(const std::string& value,
                     std::vector<std::string>* controllers) {
    const size_t open = value.find('(');
    const std::string name = value.substr(0, open);
    controllers->push_back(name);
    std::string address = name;
    if (open != std::string::npos) {
      address = value.substr(open + 1, value.find(')') - open - 1);
    }
    for (const std::string& ip : Resolve(address)) reachable_.push_back(ip);
  }

  // "n[01-20] NodeAddr=10.0.0.[1-20] CPUs=4 …"
  void AddNodes(const std::string& value, std::vector<std::string>* nodes) {
    std::string list;
    for (absl::string_view field :
         absl::StrSplit(value, ' ', absl::SkipEmpty())) {
      const std::pair<absl::string_view, absl::string_view> pair =
          absl::StrSplit(field, absl::MaxSplits('=', 1));
      if (list.empty()) list = std::string(field);
      if (absl::EqualsIgnoreCase(pair.first, "NodeAddr")) {
        list = std::string(pair.second);
      }
    }
    if (absl::EqualsIgnoreCase(list, "DEFAULT") || list.empty()) return;
    if (!absl::StrContains(list, "[") && !absl::StrContains(list, ",")) {
      nodes->push_back(list);
      return;
    }
    const auto shown = sources_.tools->Run(
        {.arguments = {"scontrol", "show", "hostnames", list}});
    if (!shown.ok() || !shown->ok()) return;
    for (absl::string_view name :
         absl::StrSplit(shown->output, '\n', absl::SkipEmpty())) {
      nodes->emplace_back(name);
    }
  }

  void FindNameServers() {
    const auto text = Read("/etc/resolv.conf");
    if (!text) return;
    for (const auto& [key, value] : ParseLines(*text, ' ')) {
      if (key == "nameserver" && !IsLoopback(value)) {
        reachable_.push_back(value);
      }
    }
  }

  void FindDirectory() {
    std::string base;
    if (const auto text = Read("/etc/sssd/sssd.conf")) {
      const KeyValues lines = ParseLines(*text, '=');
      if (ValueOf(lines, "id_provider") == "ad") {
        answers().directory_kind = "active-directory";
      }
      TakeDirectory(lines, {"ldap_uri", "ldap_search_base", "ldap_tls_cacert"},
                    &base);
    }
    if (const auto text = Read("/etc/nslcd.conf")) {
      TakeDirectory(ParseLines(*text, ' '), {"uri", "base", "tls_cacertfile"},
                    &base);
    }
    if (const auto text = Read("/etc/ldap/ldap.conf")) {
      TakeDirectory(ParseLines(*text, ' '), {"uri", "base", "tls_cacert"},
                    &base);
    }
    answers().start_tls = absl::StartsWith(answers().ldap_url, "ldap://");
    if (base.empty()) return;
    const bool active = answers().directory_kind == "active-directory";
    answers().user_base =
        absl::StrCat(active ? "CN=Users," : "ou=people,", base);
    answers().group_base =
        absl::StrCat(active ? "CN=Users," : "ou=groups,", base);
  }

  struct DirectoryKeys {
    const char* url;
    const char* base;
    const char* ca;
  };

  // The first file that has a value is used.
  void TakeDirectory(const KeyValues& lines, const DirectoryKeys& keys,
                     std::string* base) {
    const auto take = [&](const char* key, std::string* value) {
      if (value->empty()) *value = ValueOf(lines, key);
    };
    take(keys.url, &answers().ldap_url);
    take(keys.base, base);
    take(keys.ca, &answers().ldap_ca_file);
    const std::vector<std::string> servers = absl::StrSplit(
        answers().ldap_url, absl::ByAnyChar(", \t"), absl::SkipEmpty());
    std::vector<std::string> plain;
    for (absl::string_view server : servers) {
      plain.emplace_back(absl::StripSuffix(server, "/"));
    }
    answers().ldap_url = absl::StrJoin(plain, " ");
  }

  // A file of another program may have any text.
  void DropInvalid() {
    for (const SetupQuestion& question : SetupQuestions()) {
      if (question.text != nullptr &&
          !CheckAnswer(question, answers().*question.text).ok()) {
        (answers().*question.text).clear();
      }
      if (question.list != nullptr &&
          !CheckAnswer(question, answers().*question.list).ok()) {
        (answers().*question.list).clear();
      }
    }
  }

  const ProposalSources& sources_;
  HostProposals found_;
  std::vector<std::string> reachable_;
};

}  // namespace

HostProposals FindProposals(const ProposalSources& sources) {
  return ProposalFinder(sources).Find();
}

std::vector<std::string> SummarizeAddresses(
    const std::vector<std::string>& addresses) {
  std::set<std::string> single(addresses.begin(), addresses.end());
  if (single.size() <= kMaxSingleAddresses) {
    return {single.begin(), single.end()};
  }
  std::set<std::string> networks;
  for (const std::string& each : single) {
    const size_t dot = each.rfind('.');
    if (absl::StrContains(each, ":")) {
      networks.insert(each);
    } else if (dot != std::string::npos) {
      networks.insert(absl::StrCat(each.substr(0, dot), ".0/24"));
    }
  }
  return {networks.begin(), networks.end()};
}

}  // namespace carme::carmectl
