// carmectl pki: a certificate authority for Carme's own programs.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/time/clock.h"
#include "backend/carmectl/commands/command.h"
#include "backend/carmectl/commands/messages.h"
#include "backend/carmectl/pki/certificate_authority.h"
#include "common/file.h"
#include "common/pki/certificate.h"
#include "common/pki/certificate_request.h"
#include "common/status.h"

namespace carme::carmectl {
namespace {

constexpr int kAuthorityDays = 3650;
constexpr int kProgramDays = 365;
constexpr int kMaxProgramDays = 825;

struct Arguments {
  std::string directory;
  std::string role;
  std::string name;
  std::vector<std::string> dns_names;
  int days = kProgramDays;
  int authority_days = kAuthorityDays;
  std::string out;
  std::string serial;
  std::string file;
  bool again = false;
};

absl::Duration Days(int days) { return absl::Hours(24) * days; }

std::string DayText(absl::Time time) {
  return absl::FormatTime("%Y-%m-%d %H:%M", time, absl::UTCTimeZone());
}

absl::StatusOr<MachineIdentity> IdentityOf(const Arguments& given) {
  const std::optional<MachineRole> role = ParseMachineRole(given.role);
  if (!role) {
    return MakePlainError(command_messages::kInvalidRole,
                          {{"role", given.role}});
  }
  return MachineIdentity{*role, given.name};
}

void Print(const IssuedFiles& files) {
  std::printf("%s\n%s\n", files.certificate.c_str(), files.key.c_str());
}

absl::Status Init(const Arguments& given) {
  return PkiAuthority::Init(given.directory, Days(given.authority_days),
                            absl::Now());
}

absl::Status Issue(const Arguments& given) {
  ASSIGN_OR_RETURN(const MachineIdentity identity, IdentityOf(given));
  ASSIGN_OR_RETURN(PkiAuthority authority, PkiAuthority::Open(given.directory));
  ASSIGN_OR_RETURN(const IssuedFiles files,
                   authority.Issue({.identity = identity,
                                    .dns_names = given.dns_names,
                                    .life = Days(given.days),
                                    .stem = given.out},
                                   absl::Now()));
  Print(files);
  return absl::OkStatus();
}

// Runs on the program's own host, without the authority's key.
absl::Status Request(const Arguments& given) {
  const std::string key_file = given.file + ".key";
  const std::string csr_file = given.file + ".csr";
  ASSIGN_OR_RETURN(const KeyAndRequest made, NewCertificateRequest());
  RETURN_IF_ERROR(WriteNewFile(key_file, made.key_pem, 0600));
  RETURN_IF_ERROR(WriteNewFile(csr_file, made.csr_pem, 0644));
  std::printf("%s\n%s\n", csr_file.c_str(), key_file.c_str());
  return absl::OkStatus();
}

absl::Status Sign(const Arguments& given) {
  ASSIGN_OR_RETURN(const MachineIdentity identity, IdentityOf(given));
  ASSIGN_OR_RETURN(const std::string csr, ReadFile(given.file));
  ASSIGN_OR_RETURN(PkiAuthority authority, PkiAuthority::Open(given.directory));
  ASSIGN_OR_RETURN(const std::string certificate,
                   authority.Sign({.identity = identity,
                                   .dns_names = given.dns_names,
                                   .life = Days(given.days),
                                   .stem = given.out},
                                  csr, given.again, absl::Now()));
  std::printf("%s\n", certificate.c_str());
  return absl::OkStatus();
}

absl::Status Renew(const Arguments& given) {
  ASSIGN_OR_RETURN(const MachineIdentity identity, IdentityOf(given));
  ASSIGN_OR_RETURN(PkiAuthority authority, PkiAuthority::Open(given.directory));
  ASSIGN_OR_RETURN(
      const IssuedFiles files,
      authority.Renew(identity, Days(given.days), given.out, absl::Now()));
  Print(files);
  return absl::OkStatus();
}

absl::Status Revoke(const Arguments& given) {
  ASSIGN_OR_RETURN(PkiAuthority authority, PkiAuthority::Open(given.directory));
  RETURN_IF_ERROR(authority.Revoke(given.serial, absl::Now()));
  std::printf("%s/crl.pem\n", given.directory.c_str());
  return absl::OkStatus();
}

absl::Status List(const Arguments& given) {
  ASSIGN_OR_RETURN(const PkiAuthority authority,
                   PkiAuthority::Open(given.directory));
  const absl::Time now = absl::Now();
  for (const IssuedEntry& entry : authority.entries()) {
    const std::string state = entry.revoked_at
                                  ? "revoked " + DayText(*entry.revoked_at)
                                  : (entry.IsGood(now) ? "good" : "expired");
    std::printf("%-32s  %-32s  until %s  %s\n", entry.serial.c_str(),
                ToUri(entry.identity).c_str(), DayText(entry.not_after).c_str(),
                state.c_str());
  }
  return absl::OkStatus();
}

absl::Status Show(const Arguments& given) {
  ASSIGN_OR_RETURN(const std::string pem, ReadFile(given.file));
  const auto facts = ReadCertificate(pem);
  if (!facts.ok()) {
    return Annotate(facts.status(), absl::StrCat("\"", given.file, "\""));
  }
  const auto identity = TheIdentity(facts->uris);
  std::printf(
      "serial    %s\nidentity  %s\nDNS names %s\nfrom      %s\n"
      "until     %s\n",
      facts->serial.c_str(),
      facts->is_authority ? "an authority"
      : identity.ok()     ? ToUri(*identity).c_str()
                          : "not of Carme",
      absl::StrJoin(facts->dns_names, " ").c_str(),
      DayText(facts->not_before).c_str(), DayText(facts->not_after).c_str());
  return absl::OkStatus();
}

class PkiCommands {
 public:
  PkiCommands(CLI::App* pki, Command* chosen)
      : pki_(pki), chosen_(chosen), given_(std::make_shared<Arguments>()) {}

