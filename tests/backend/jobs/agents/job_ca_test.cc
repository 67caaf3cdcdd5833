#include "backend/jobs/agents/job_ca.h"

#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>
#include <sys/stat.h>

#include <catch2/catch.hpp>
#include <memory>
#include <string>

#include "common/file.h"
#include "common/pki/certificate.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace carme::backend {
namespace {

const absl::Time kNow = absl::Now();
const JobId kJob("abcdefghijklmnop");

using Key = std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)>;
using Certificate = std::unique_ptr<X509, decltype(&X509_free)>;

Certificate Parsed(const std::string& pem) {
  std::unique_ptr<BIO, decltype(&BIO_free)> bio(
      BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())), BIO_free);
  return Certificate(PEM_read_bio_X509(bio.get(), nullptr, nullptr, nullptr),
                     X509_free);
}

Key P256() { return Key(EVP_EC_gen("P-256"), EVP_PKEY_free); }

// A request that asks for more than it should get; signed by `signer`.
std::string RequestOf(EVP_PKEY* key, EVP_PKEY* signer) {
  std::unique_ptr<X509_REQ, decltype(&X509_REQ_free)> request(X509_REQ_new(),
                                                              X509_REQ_free);
  X509_NAME_add_entry_by_txt(
      X509_REQ_get_subject_name(request.get()), "CN", MBSTRING_ASC,
      reinterpret_cast<const unsigned char*>("carme-backend"), -1, -1, 0);
  X509_REQ_set_pubkey(request.get(), key);
  STACK_OF(X509_EXTENSION)* extensions = sk_X509_EXTENSION_new_null();
  for (const auto& [nid, value] :
       {std::pair{NID_subject_alt_name, "DNS:carme-backend"},
        std::pair{NID_basic_constraints, "CA:TRUE"}}) {
    sk_X509_EXTENSION_push(extensions,
                           X509V3_EXT_conf_nid(nullptr, nullptr, nid, value));
  }
  X509_REQ_add_extensions(request.get(), extensions);
  sk_X509_EXTENSION_pop_free(extensions, X509_EXTENSION_free);
  X509_REQ_sign(request.get(), signer, EVP_sha256());
  std::unique_ptr<BIO, decltype(&BIO_free)> bio(BIO_new(BIO_s_mem()), BIO_free);
  PEM_write_bio_X509_REQ(bio.get(), request.get());
  char* data = nullptr;
  const long length = BIO_get_mem_data(bio.get(), &data);
  return std::string(data, static_cast<size_t>(length));
}

bool Verifies(X509* leaf, X509* ca, const std::string& host, int purpose) {
  std::unique_ptr<X509_STORE, decltype(&X509_STORE_free)> store(
      X509_STORE_new(), X509_STORE_free);
  X509_STORE_add_cert(store.get(), ca);
  std::unique_ptr<X509_STORE_CTX, decltype(&X509_STORE_CTX_free)> context(
      X509_STORE_CTX_new(), X509_STORE_CTX_free);
  X509_STORE_CTX_init(context.get(), store.get(), leaf, nullptr);
  X509_STORE_CTX_set_purpose(context.get(), purpose);
  X509_VERIFY_PARAM_set1_host(X509_STORE_CTX_get0_param(context.get()),
                              host.data(), host.size());
  return X509_verify_cert(context.get()) == 1;
}

TEST_CASE("job CA: refuses anything but a request with a P-256 key", "[jobs]") {
  TempDir directory;
  const JobCa ca = JobCa::Open(directory.File("ca.pem"), kNow).value();
  const Key key = P256(), other = P256();
  const Key p384(EVP_EC_gen("P-384"), EVP_PKEY_free);
  const Key rsa(EVP_RSA_gen(2048), EVP_PKEY_free);
  const std::string good = RequestOf(key.get(), key.get());
  const struct {
    std::string request;
    const char* message;
  } rows[] = {
      {"", "certificate request cannot be read"},
      {"no request", "certificate request cannot be read"},
      {good.substr(0, good.size() / 2), "certificate request cannot be read"},
      {std::string(9000, 'A'),
       "certificate request has 9000 bytes: expected at most 8192"},
      {RequestOf(p384.get(), p384.get()),
       "certificate request has another kind of key: expected P-256"},
      {RequestOf(rsa.get(), rsa.get()),
       "certificate request has another kind of key: expected P-256"},
      {RequestOf(key.get(), other.get()),
       "certificate request is not signed by its own key"},
  };
  for (const auto& row : rows) {
    const auto issued =
        ca.Issue(row.request, kJob, kNow, kNow + absl::Hours(1));
    CHECK(absl::IsInvalidArgument(issued.status()));
    CHECK(issued.status().message() == row.message);
  }
}

