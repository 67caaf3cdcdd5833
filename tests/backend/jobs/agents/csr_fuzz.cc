// A certificate request as any process on a node may send it. Built into a
// fuzzer by
//
//   clang++ -std=c++20 -fsanitize=fuzzer,address,undefined …
//
// and run over mutations of a good one by csr_fuzz_test.cc in every test run.
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "backend/jobs/agents/job_ca.h"
#include "tests/support/temp_dir.h"

namespace carme::backend {
namespace {

const absl::Time kNow = absl::FromUnixSeconds(1'800'000'000);

const JobCa& Authority() {
  static const TempDir directory;
  static const JobCa ca = *JobCa::Open(directory.File("ca.pem"), kNow);
  return ca;
}

// Whatever was asked for, a job's certificate is for one host, and no CA.
bool IsHarmless(const std::string& pem) {
  BIO* bio = BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size()));
  X509* leaf = PEM_read_bio_X509(bio, nullptr, nullptr, nullptr);
  const bool harmless =
      leaf != nullptr && X509_check_ca(leaf) == 0 &&
      X509_check_host(leaf, "abcdefghijklmnop.job.carme", 0, 0, nullptr) == 1 &&
      X509_check_host(leaf, "carme-backend", 0, 0, nullptr) == 0;
  X509_free(leaf);
  BIO_free(bio);
  return harmless;
}

}  // namespace
}  // namespace carme::backend

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace carme;           // NOLINT: the fuzzer wants a global function
  using namespace carme::backend;  // NOLINT
  const std::string_view csr(reinterpret_cast<const char*>(data), size);
  const auto issued = Authority().Issue(csr, JobId("abcdefghijklmnop"), kNow,
                                        kNow + absl::Hours(1));
  if (issued.ok() && !IsHarmless(*issued)) std::abort();
  return 0;
}