  void Add() {
    CLI::App* init = Of("init", "makes an authority in DIR", Init);
    init->add_option("--days", given_->authority_days, "how long it lasts")
        ->check(CLI::Range(1, 20 * 365))
        ->capture_default_str();
    AddOrder(Of("issue", "makes a key and its certificate", Issue));
    AddOrder(Of("renew", "makes new ones for the same program", Renew));
    CLI::App* sign =
        Of("sign", "issues for a request that was made on another host", Sign);
    sign->add_option("CSR", given_->file,
                     "the request; its key is all that is taken from it")
        ->required();
    AddOrder(sign);
    sign->add_flag("--again", given_->again,
                   "though the program has a good certificate");
    for (const char* name : {"issue", "sign"}) {
      pki_->get_subcommand(name)->add_option(
          "--dns", given_->dns_names, "a host name of the backend, repeatable");
    }
    Of("revoke", "revoke a certificate and sign a new crl.pem", Revoke)
        ->add_option("SERIAL", given_->serial, "as `list` prints it")
        ->required();
    Of("list", "everything that was issued", List);
    CLI::App* request = pki_->add_subcommand(
        "request", "makes a key that stays here, and a request to be signed");
    request
        ->add_option("STEM", given_->file,
                     "path of the files without .key and .csr")
        ->required();
    OnChosen(request, Request);
    CLI::App* show =
        pki_->add_subcommand("show", "print the contents of a certificate");
    show->add_option("FILE", given_->file)->required();
    OnChosen(show, Show);
  }

 private:
  using Act = absl::Status (*)(const Arguments&);

  CLI::App* Of(const char* name, const char* what, Act act) {
    CLI::App* command = pki_->add_subcommand(name, what);
    command->add_option("DIR", given_->directory, "the authority's directory")
        ->required();
    OnChosen(command, act);
    return command;
  }
  void AddOrder(CLI::App* command) {
    command
        ->add_option("ROLE", given_->role,
                     "backend, frontend, proxy, metrics, or cluster (the "
                     "backend of a further cluster, at the identity backend)")
        ->required();
    command->add_option("NAME", given_->name, "which one of them")->required();
    command->add_option("--days", given_->days, "how long it lasts")
        ->check(CLI::Range(1, kMaxProgramDays))
        ->capture_default_str();
    command->add_option("--out", given_->out,
                        "path of the files without .pem and .key");
  }
  void OnChosen(CLI::App* command, Act act) {
    command->callback([chosen = chosen_, given = given_, act] {
      *chosen = [given, act] { return act(*given); };
    });
  }

  CLI::App* const pki_;
  Command* const chosen_;
  const std::shared_ptr<Arguments> given_;
};

}  // namespace

void AddPkiCommands(CLI::App* app, Command* chosen) {
  CLI::App* const pki = app->add_subcommand(
      "pki",
      "certificates of Carme's own programs: an authority in a "
      "directory that belongs on none of their hosts");
  pki->require_subcommand(1);
  PkiCommands(pki, chosen).Add();
}

}  // namespace carme::carmectl