TEST_CASE("job CA: refuses a file that is invalid or readable by others",
          "[jobs]") {
  TempDir directory;
  const std::string path = directory.File("ca.pem");
  REQUIRE_THAT(JobCa::Open(path, kNow), IsOk());
  REQUIRE(chmod(path.c_str(), 0644) == 0);
  CHECK(absl::IsPermissionDenied(JobCa::Open(path, kNow).status()));
  REQUIRE_THAT(WriteFile(path, "garbage", 0600), IsOk());
  CHECK(absl::IsInvalidArgument(JobCa::Open(path, kNow).status()));
}

TEST_CASE("job CA: takes nothing but the key from a request", "[jobs]") {
  TempDir directory;
  const JobCa ca = JobCa::Open(directory.File("ca.pem"), kNow).value();
  const Key key = P256();
  const auto pem = ca.Issue(RequestOf(key.get(), key.get()), kJob, kNow,
                            kNow + absl::Hours(1));
  REQUIRE_THAT(pem, IsOk());
  const Certificate leaf = Parsed(*pem), root = Parsed(ca.certificate_pem());
  const std::string host = kJob.value() + ".job.carme";
  CHECK(Verifies(leaf.get(), root.get(), host, X509_PURPOSE_SSL_SERVER));
  CHECK_FALSE(Verifies(leaf.get(), root.get(), "carme-backend",
                       X509_PURPOSE_SSL_SERVER));
  CHECK(Verifies(leaf.get(), root.get(), host, X509_PURPOSE_SSL_CLIENT));
  CHECK(ReadCertificate(*pem)->uris ==
        std::vector<std::string>{"carme://job/" + kJob.value()});
  CHECK(X509_check_ca(leaf.get()) == 0);
  CHECK(EVP_PKEY_eq(X509_get0_pubkey(leaf.get()), key.get()) == 1);
  CHECK(X509_get_extension_flags(leaf.get()) & EXFLAG_XKUSAGE);
  CHECK(X509_get_extended_key_usage(leaf.get()) ==
        (XKU_SSL_SERVER | XKU_SSL_CLIENT));
}

TEST_CASE("job CA: a certificate ends with its job", "[jobs]") {
  TempDir directory;
  const JobCa ca = JobCa::Open(directory.File("ca.pem"), kNow).value();
  const Key key = P256();
  const std::string request = RequestOf(key.get(), key.get());
  const absl::Time until = kNow + absl::Hours(3);
  const Certificate first = Parsed(*ca.Issue(request, kJob, kNow, until));
  const Certificate second = Parsed(*ca.Issue(request, kJob, kNow, until));
  CHECK(ASN1_TIME_cmp_time_t(X509_get0_notAfter(first.get()),
                             absl::ToTimeT(until)) == 0);
  CHECK(ASN1_INTEGER_cmp(X509_get0_serialNumber(first.get()),
                         X509_get0_serialNumber(second.get())) != 0);
}

TEST_CASE("job CA: is the same after a restart and readable by its owner only",
          "[jobs]") {
  TempDir directory;
  const std::string path = directory.File("ca.pem");
  const std::string first = JobCa::Open(path, kNow)->certificate_pem();
  CHECK(JobCa::Open(path, kNow + absl::Hours(1))->certificate_pem() == first);
  struct stat info {};
  REQUIRE(stat(path.c_str(), &info) == 0);
  CHECK((info.st_mode & 0777) == 0600);
}

}  // namespace
}  // namespace carme::backend
