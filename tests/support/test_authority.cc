#include "tests/support/test_authority.h"

#include <cstdlib>
#include <stdexcept>

#include "absl/strings/str_cat.h"
#include "common/file.h"

namespace carme {
namespace {

constexpr char kNewKey[] = "-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes";

}  // namespace

TestAuthority::TestAuthority() {
  Run(absl::StrCat("openssl req -x509 -days 2 -subj '/CN=test CA' ", kNewKey,
                   " -addext basicConstraints=critical,CA:TRUE"
                   " -keyout ca.key -out ca.pem"));
}

IssuedCertificate TestAuthority::Issue(const std::string& common_name,
                                       const std::string& names) {
  const std::string stem = absl::StrCat("issued-", ++issued_);
  std::string extensions = "basicConstraints=critical,CA:FALSE\n";
  if (!names.empty()) {
    absl::StrAppend(&extensions, "subjectAltName=", names, "\n");
  }
  if (!WriteFile(dir_.File(stem + ".ext"), extensions, 0600).ok()) {
    throw std::runtime_error("cannot write the extensions");
  }
  Run(absl::StrCat("openssl req -subj '/CN=", common_name, "' ", kNewKey,
                   " -keyout ", stem, ".key -out ", stem, ".csr"));
  Run(
      absl::StrCat("openssl x509 -req -days 2 -CA ca.pem -CAkey ca.key "
                   "-CAcreateserial -in ",
                   stem, ".csr -out ", stem, ".pem -extfile ", stem, ".ext"));
  return {dir_.File(stem + ".pem"), dir_.File(stem + ".key")};
}

std::string TestAuthority::Revoke(const IssuedCertificate& issued) {
  Run(absl::StrCat(
      "touch index && printf '[ca]\\ndefault_ca=t\\n[t]\\ndatabase=index\\n"
      "default_md=sha256\\n' > ca.cnf && "
      "openssl ca -config ca.cnf -cert ca.pem -keyfile ca.key -revoke ",
      issued.certificate_file,
      " && openssl ca -config ca.cnf -cert ca.pem -keyfile ca.key -gencrl"
      " -crldays 1 -out crl.pem"));
  return ReadFile(dir_.File("crl.pem")).value();
}

void TestAuthority::Run(const std::string& command) const {
  const std::string line = absl::StrCat("cd ", dir_.path(), " && { ", command,
                                        "; } > openssl.log 2>&1");
  if (std::system(line.c_str()) != 0) {
    throw std::runtime_error(absl::StrCat(
        command, ":\n", ReadFile(dir_.File("openssl.log")).value_or("")));
  }
}

}  // namespace carme
