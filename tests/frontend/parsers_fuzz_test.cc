// Runs the fuzz target over mutations of good requests, the same ones each
// time, so that it is exercised where no fuzzer is.
#include <catch2/catch.hpp>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace carme {
namespace {

const std::vector<std::string> kSeeds = {
    "POST /carme.v1.JobService/ListJobs HTTP/1.1\r\nHost: carme.test\r\n"
    "Origin: https://carme.test\r\nCookie: a=b; __Host-carme=AAAAAAAAAAAAAAAA"
    "AAAAAAAAAAAAAAAAAAAAAAAAAAA\r\nContent-Length: 2\r\n"
    "Accept-Encoding: gzip;q=0.5, br\r\nX-Request-Id: abcdefgh\r\n\r\n",
    std::string("\0\0\0\0\2{}", 7),
    R"({"idempotencyKey":"k","spec":{"gpusPerNode":2,"name":"aä\n",)"
    R"("memoryPerNode":"4096","walltime":"3600.5s"}})",
};

std::string Mutate(std::string text, std::mt19937& random) {
  const auto below = [&](size_t bound) { return random() % bound; };
  for (size_t edits = 1 + below(4); edits > 0 && !text.empty(); --edits) {
    const size_t at = below(text.size());
    switch (below(4)) {
      case 0:
        text[at] = static_cast<char>(below(256));
        break;
      case 1:
        text.erase(at, 1 + below(8));
        break;
      case 2:
        text.insert(at, text.substr(below(text.size()), below(16)));
        break;
      default:
        text.insert(at, 1, "\r\n:;,= \"{}[]\\%\0"[below(15)]);
    }
  }
  return text;
}

TEST_CASE("parsers: hold what they promise for 20,000 broken requests",
          "[frontend]") {
  std::mt19937 random(7);
  for (int i = 0; i < 20000; ++i) {
    const std::string input =
        Mutate(kSeeds[static_cast<size_t>(i) % kSeeds.size()], random);
    LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t*>(input.data()),
                           input.size());
  }
  SUCCEED();
}

}  // namespace
}  // namespace carme
