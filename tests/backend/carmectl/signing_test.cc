// carmectl pki request and sign, the program itself: a key that never leaves
// the host it is for.
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <string>

#include "common/file.h"
#include "common/pki/certificate.h"
#include "common/pki/machine_identity.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace carme::carmectl {
namespace {

class Hosts {
 public:
  Hosts() { REQUIRE(Pki("init site") == 0); }
  // In a directory of its own; the exit code.
  int Shell(const std::string& line) const {
    const int status = system(
        ("cd " + dir_.path() + " && { " + line + "; } > out 2> error").c_str());
    return WEXITSTATUS(status);
  }
  int Pki(const std::string& arguments) const {
    return Shell(std::string(CARME_CARMECTL) + " pki " + arguments);
  }
  std::string Text(const std::string& file) const {
    return ReadFile(dir_.File(file)).value_or("");
  }
  void Write(const std::string& file, const std::string& text) const {
    REQUIRE_THAT(WriteFile(dir_.File(file), text, 0644), IsOk());
  }
  bool ErrorSays(const std::string& text) const {
    return Text("error").find(text) != std::string::npos;
  }
  // How many certificates the authority knows of.
  int64_t Issued() const {
    REQUIRE(Pki("list site") == 0);
    const std::string list = Text("out");
    return std::count(list.begin(), list.end(), '\n');
  }
  std::string File(const std::string& name) const { return dir_.File(name); }

 private:
  TempDir dir_;
};

TEST_CASE("pki sign: refuses an invalid or unsigned request", "[carmectl]") {
  Hosts hosts;
  REQUIRE(hosts.Pki("request proxy") == 0);
  const std::string good = hosts.Text("proxy.csr");

  CHECK(hosts.Pki("sign site missing.csr proxy dmz") == 1);
  hosts.Write("empty.csr", "");
  CHECK(hosts.Pki("sign site empty.csr proxy dmz") == 1);
  CHECK(hosts.ErrorSays("cannot be read"));
  hosts.Write("large.csr", good + std::string(8192, '\n'));
  CHECK(hosts.Pki("sign site large.csr proxy dmz") == 1);
  CHECK(hosts.ErrorSays("expected at most 8192"));
  // A certificate is none, though it is signed by its own key.
  CHECK(hosts.Pki("sign site site/ca.pem proxy dmz") == 1);
  CHECK(hosts.ErrorSays("cannot be read"));
  // The signature of another request under this one's key.
  REQUIRE(hosts.Shell("openssl req -in proxy.csr -outform DER -out a.der && "
                      "size=$(stat -c %s a.der) && "
                      "head -c $((size - 8)) a.der > b.der && "
                      "printf '\\1\\1\\1\\1\\1\\1\\1\\1' >> b.der && "
                      "openssl req -inform DER -in b.der -out forged.csr") ==
          0);
  CHECK(hosts.Pki("sign site forged.csr proxy dmz") == 1);
  CHECK(hosts.ErrorSays("not signed by its own key"));
  CHECK(hosts.Issued() == 0);
}

TEST_CASE("pki sign: refuses every kind of key but P-256", "[carmectl]") {
  Hosts hosts;
  for (const std::string kind :
       {"rsa:1024", "rsa:4096", "ec -pkeyopt ec_paramgen_curve:secp224r1",
        "ec -pkeyopt ec_paramgen_curve:P-384", "ed25519"}) {
    INFO(kind);
    REQUIRE(hosts.Shell("openssl req -new -nodes -subj / -keyout k -newkey " +
                        kind + " -out weak.csr") == 0);
    CHECK(hosts.Pki("sign site weak.csr proxy dmz") == 1);
    CHECK(hosts.ErrorSays("expected P-256"));
  }
  CHECK(hosts.Issued() == 0);
}

TEST_CASE("pki sign: refuses the same names as issue", "[carmectl]") {
  Hosts hosts;
  REQUIRE(hosts.Pki("request p") == 0);
  CHECK(hosts.Pki("sign site p.csr job abcdefghijklmnop") == 1);
  CHECK(hosts.Pki("sign site p.csr proxy DMZ") == 1);
  CHECK(hosts.Pki("sign site p.csr proxy dmz --dns carme-backend") == 1);
  CHECK(hosts.Pki("sign site p.csr backend head") == 1);
  CHECK(hosts.Pki("sign site p.csr proxy dmz --days 4000") == 2);
  REQUIRE(hosts.Pki("sign site p.csr proxy dmz") == 0);
  CHECK(hosts.Pki("sign site p.csr proxy dmz --out other") == 1);
  CHECK(hosts.ErrorSays("has a good certificate"));
  CHECK(hosts.Issued() == 1);
}

TEST_CASE("pki request: overwrites no key", "[carmectl]") {
  Hosts hosts;
  REQUIRE(hosts.Pki("request proxy") == 0);
  const std::string key = hosts.Text("proxy.key");
  struct stat info {};
  REQUIRE(stat(hosts.File("proxy.key").c_str(), &info) == 0);
  CHECK((info.st_mode & 0777) == 0600);
  CHECK(hosts.Pki("request proxy") == 1);
  CHECK(hosts.Text("proxy.key") == key);
}

TEST_CASE("pki sign: uses only the key of a request", "[carmectl]") {
  Hosts hosts;
  REQUIRE(
      hosts.Shell("openssl req -new -nodes -newkey ec -pkeyopt "
                  "ec_paramgen_curve:P-256 -keyout k -out greedy.csr "
                  "-subj /CN=carme-backend -addext "
                  "subjectAltName=DNS:carme-backend,URI:carme://backend/head "
                  "-addext basicConstraints=critical,CA:TRUE "
                  "-addext extendedKeyUsage=serverAuth") == 0);
  REQUIRE(hosts.Pki("sign site greedy.csr proxy dmz --out proxy") == 0);
  CHECK(hosts.Text("out") == "proxy.pem\n");
  const std::string pem = hosts.Text("proxy.pem");
  const CertificateFacts facts = *ReadCertificate(pem);
  CHECK(facts.uris == std::vector<std::string>{"carme://proxy/dmz"});
  CHECK(facts.dns_names.empty());
  CHECK_FALSE(facts.is_authority);
  CHECK(facts.subject == "Carme proxy");
  CHECK_THAT(CheckKeyPair(pem, hosts.Text("k")), IsOk());
  CHECK(hosts.Shell("openssl verify -purpose sslclient -CAfile site/ca.pem "
                    "proxy.pem") == 0);
  CHECK(hosts.Shell("openssl verify -purpose sslserver -CAfile site/ca.pem "
                    "proxy.pem") != 0);
}

TEST_CASE("pki sign: renews certificates, which can be revoked", "[carmectl]") {
  Hosts hosts;
  REQUIRE(hosts.Pki("request backend") == 0);
  const std::string order = "backend head --dns carme-backend ";
  REQUIRE(hosts.Pki("sign site backend.csr " + order) == 0);
  REQUIRE(hosts.Pki("sign site backend.csr --again " + order) == 0);
  CHECK(hosts.Issued() == 2);
  const std::string renewed = hosts.Text("site/backend-head-2.pem");
  CHECK_THAT(CheckKeyPair(renewed, hosts.Text("backend.key")), IsOk());
  const std::string serial = ReadCertificate(renewed)->serial;
  CHECK(hosts.Pki("revoke site " + serial) == 0);
  CHECK(hosts.Shell("openssl crl -in site/crl.pem -noout -text | grep -qi " +
                    serial) == 0);
}

}  // namespace
}  // namespace carme::carmectl
