// Runs the fuzz target over mutations of a good request, the same ones each
// time, so that it is exercised where no fuzzer is.
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

#include <catch2/catch.hpp>
#include <cstdint>
#include <random>
#include <string>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace carme {
namespace {

std::string GoodRequest() {
  EVP_PKEY* key = EVP_EC_gen("P-256");
  X509_REQ* request = X509_REQ_new();
  X509_REQ_set_pubkey(request, key);
  X509_REQ_sign(request, key, EVP_sha256());
  BIO* bio = BIO_new(BIO_s_mem());
  PEM_write_bio_X509_REQ(bio, request);
  char* data = nullptr;
  const long length = BIO_get_mem_data(bio, &data);
  std::string pem(data, static_cast<size_t>(length));
  BIO_free(bio);
  X509_REQ_free(request);
  EVP_PKEY_free(key);
  return pem;
}

void Feed(const std::string& bytes) {
  LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t*>(bytes.data()),
                         bytes.size());
}

TEST_CASE("csr fuzz: no mutation of a request gets more than a request",
          "[jobs]") {
  std::mt19937 random(20261121);
  const std::string good = GoodRequest();
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
}  // namespace carme
