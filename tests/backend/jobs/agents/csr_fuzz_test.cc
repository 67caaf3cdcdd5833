// Runs the fuzz target over mutations of a good request, the same ones each
// time, so that it is exercised where no fuzzer is.
#include <catch2/catch.hpp>
#include <cstdint>
#include <random>
#include <string>

#include "common/pki/certificate_request.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace carme::backend {
namespace {

void Feed(const std::string& bytes) {
  LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t*>(bytes.data()),
                         bytes.size());
}

TEST_CASE("csr fuzz: no mutated request gets a wider certificate", "[jobs]") {
  std::mt19937 random(20261121);
  const std::string good = NewCertificateRequest()->csr_pem;
  Feed(good);
  for (int i = 0; i < 20'000; ++i) {
    std::string bytes = good;
    for (unsigned edits = 1 + random() % 4; edits > 0; --edits) {
      bytes[random() % bytes.size()] = static_cast<char>(random());
    }
    if (random() % 8 == 0) bytes.resize(random() % bytes.size());
    Feed(bytes);
  }
}

}  // namespace
}  // namespace carme::backend
