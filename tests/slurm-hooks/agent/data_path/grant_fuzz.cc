// What the agent reads from an unauthenticated connection. Built into a fuzzer
// by
//
//   clang++ -std=c++20 -fsanitize=fuzzer,address,undefined …
//
// and run over a fixed corpus by grant_fuzz_test.cc in every test run.
#include <google/protobuf/stubs/logging.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "carme/v1/routes.pb.h"
#include "slurm-hooks/agent/data_path/grant.h"
#include "slurm-hooks/agent/job/status_line.h"

namespace carme::agent {
namespace {

const absl::Time kNow = absl::FromUnixSeconds(1'800'000'000);

const SigningKey& Backend() {
  static const SigningKey key = *SigningKey::FromSeed(std::string(32, 'b'));
  return key;
}
const GrantRules& Rules() {
  static const GrantRules rules = {
      JobId("abcdefgh23456789"),
      {"jupyter"},
      *VerifyingKey::FromRaw(Backend().PublicKey())};
  return rules;
}

// protobuf complains about text that is not UTF-8, which is most of it here.
const bool quiet = (google::protobuf::SetLogHandler(nullptr), true);

void Check(bool holds) {
  if (!holds) std::abort();
}

}  // namespace
}  // namespace carme::agent

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace carme::agent;  // NOLINT: the fuzzer wants a global function
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  if (size >= kPreambleHeadBytes) {
    const auto length = ReadPreambleHead(bytes.substr(0, kPreambleHeadBytes));
    Check(!length.ok() || (*length > 0 && *length <= kMaxGrantBytes));
  }
  // A signature cannot be found by chance.
  Check(!VerifyGrant(bytes, Rules(), kNow).ok());
  // As a payload that the backend did sign, any bytes are read.
  carme::v1::Signed envelope;
  envelope.set_payload(std::string(bytes));
  envelope.set_signature(Backend().Sign(carme::kGrantDomain, bytes));
  const auto grant = VerifyGrant(envelope.SerializeAsString(), Rules(), kNow);
  Check(!grant.ok() || grant->expires_at > kNow);
  const auto code = ReadStatusCode(bytes);
  Check(!code.has_value() || (*code >= 0 && *code <= 999));
  return 0;
}
