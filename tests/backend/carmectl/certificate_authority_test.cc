#include "backend/carmectl/pki/certificate_authority.h"

#include <openssl/x509v3.h>
#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <string>

#include "common/file.h"
#include "common/pki/certificate.h"
#include "common/pki/revocations.h"
#include "common/pki/x509_maker.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace carme::carmectl {
namespace {

const absl::Time kNow = absl::FromUnixSeconds(absl::ToUnixSeconds(absl::Now()));
constexpr absl::Duration kYear = absl::Hours(24 * 365);
const MachineIdentity kFrontend{MachineRole::kFrontend, "dmz"};
const MachineIdentity kBackend{MachineRole::kBackend, "head"};

class Site {
 public:
  Site() {
    REQUIRE_THAT(PkiAuthority::Init(directory(), 10 * kYear, kNow), IsOk());
  }
  std::string directory() const { return dir_.File("pki"); }
  std::string File(const std::string& name) const {
    return directory() + "/" + name;
  }
  PkiAuthority Open() const { return *PkiAuthority::Open(directory()); }
  Revocations Revoked() const {
    return *Revocations::Read(ReadFile(File("crl.pem")).value(),
                              ReadFile(File("ca.pem")).value());
  }

 private:
  TempDir dir_;
};

mode_t ModeOf(const std::string& path) {
  struct stat info {};
  REQUIRE(stat(path.c_str(), &info) == 0);
  return info.st_mode & 0777;
}

CertificateFacts FactsIn(const std::string& file) {
  return *ReadCertificate(ReadFile(file).value());
}

// As a TLS peer would, for a server or a client.
bool Verifies(const std::string& file, const std::string& ca, int purpose) {
  const X509Ptr leaf = CertificateFromPem(ReadFile(file).value());
  const X509Ptr root = CertificateFromPem(ReadFile(ca).value());
  const std::unique_ptr<X509_STORE, Freed<X509_STORE_free>> store(
      X509_STORE_new());
  X509_STORE_add_cert(store.get(), root.get());
  const std::unique_ptr<X509_STORE_CTX, Freed<X509_STORE_CTX_free>> context(
      X509_STORE_CTX_new());
  X509_STORE_CTX_init(context.get(), store.get(), leaf.get(), nullptr);
  X509_STORE_CTX_set_purpose(context.get(), purpose);
  return X509_verify_cert(context.get()) == 1;
}

TEST_CASE("pki: refuses names that no program may have", "[carmectl]") {
  Site site;
  PkiAuthority authority = site.Open();
  const CertificateOrder orders[] = {
      {.identity = {MachineRole::kJob, "abcdefghijklmnop"}},
      {.identity = {MachineRole::kFrontend, ""}},
      {.identity = {MachineRole::kFrontend, "a/b"}},
      {.identity = {MachineRole::kFrontend, "a,URI:carme://proxy/x"}},
      {.identity = {MachineRole::kFrontend, "DMZ"}},
      {.identity = {MachineRole::kFrontend, std::string(64, 'a')}},
      {.identity = kFrontend, .dns_names = {"carme-backend"}},
      {.identity = kBackend},
      {.identity = kBackend, .dns_names = {"a,URI:carme://proxy/x"}},
      {.identity = kBackend, .dns_names = {"*.example.org"}},
      {.identity = kBackend, .dns_names = {"head"}, .life = 11 * kYear},
  };
  for (const CertificateOrder& order : orders) {
    INFO(order.identity.name);
    CHECK(absl::IsInvalidArgument(authority.Issue(order, kNow).status()));
  }
  CHECK(authority.entries().empty());
}

TEST_CASE("pki: never overwrites", "[carmectl]") {
  Site site;
  CHECK(
      absl::IsAlreadyExists(PkiAuthority::Init(site.directory(), kYear, kNow)));
  PkiAuthority authority = site.Open();
  REQUIRE_THAT(authority.Issue({.identity = kFrontend}, kNow), IsOk());
  // The identity has a good certificate.
  CHECK(absl::IsAlreadyExists(
      authority.Issue({.identity = kFrontend, .stem = site.File("other")}, kNow)
          .status()));
  // A file is in the way.
  REQUIRE_THAT(WriteFile(site.File("x.key"), "precious", 0600), IsOk());
  CHECK(absl::IsAlreadyExists(
      authority.Renew(kFrontend, kYear, site.File("x"), kNow).status()));
  CHECK(ReadFile(site.File("x.key")).value() == "precious");
}

TEST_CASE("pki: refuses an authority whose key others may read, or not its own",
          "[carmectl]") {
  Site site, other;
  CHECK(absl::IsNotFound(PkiAuthority::Open("/nonexistent").status()));
  REQUIRE(chmod(site.File("ca.key").c_str(), 0644) == 0);
  CHECK(
      absl::IsPermissionDenied(PkiAuthority::Open(site.directory()).status()));
  const std::string foreign = ReadFile(other.File("ca.key")).value();
  REQUIRE_THAT(WriteFile(site.File("ca.key"), foreign, 0600), IsOk());
  CHECK(absl::IsFailedPrecondition(
      PkiAuthority::Open(site.directory()).status()));
}

TEST_CASE("pki: refuses a directory that others may enter", "[carmectl]") {
  TempDir dir;
  REQUIRE(mkdir(dir.File("pki").c_str(), 0755) == 0);
  CHECK(absl::IsPermissionDenied(
      PkiAuthority::Init(dir.File("pki"), kYear, kNow)));
}

TEST_CASE("pki: an authority that a crash left half made is made whole",
          "[carmectl]") {
  Site site;
  const std::string key = ReadFile(site.File("ca.key")).value();
  REQUIRE(unlink(site.File("ca.pem").c_str()) == 0);
  REQUIRE_THAT(PkiAuthority::Init(site.directory(), kYear, kNow), IsOk());
  CHECK(ReadFile(site.File("ca.key")).value() == key);
  CHECK_THAT(PkiAuthority::Open(site.directory()), IsOk());
}

TEST_CASE("pki: starts with an empty revocation list", "[carmectl]") {
  Site site;
  CHECK(site.Revoked().size() == 0);
}

TEST_CASE("pki: one at a time", "[carmectl]") {
  Site site;
  const PkiAuthority open = site.Open();
  CHECK_FALSE(PkiAuthority::Open(site.directory()).ok());
}

TEST_CASE("pki: a certificate is for one role, as a server or a client",
          "[carmectl]") {
  Site site;
  PkiAuthority authority = site.Open();
  const auto frontend = authority.Issue({.identity = kFrontend}, kNow);
  const auto backend = authority.Issue(
      {.identity = kBackend, .dns_names = {"carme-backend", "head"}}, kNow);
  REQUIRE_THAT(frontend, IsOk());
  REQUIRE_THAT(backend, IsOk());
  CHECK(*TheIdentity(FactsIn(frontend->certificate).uris) == kFrontend);
  CHECK(FactsIn(frontend->certificate).dns_names.empty());
  CHECK(FactsIn(backend->certificate).dns_names ==
        std::vector<std::string>{"carme-backend", "head"});
  const std::string ca = site.File("ca.pem");
  CHECK(Verifies(frontend->certificate, ca, X509_PURPOSE_SSL_CLIENT));
  CHECK_FALSE(Verifies(frontend->certificate, ca, X509_PURPOSE_SSL_SERVER));
  CHECK(Verifies(backend->certificate, ca, X509_PURPOSE_SSL_SERVER));
  CHECK_FALSE(Verifies(backend->certificate, ca, X509_PURPOSE_SSL_CLIENT));
  const auto cluster =
      authority.Issue({.identity = {MachineRole::kCluster, "beta"}}, kNow);
  REQUIRE_THAT(cluster, IsOk());
  CHECK(FactsIn(cluster->certificate).uris ==
        std::vector<std::string>{"carme://cluster/beta"});
  CHECK(Verifies(cluster->certificate, ca, X509_PURPOSE_SSL_CLIENT));
  CHECK_FALSE(Verifies(cluster->certificate, ca, X509_PURPOSE_SSL_SERVER));
  // Agents and the frontend connect to it, and it connects to the backend.
  const auto metrics =
      authority.Issue({.identity = {MachineRole::kMetrics, "metrics"},
                       .dns_names = {"carme-metrics"}},
                      kNow);
  REQUIRE_THAT(metrics, IsOk());
  CHECK(Verifies(metrics->certificate, ca, X509_PURPOSE_SSL_CLIENT));
  CHECK(Verifies(metrics->certificate, ca, X509_PURPOSE_SSL_SERVER));
  CHECK_FALSE(
      authority.Issue({.identity = {MachineRole::kMetrics, "other"}}, kNow)
          .ok());
  CHECK_THAT(CheckKeyPair(ReadFile(frontend->certificate).value(),
                          ReadFile(frontend->key).value()),
             IsOk());
  CHECK(ModeOf(frontend->key) == 0600);
  CHECK(ModeOf(site.File("ca.key")) == 0600);
  CHECK(ModeOf(site.directory()) == 0700);
}

TEST_CASE("pki: lists revoked certificates and issues them again",
          "[carmectl]") {
  Site site;
  {
    PkiAuthority authority = site.Open();
    REQUIRE_THAT(authority.Issue({.identity = kFrontend}, kNow), IsOk());
    const std::string serial = authority.entries().front().serial;
    CHECK(absl::IsNotFound(authority.Revoke("abcd", kNow)));
    REQUIRE_THAT(authority.Revoke(serial, kNow), IsOk());
    CHECK(site.Revoked().Contains(serial));
    CHECK(
        absl::IsNotFound(authority.Renew(kFrontend, kYear, "", kNow).status()));
    REQUIRE_THAT(
        authority.Issue({.identity = kFrontend, .stem = site.File("n")}, kNow),
        IsOk());
  }
  const PkiAuthority again = site.Open();
  REQUIRE(again.entries().size() == 2);
  CHECK(again.entries()[0].revoked_at == kNow);
  CHECK_FALSE(again.entries()[1].revoked_at);
  CHECK_FALSE(site.Revoked().Contains(again.entries()[1].serial));
}

TEST_CASE("pki: renewing keeps the names and the old certificate",
          "[carmectl]") {
  Site site;
  PkiAuthority authority = site.Open();
  REQUIRE_THAT(
      authority.Issue({.identity = kBackend, .dns_names = {"head"}}, kNow),
      IsOk());
  const auto renewed =
      authority.Renew(kBackend, kYear, "", kNow + absl::Hours(24));
  REQUIRE_THAT(renewed, IsOk());
  CHECK(FactsIn(renewed->certificate).dns_names ==
        std::vector<std::string>{"head"});
  CHECK(authority.entries()[0].IsGood(kNow));
  CHECK(authority.entries()[0].serial != authority.entries()[1].serial);
}

TEST_CASE("pki: a certificate that was never written can be revoked",
          "[carmectl]") {
  Site site;
  {
    PkiAuthority authority = site.Open();
    // Its directory is not there: the index was written, the key is not.
    CHECK_FALSE(
        authority
            .Issue({.identity = kFrontend, .stem = site.File("no/such")}, kNow)
            .ok());
  }
  PkiAuthority again = site.Open();
  REQUIRE(again.entries().size() == 1);
  CHECK_THAT(again.Revoke(again.entries().front().serial, kNow), IsOk());
}

TEST_CASE("pki index: refuses an invalid line", "[carmectl]") {
  const std::string good = FormatIndex({{.serial = "ab",
                                         .identity = kBackend,
                                         .dns_names = {"a", "b"},
                                         .not_before = kNow,
                                         .not_after = kNow + kYear,
                                         .revoked_at = kNow}});
  REQUIRE_THAT(ParseIndex(good), IsOk());
  CHECK(FormatIndex(*ParseIndex(good)) == good);
  for (const std::string line :
       {"ab backend head - 1 2", "ab user head - 1 2 -", "ab backend A - 1 2 -",
        "xy backend head - 1 2 -", "ab backend head - x 2 -",
        "ab backend head - 1 2 y", "ab backend head - 1 2 - more"}) {
    INFO(line);
    const auto parsed = ParseIndex(good + line + "\n");
    CHECK(absl::IsFailedPrecondition(parsed.status()));
    CHECK(parsed.status().message().find("line 3") != std::string::npos);
  }
}

}  // namespace
}  // namespace carme::carmectl
