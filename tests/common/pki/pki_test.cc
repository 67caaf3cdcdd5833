#include <sys/stat.h>

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "common/file.h"
#include "common/pki/certificate.h"
#include "common/pki/expiry.h"
#include "common/pki/file_watch.h"
#include "common/pki/machine_identity.h"
#include "common/pki/revocations.h"
#include "common/pki/tls_files.h"
#include "common/pki/x509_maker.h"
#include "tests/common/net/test_ca.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace carme {
namespace {

using testing::TestCa;

TEST_CASE("machine identity: only exactly one URI of our form is one",
          "[common]") {
  const std::vector<std::vector<std::string>> refused = {
      {},
      {"carme://frontend/a", "carme://proxy/a"},
      {"carme://frontend/a", "carme://frontend/a"},
      {"carme://frontend/a", "https://example.org/"},
      {"carme://user/a"},
      {"carme://frontend"},
      {"carme://frontend/"},
      {"carme://frontend/a/b"},
      {"carme://frontend/A"},
      {"carme://FRONTEND/a"},
      {"Carme://frontend/a"},
      {"carme://frontend@proxy/a"},
      {"carme://frontend/a?b"},
      {"carme://frontend/a\n"},
      {std::string("carme://frontend/a\0b", 20)},
      {"carme://frontend/-a"},
      {" carme://frontend/a"},
      {"carme:///frontend/a"}};
  for (const auto& uris : refused) {
    INFO((uris.empty() ? "" : uris.front()));
    CHECK(absl::IsPermissionDenied(TheIdentity(uris).status()));
  }
  for (const MachineRole role :
       {MachineRole::kBackend, MachineRole::kFrontend, MachineRole::kProxy,
        MachineRole::kJob, MachineRole::kCluster, MachineRole::kMetrics}) {
    const MachineIdentity identity{role, "dmz-1.example.org"};
    CHECK(*TheIdentity({ToUri(identity)}) == identity);
    CHECK(*ParseMachineRole(RoleName(role)) == role);
  }
}

TEST_CASE("key pair: refuses a half-written one", "[common]") {
  const TestCa ca("ca");
  const auto one = ca.Issue({"a"}), two = ca.Issue({"a"});
  CHECK_THAT(CheckKeyPair(one.certificate_pem, one.key_pem), IsOk());
  CHECK_FALSE(CheckKeyPair(one.certificate_pem, two.key_pem).ok());
  CHECK_FALSE(CheckKeyPair(one.certificate_pem, "").ok());
  CHECK_FALSE(CheckKeyPair("", one.key_pem).ok());
  CHECK_FALSE(CheckKeyPair(one.certificate_pem,
                           one.key_pem.substr(0, one.key_pem.size() / 2))
                  .ok());
}

TEST_CASE("revocations: refuses a list that is broken or of another authority",
          "[common]") {
  const TestCa ca("ca"), other("other"), namesake("ca");
  const std::string list = ca.RevocationList({"0a1b"});
  const auto read = Revocations::Read(list, ca.certificate_pem());
  REQUIRE_THAT(read, IsOk());
  CHECK(read->Contains("a1b"));
  CHECK_FALSE(read->Contains("0a1b"));
  CHECK(read->size() == 1);
  CHECK_THAT(
      Revocations::Read(list, other.certificate_pem() + ca.certificate_pem()),
      IsOk());
  for (const TestCa* wrong : {&other, &namesake}) {
    CHECK_FALSE(Revocations::Read(list, wrong->certificate_pem()).ok());
  }
  CHECK_FALSE(Revocations::Read("", ca.certificate_pem()).ok());
  CHECK_FALSE(Revocations::Read("garbage", ca.certificate_pem()).ok());
  CHECK_FALSE(
      Revocations::Read(list.substr(0, list.size() - 60), ca.certificate_pem())
          .ok());
  CHECK_FALSE(Revocations::Read(list + list.substr(0, list.size() - 60),
                                ca.certificate_pem())
                  .ok());
}

TEST_CASE("file watch: sees each replacement once", "[common]") {
  TempDir dir;
  REQUIRE_THAT(WriteFile(dir.File("a"), "1", 0600), IsOk());
  FileWatch watch({dir.File("a"), "", dir.File("b")});
  CHECK_FALSE(watch.Changed());
  REQUIRE_THAT(WriteFile(dir.File("a"), "2", 0600), IsOk());
  CHECK(watch.Changed());
  CHECK_FALSE(watch.Changed());
  REQUIRE_THAT(WriteFile(dir.File("b"), "1", 0600), IsOk());
  CHECK(watch.Changed());
  CHECK_FALSE(watch.Changed());
}

TEST_CASE("tls files: retries a broken change, applies its revocation list",
          "[common]") {
  const TestCa ca("ca");
  TempDir dir;
  const auto put = [&](const std::string& name, const std::string& text) {
    REQUIRE_THAT(WriteFile(dir.File(name), text, 0600), IsOk());
  };
  const auto one = ca.Issue({"a"}), two = ca.Issue({"a"});
  put("key", one.key_pem);
  put("pem", one.certificate_pem);
  put("ca", ca.certificate_pem());
  put("crl", ca.RevocationList({}));
  auto files = TlsFiles::Open({.certificate = dir.File("pem"),
                               .key = dir.File("key"),
                               .ca = dir.File("ca"),
                               .crl = dir.File("crl")});
  REQUIRE_THAT(files, IsOk());
  CHECK_FALSE(files->Refresh());
  put("key", two.key_pem);
  CHECK_FALSE(files->Refresh());
  put("crl", ca.RevocationList({"0a"}));
  CHECK(files->Refresh());
  CHECK(files->material().revoked.Contains("a"));
  CHECK(files->material().key + "\n" == one.key_pem);
  // What cannot be read now, and is seen to be whole later.
  REQUIRE(chmod(dir.File("key").c_str(), 0644) == 0);
  put("pem", two.certificate_pem);
  CHECK_FALSE(files->Refresh());
  REQUIRE(chmod(dir.File("key").c_str(), 0600) == 0);
  CHECK(files->Refresh());
  CHECK(files->material().certificate == two.certificate_pem);
  CHECK_FALSE(files->Refresh());
}

TEST_CASE("tls files: names a missing file with the remedy", "[common]") {
  const TestCa ca("ca");
  TempDir dir;
  const auto issued = ca.Issue({"a"});
  REQUIRE_THAT(WriteFile(dir.File("pem"), issued.certificate_pem, 0600),
               IsOk());
  CHECK_THAT(TlsFiles::Open({dir.File("pem"), dir.File("key")}),
             StatusIs(absl::StatusCode::kNotFound,
                      "key\": No such file or directory: copy it there"));
}

TEST_CASE(
    "tls files: a program does not start outside of a certificate's "
    "period",
    "[common]") {
  const TestCa ca("ca");
  TempDir dir;
  const auto issued = ca.Issue({"a"});  // for an hour
  REQUIRE_THAT(WriteFile(dir.File("pem"), issued.certificate_pem, 0600),
               IsOk());
  REQUIRE_THAT(WriteFile(dir.File("key"), issued.key_pem, 0600), IsOk());
  const TlsFilePaths paths = {dir.File("pem"), dir.File("key")};
  const absl::Time now = absl::Now();
  CHECK_THAT(TlsFiles::OpenValid(paths, now + absl::Hours(2)),
             StatusIs(absl::StatusCode::kFailedPrecondition, ": renew it"));
  CHECK_THAT(
      TlsFiles::OpenValid(paths, now - absl::Hours(24 * 365)),
      StatusIs(absl::StatusCode::kFailedPrecondition, ": correct the clock"));
  CHECK_THAT(TlsFiles::OpenValid(paths, now), IsOk());
}

TEST_CASE("expiry: returns the end of a certificate, and whether it is soon",
          "[common]") {
  const TestCa ca("ca");
  const std::string pem = ca.Issue({"a"}).certificate_pem;  // for an hour
  const absl::Time now = absl::Now();
  CHECK(HealthOf("proxy", "garbage", 21, now).empty());
  const auto health = HealthOf("proxy", pem, 21, now);
  REQUIRE(health.size() == 1);
  CHECK(health[0].soon);
  CHECK(health[0].name == "a");
  CHECK_FALSE(HealthOf("proxy", pem, 21, now - absl::Hours(30 * 24))[0].soon);
}

TEST_CASE("expiry: a list past its time still revokes, and is warned of",
          "[common]") {
  const TestCa ca("ca");
  const absl::Time now = absl::Now();
  CHECK(HealthOfList(Revocations(), ca.certificate_pem(), now).empty());
  const auto late =
      Revocations::Read(ca.RevocationList({"0a"}, -30), ca.certificate_pem());
  REQUIRE_THAT(late, IsOk());
  CHECK(late->Contains("a"));
  const auto health = HealthOfList(*late, ca.certificate_pem(), now);
  REQUIRE(health.size() == 1);
  CHECK(health[0].program == "revocation list");
  CHECK(health[0].name == "ca");
  CHECK(health[0].not_after < now);
  CHECK(health[0].soon);
  const auto good = Revocations::Read(ca.RevocationList({"0a"}, 2 * 3600),
                                      ca.certificate_pem());
  CHECK_FALSE(HealthOfList(*good, ca.certificate_pem(), now)[0].soon);
  // Its time is not what it revokes.
  CHECK(*good == *late);
  // Of several the one that is due first counts.
  const auto both = Revocations::Read(
      ca.RevocationList({}, 2 * 3600) + ca.RevocationList({}, -30),
      ca.certificate_pem());
  CHECK(both->next_update() == late->next_update());
}

}  // namespace
}  // namespace carme
