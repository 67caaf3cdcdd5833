#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <set>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/time/clock.h"
#include "backend/carmectl/doctor/host/settings.h"
#include "backend/carmectl/setup/site/site_authority.h"
#include "backend/carmectl/setup/site/site_files.h"
#include "backend/carmectl/setup/site/tar_archive.h"
#include "backend/carmectl/setup/staging.h"
#include "common/config/config.h"
#include "common/file.h"
#include "common/pki/certificate.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace carme::carmectl {
namespace {

SiteMaterial FakeMaterial() {
  return {.ldap_password = "secret-password",
          .ldap_ca = "ldap ca",
          .browsers = {"public certificate", "public!key"},
          .identity_ca = "identity ca",
          .identity = {"cluster certificate", "cluster!key"},
          .authority = "ca",
          .revocations = "crl",
          .backend = {"backend certificate", "backend!key"},
          .frontend = {"frontend certificate", "frontend!key"},
          .proxy = {"proxy certificate", "proxy!key"}};
}

std::map<std::string, SetupFile> RenderedFiles(const SiteAnswers& answers,
                                               SetupHost host) {
  const auto files = RenderSite(answers, FakeMaterial(), {});
  REQUIRE_THAT(files, IsOk());
  std::map<std::string, SetupFile> found;
  for (const SetupFile& file : *files) {
    if (file.host == host) found[file.path] = file;
  }
  return found;
}

TEST_CASE("setup: only the program's account can read a secret", "[carmectl]") {
  const auto files = RenderSite(ExampleAnswers(), FakeMaterial(), {});
  REQUIRE_THAT(files, IsOk());
  std::set<std::string> secrets;
  for (const SetupFile& file : *files) {
    const bool secret = absl::StrContains(file.content, "!key") ||
                        absl::StrContains(file.content, "secret-password");
    const bool is_key = absl::EndsWith(file.path, ".key") ||
                        absl::EndsWith(file.path, "password");
    CAPTURE(file.path);
    CHECK(secret == is_key);
    CHECK(file.mode == (is_key ? 0400 : 0644));
    CHECK((file.owner != "root") == is_key);
    if (is_key) secrets.insert(absl::StrCat(file.path, " ", file.owner));
  }
  CHECK(secrets ==
        std::set<std::string>{"/etc/carme/backend.key carme",
                              "/etc/carme/frontend.key carme-frontend",
                              "/etc/carme/ldap-password carme",
                              "/etc/carme/proxy.key carme-proxy",
                              "/etc/carme/public.key carme-proxy"});
}

TEST_CASE("setup: no host gets another host's key", "[carmectl]") {
  CHECK(RenderedFiles(ExampleAnswers(), SetupHost::kDmz)
            .count("/etc/carme/ldap-password") == 0);
  CHECK(RenderedFiles(ExampleAnswers(), SetupHost::kDmz)
            .count("/etc/carme/backend.key") == 0);
  for (const auto& [path, file] :
       RenderedFiles(ExampleAnswers(), SetupHost::kNode)) {
    CAPTURE(path);
    CHECK(file.mode == 0644);
  }
}

SiteAnswers FurtherClusterAnswers() {
  SiteAnswers answers = ExampleAnswers();
  answers.cluster = "beta";
  answers.identity_backend = "head-alpha.site.test:9443";
  answers.issuer_key = std::string(43, 'A');
  return answers;
}

TEST_CASE("setup: a further cluster gets no frontend", "[carmectl]") {
  const auto dmz = RenderedFiles(FurtherClusterAnswers(), SetupHost::kDmz);
  CHECK(dmz.count("/etc/carme/frontend.toml") == 0);
  CHECK(dmz.count("/etc/carme/frontend.key") == 0);
  CHECK(dmz.count("/etc/carme/proxy.toml") == 1);
  CHECK(RenderedFiles(ExampleAnswers(), SetupHost::kPortal).empty());
  CHECK(RenderPortalLines(ExampleAnswers(), {}).empty());
}

TEST_CASE("setup: a further cluster's backend knows its identity backend",
          "[carmectl]") {
  const auto head = RenderedFiles(FurtherClusterAnswers(), SetupHost::kHead);
  CHECK(head.at("/etc/carme/cluster.key").owner == "carme");
  CHECK(head.at("/etc/carme/cluster.key").mode == 0400);
  const TempDir dir;
  REQUIRE_THAT(WriteFile(dir.File("backend.toml"),
                         head.at("/etc/carme/backend.toml").content, 0644),
               IsOk());
  const auto settings = LoadBackendSettings(dir.File("backend.toml"));
  REQUIRE_THAT(settings, IsOk());
  CHECK(settings->identity_backend.address == "head-alpha.site.test:9443");
  CHECK(settings->identity_backend.own.key == "/etc/carme/cluster.key");
  CHECK(settings->identity_backend.ca == "/etc/carme/identity-ca.pem");
}

TEST_CASE("setup: the portal gets lines and a certificate for the cluster",
          "[carmectl]") {
  const auto portal =
      RenderedFiles(FurtherClusterAnswers(), SetupHost::kPortal);
  CHECK(portal.at("/etc/carme/beta-frontend.key").content == "frontend!key");
  CHECK(portal.at("/etc/carme/beta-frontend.key").owner == "carme-frontend");
  CHECK(portal.at("/etc/carme/beta-ca.pem").content == "ca");
  CHECK(portal.size() == 4);
  auto file =
      ConfigFile::Parse(RenderPortalLines(FurtherClusterAnswers(), {}), "p");
  REQUIRE_THAT(file, IsOk());
  const auto clusters = file->root().Tables("clusters");
  REQUIRE(clusters.size() == 1);
  const auto value = [&](const char* key) {
    std::string text;
    ConfigTable(clusters[0]).Read(key, &text, Required());
    return text;
  };
  CHECK(value("name") == "beta");
  CHECK(value("address") == "head.example.org:9443");
  CHECK(value("jobs_domain") == "jobs.example.net");
  CHECK(value("key") == "/etc/carme/beta-frontend.key");
}

TEST_CASE("setup: the identity backend names its further clusters",
          "[carmectl]") {
  SiteAnswers answers = ExampleAnswers();
  answers.cluster = "alpha";
  answers.further_clusters = {"beta", "gamma"};
  const std::string backend = RenderedFiles(answers, SetupHost::kHead)
                                  .at("/etc/carme/backend.toml")
                                  .content;
  const auto file = ConfigFile::Parse(backend, "backend.toml");
  REQUIRE_THAT(file, IsOk());
  CHECK(absl::StrContains(backend, "\nname = \"alpha\"\n"));
  CHECK(
      absl::StrContains(backend, "[[identity.clusters]]\nname = \"gamma\"\n"));
  CHECK(absl::StrContains(RenderedFiles(answers, SetupHost::kDmz)
                              .at("/etc/carme/frontend.toml")
                              .content,
                          "\ncluster = \"alpha\"\n"));
  const TempDir dir;
  const std::string pki = dir.File("pki");
  SiteMaterial material;
  REQUIRE_THAT(IssueSiteCertificates(pki, answers, absl::Now(), &material),
               IsOk());
  for (const char* name : {"beta", "gamma"}) {
    const auto pem = ReadFile(absl::StrCat(pki, "/cluster-", name, ".pem"));
    REQUIRE_THAT(pem, IsOk());
    const auto facts = ReadCertificate(*pem);
    REQUIRE_THAT(facts, IsOk());
    CHECK(facts->uris ==
          std::vector<std::string>{absl::StrCat("carme://cluster/", name)});
  }
}

TEST_CASE("setup: configurations are TOML without example values",
          "[carmectl]") {
  SiteAnswers answers = ExampleAnswers();
  answers.portal_host = "p.site.test:8443";
  answers.jobs_domain.clear();
  answers.jobs_host = "j.site.test";
  answers.ldap_url = "ldaps://l.site.test";
  answers.bind_dn = answers.user_base = answers.group_base = "dc=site";
  answers.backend_host = "2001:db8::5";
  for (const SetupHost host : kSetupHosts) {
    for (const auto& [path, file] : RenderedFiles(answers, host)) {
      if (!absl::EndsWith(path, ".toml")) continue;
      CAPTURE(path);
      const auto parsed = ConfigFile::Parse(file.content, path);
      CHECK_THAT(parsed, IsOk());
      for (absl::string_view line : absl::StrSplit(file.content, '\n')) {
        if (line.empty() || line[0] == '#') continue;
        CAPTURE(line);
        CHECK_FALSE(absl::StrContains(line, "example"));
        CHECK_FALSE(absl::StrContains(line, "0000000000"));
      }
    }
  }
  const TempDir dir;
  const auto proxy = RenderedFiles(answers, SetupHost::kDmz);
  REQUIRE_THAT(WriteFile(dir.File("proxy.toml"),
                         proxy.at("/etc/carme/proxy.toml").content, 0644),
               IsOk());
  const auto settings = LoadProxySettings(dir.File("proxy.toml"));
  REQUIRE_THAT(settings, IsOk());
  CHECK(settings->jobs_domain.empty());
  CHECK(settings->jobs_host == "j.site.test");
  CHECK(settings->backend.address == "[2001:db8::5]:9443");
}

TEST_CASE("setup: Active Directory gets its filters", "[carmectl]") {
  SiteAnswers answers = ExampleAnswers();
  answers.directory_kind = "active-directory";
  const std::string backend = RenderedFiles(answers, SetupHost::kHead)
                                  .at("/etc/carme/backend.toml")
                                  .content;
  CHECK(absl::StrContains(backend, "\nname_attribute = \"sAMAccountName\"\n"));
  CHECK(absl::StrContains(backend, "\nnested_groups = \"in_chain\"\n"));
}

TEST_CASE("setup: the firewall allows the answered addresses only",
          "[carmectl]") {
  SiteAnswers answers = ExampleAnswers();
  answers.dmz_addresses = {"198.51.100.7", "2001:db8::7"};
  answers.node_networks = {"10.1.0.0/16"};
  const std::string head = RenderedFiles(answers, SetupHost::kHead)
                               .at("/etc/carme/firewall.nft")
                               .content;
  for (const char* const rule :
       {"tcp dport 9443 meta nfproto ipv4 ip saddr != { 198.51.100.7 } drop\n",
        "tcp dport 9443 meta nfproto ipv6 ip6 saddr != { 2001:db8::7 } drop\n",
        "tcp dport 9444 meta nfproto ipv4 ip saddr != { 10.1.0.0/16 } drop\n",
        "tcp dport 9444 meta nfproto ipv6 drop\n"}) {
    CAPTURE(rule);
    CHECK(absl::StrContains(head, rule));
  }
}

TEST_CASE("setup: the firewall of a node accepts responses to any of its ports",
          "[carmectl]") {
  const std::string node = RenderedFiles(ExampleAnswers(), SetupHost::kNode)
                               .at("/etc/carme/firewall.nft")
                               .content;
  CAPTURE(node);
  const size_t accepted = node.find("ct state established,related accept\n");
  REQUIRE(accepted != std::string::npos);
  CHECK(accepted < node.find("tcp dport 34000-34999"));
}

TEST_CASE("setup: the lines for Slurm name what this installation has",
          "[carmectl]") {
  const std::string packages = RenderSlurmLines(ExampleAnswers(), {});
  CHECK(absl::StrContains(packages, "\nProlog=/usr/libexec/carme/prolog\n"));
  // without a directory: Slurm looks in its own
  CHECK(absl::StrContains(packages,
                          "\nrequired spank_carme_env.so /usr/bin/carme "
                          "/usr/libexec/carme/carme-env-mount\n"));
  CHECK(absl::StrContains(
      RenderSlurmLines(ExampleAnswers(), {.prefix = "/opt/carme"}),
      "\nrequired /opt/carme/lib/carme/spank_carme_env.so "
      "/opt/carme/bin/carme "));
}

TEST_CASE("setup: tar reads the archive with owners and modes", "[carmectl]") {
  const auto files = RenderSite(ExampleAnswers(), FakeMaterial(), {});
  REQUIRE_THAT(files, IsOk());
  const auto tar = MakeTar(*files, SetupHost::kDmz, absl::Now());
  REQUIRE_THAT(tar, IsOk());
  const TempDir dir;
  REQUIRE_THAT(WriteFile(dir.File("dmz.tar"), *tar, 0600), IsOk());
  REQUIRE(std::system(absl::StrCat("tar -tvf ", dir.File("dmz.tar"), " > ",
                                   dir.File("list"))
                          .c_str()) == 0);
  const auto list = ReadFile(dir.File("list"));
  REQUIRE_THAT(list, IsOk());
  CHECK(absl::StrContains(*list, "-r-------- carme-proxy/carme-proxy "));
  CHECK(absl::StrContains(*list, " etc/carme/frontend.key\n"));
  CHECK(absl::StrContains(*list, "-rw-r--r-- root/root "));
  REQUIRE(std::system(
              absl::StrCat("tar -C ", dir.path(), " -xf ", dir.File("dmz.tar"))
                  .c_str()) == 0);
  const auto key = ReadFile(dir.File("etc/carme/proxy.key"));
  REQUIRE_THAT(key, IsOk());
  CHECK(*key == "proxy!key");
}

TEST_CASE("setup: refuses a path that tar cannot hold", "[carmectl]") {
  CHECK_THAT(MakeTar({{SetupHost::kHead, "/" + std::string(100, 'a'), ""}},
                     SetupHost::kHead, absl::Now()),
             StatusIs(absl::StatusCode::kInvalidArgument, "too long"));
}

TEST_CASE("setup: keeps certificates until they expire", "[carmectl]") {
  const TempDir dir;
  const std::string pki = dir.File("pki");
  SiteMaterial first;
  const absl::Time now = absl::Now();
  REQUIRE_THAT(IssueSiteCertificates(pki, ExampleAnswers(), now, &first),
               IsOk());
  SiteMaterial second;
  REQUIRE_THAT(IssueSiteCertificates(pki, ExampleAnswers(), now, &second),
               IsOk());
  CHECK(second.backend.key == first.backend.key);
  CHECK(second.proxy.certificate == first.proxy.certificate);
  SiteMaterial later;
  REQUIRE_THAT(IssueSiteCertificates(pki, ExampleAnswers(),
                                     now + absl::Hours(24 * 330), &later),
               IsOk());
  CHECK(later.backend.key != first.backend.key);
  CHECK_THAT(CheckKeyPair(later.backend.certificate, later.backend.key),
             IsOk());
  CHECK(later.authority == first.authority);
}

TEST_CASE("setup: makes a new key for a certificate whose key is gone",
          "[carmectl]") {
  const TempDir dir;
  SiteMaterial first;
  REQUIRE_THAT(IssueSiteCertificates(dir.File("pki"), ExampleAnswers(),
                                     absl::Now(), &first),
               IsOk());
  std::filesystem::remove(dir.File("pki/proxy-dmz.key"));
  SiteMaterial second;
  REQUIRE_THAT(IssueSiteCertificates(dir.File("pki"), ExampleAnswers(),
                                     absl::Now(), &second),
               IsOk());
  CHECK_THAT(CheckKeyPair(second.proxy.certificate, second.proxy.key), IsOk());
  CHECK(second.proxy.key != first.proxy.key);
}

TEST_CASE("setup: refuses an unsafe directory for the files", "[carmectl]") {
  const TempDir dir;
  const std::string place = dir.File("site");
  CHECK_THAT(CheckStagingDirectory(place), IsOk());
  std::filesystem::create_symlink("/tmp", place);
  CHECK_THAT(CheckStagingDirectory(place),
             StatusIs(absl::StatusCode::kFailedPrecondition, "is a link"));
  std::filesystem::remove(place);
  REQUIRE(mkdir(place.c_str(), 0700) == 0);
  CHECK_THAT(CheckStagingDirectory(place), IsOk());
  REQUIRE_THAT(WriteFile(place + "/notes", "", 0600), IsOk());
  CHECK_THAT(CheckStagingDirectory(place),
             StatusIs(absl::StatusCode::kAlreadyExists, "notes"));
  std::filesystem::remove(place + "/notes");
  REQUIRE(chmod(place.c_str(), 0777) == 0);
  CHECK_THAT(CheckStagingDirectory(place),
             StatusIs(absl::StatusCode::kPermissionDenied, "mode 777"));
}

TEST_CASE("setup: the files of a run replace those before as a whole",
          "[carmectl]") {
  const TempDir dir;
  const std::string place = dir.File("site");
  const auto write = [&](const std::string& answers) {
    auto staging = PrivateDirectory::CreateBeside(place);
    REQUIRE_THAT(staging, IsOk());
    const auto files = RenderSite(ExampleAnswers(), FakeMaterial(), {});
    REQUIRE_THAT(files, IsOk());
    REQUIRE_THAT(WriteStaging(staging->path(), *files, answers, "slurm", ""),
                 IsOk());
    REQUIRE_THAT(staging->MoveTo(place), IsOk());
  };
  write("first");
  write("second");
  const auto answers = ReadFile(place + "/answers.toml");
  REQUIRE_THAT(answers, IsOk());
  CHECK(*answers == "second");
  CHECK_THAT(ReadSecretFile(StagedPasswordPath(place)), IsOk());
  int entries = 0;
  for ([[maybe_unused]] const auto& each :
       std::filesystem::directory_iterator(dir.path())) {
    ++entries;
  }
  CHECK(entries == 1);
}

}  // namespace
}  // namespace carme::carmectl
