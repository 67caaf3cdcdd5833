// Runs the fuzz target over mutations of good input, the same ones each time,
// so that it is exercised where no fuzzer is.
#include <catch2/catch.hpp>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "carme/v1/routes.pb.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace carme::agent {
namespace {

std::vector<std::string> Seeds() {
  carme::v1::Grant grant;
  grant.set_job_id("abcdefgh23456789");
  grant.set_app("jupyter");
  grant.add_rights("use");
  grant.mutable_expires_at()->set_seconds(1'900'000'000);
  carme::v1::Signed envelope;
  envelope.set_payload(grant.SerializeAsString());
  envelope.set_signature(std::string(64, 's'));
  const std::string bytes = envelope.SerializeAsString();
  return {grant.SerializeAsString(), bytes,
          std::string("CARME1\0\0\0\0\0", 11) +
              static_cast<char>(bytes.size()) + bytes,
          "HTTP/1.1 200 OK\r\n\r\n"};
}

std::string Mutate(std::string text, std::mt19937& random) {
  const auto below = [&](size_t bound) { return random() % bound; };
  for (size_t edits = below(5); edits > 0 && !text.empty(); --edits) {
    const size_t at = below(text.size());
    switch (below(3)) {
      case 0:
        text[at] = static_cast<char>(below(256));
        break;
      case 1:
        text.erase(at, 1 + below(8));
        break;
      default:
        text.insert(at, text.substr(below(text.size()), below(16)));
    }
  }
  return text;
}

TEST_CASE("grant: keeps its invariants for 5,000 corrupted grants", "[agent]") {
  std::mt19937 random(7);
  const std::vector<std::string> seeds = Seeds();
  for (size_t i = 0; i < 5000; ++i) {
    const std::string input = Mutate(seeds[i % seeds.size()], random);
    LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t*>(input.data()),
                           input.size());
  }
  SUCCEED();
}

}  // namespace
}  // namespace carme::agent
