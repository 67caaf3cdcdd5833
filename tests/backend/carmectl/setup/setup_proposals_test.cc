#include <sys/stat.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <map>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "backend/carmectl/setup/host_proposals.h"
#include "common/file.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace carme::carmectl {
namespace {

class TableResolver : public NameResolver {
 public:
  absl::StatusOr<std::vector<net::Address>> Resolve(const std::string& host,
                                                    int port) const override {
    const auto found = ips.find(host);
    const auto address =
        net::Address::FromIp(found == ips.end() ? host : found->second, port);
    if (!address.ok()) return absl::NotFoundError("no address");
    return std::vector<net::Address>{*address};
  }
  std::map<std::string, std::string> ips;
};

class ProposalFixture {
 public:
  ProposalFixture() : tools_({dir_.File("bin")}) {
    Put("bin/hostname", "#!/bin/sh\necho head.site.test\n", 0755);
    Put("bin/scontrol", "#!/bin/sh\nprintf 'n1\\nn2\\n'\n", 0755);
    resolver_.ips = {
        {"head.site.test", "10.0.0.5"}, {"n1", "10.1.0.1"}, {"n2", "10.1.0.2"}};
  }
  void Put(const std::string& name, const std::string& text,
           mode_t mode = 0644) {
    const std::string path = dir_.File(name);
    std::filesystem::create_directories(
        std::filesystem::path(path).parent_path());
    REQUIRE_THAT(WriteFile(path, text, mode), IsOk());
    REQUIRE(chmod(path.c_str(), mode) == 0);
  }
  HostProposals Find() const {
    return FindProposals({dir_.path(), &tools_, &resolver_});
  }
  std::string File(const std::string& name) const { return dir_.File(name); }

 private:
  TempDir dir_;
  ToolRunner tools_;
  TableResolver resolver_;
};

TEST_CASE("setup: proposes nothing that breaks a rule", "[carmectl]") {
  ProposalFixture host;
  host.Put("etc/nslcd.conf",
           "uri ldaps://cn:secret@ldap/\nbase \x1b[31m\n"
           "tls_cacertfile ../ca.pem\nbindpw secret\n");
  host.Put("etc/resolv.conf", "nameserver \"$(reboot)\"\n");
  const HostProposals found = host.Find();
  CHECK(found.answers.ldap_url.empty());
  CHECK(found.answers.ldap_ca_file.empty());
  CHECK(found.answers.user_base.empty());
  CHECK(found.answers.allowed_addresses.empty());
  CHECK(found.answers.bind_password_file.empty());
}

TEST_CASE("setup: a slurm.conf that cannot be read is a note", "[carmectl]") {
  ProposalFixture host;
  std::filesystem::create_directories(host.File("etc/slurm/slurm.conf"));
  const HostProposals found = host.Find();
  REQUIRE(found.notes.size() == 1);
  CHECK(absl::StrContains(found.notes[0], "/etc/slurm/slurm.conf"));
  CHECK(found.answers.node_networks.empty());
}

TEST_CASE("setup: finds cluster, nodes and directory of the host",
          "[carmectl]") {
  ProposalFixture host;
  host.Put("etc/slurm/slurm.conf",
           "# a comment\nClusterName = alpha\nSlurmctldHost=ctl(10.0.0.9)\n"
           "AccountingStorageType=accounting_storage/slurmdbd\n"
           "AccountingStorageHost=dbd\nNodeName=DEFAULT CPUs=2\n"
           "NodeName=n[1-2] CPUs=4 # nodes\n");
  host.Put("etc/resolv.conf", "nameserver 127.0.0.53\nnameserver 10.0.0.53\n");
  host.Put("etc/nslcd.conf",
           "uri ldaps://ldap1.site.test/ ldaps://ldap2.site.test\n"
           "base dc=site,dc=test\ntls_cacertfile /etc/ssl/site.pem\n");
  const HostProposals found = host.Find();
  const SiteAnswers& answers = found.answers;
  CHECK(answers.backend_host == "head.site.test");
  CHECK(answers.backend_address == "10.0.0.5");
  CHECK(answers.portal_host == "carme.site.test");
  CHECK(answers.node_networks ==
        std::vector<std::string>{"10.1.0.1", "10.1.0.2"});
  CHECK(answers.allowed_addresses ==
        std::vector<std::string>{"10.0.0.53", "10.0.0.9"});
  CHECK(answers.ldap_url == "ldaps://ldap1.site.test ldaps://ldap2.site.test");
  CHECK(answers.user_base == "ou=people,dc=site,dc=test");
  CHECK(answers.ldap_ca_file == "/etc/ssl/site.pem");
  REQUIRE(found.notes.size() == 1);
  CHECK(absl::StrContains(found.notes[0], "cluster alpha"));
  CHECK(absl::StrContains(found.notes[0], "nodes: 2"));
  CHECK(absl::StrContains(found.notes[0], "slurmdbd at dbd"));
}

TEST_CASE("setup: sssd of Active Directory is found", "[carmectl]") {
  ProposalFixture host;
  host.Put("etc/sssd/sssd.conf",
           "[domain/ad]\nid_provider = ad\nldap_uri = ldaps://dc1.site.test, "
           "ldaps://dc2.site.test\nldap_search_base = DC=site,DC=test\n");
  const HostProposals found = host.Find();
  CHECK(found.answers.directory_kind == "active-directory");
  CHECK(found.answers.ldap_url ==
        "ldaps://dc1.site.test ldaps://dc2.site.test");
  CHECK(found.answers.user_base == "CN=Users,DC=site,DC=test");
}

TEST_CASE("setup: many addresses become networks", "[carmectl]") {
  std::vector<std::string> addresses;
  for (int i = 1; i <= 40; ++i) addresses.push_back(absl::StrCat("10.1.2.", i));
  CHECK(SummarizeAddresses(addresses) ==
        std::vector<std::string>{"10.1.2.0/24"});
}

}  // namespace
}  // namespace carme::carmectl
