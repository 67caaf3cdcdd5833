// Against a real munged.
#include <catch2/catch.hpp>
#include <string>

#include "absl/time/clock.h"
#include "backend/jobs/agents/munge_decoder.h"
#include "tests/support/servers/munged_server.h"
#include "tests/support/status_matchers.h"

namespace carme::backend {
namespace {

constexpr uid_t kUser = 20001;

TEST_CASE("munge decoder: refuses forged credentials", "[jobs]") {
  MungedServer munged;
  MungeDecoder decoder(munged.socket());
  std::string changed = munged.EncodeAs(kUser, "payload");
  changed[changed.size() / 2] ^= 1;
  for (const std::string& text : {std::string(), std::string("MUNGE:AwQDAAA:"),
                                  changed, std::string(100000, 'A')}) {
    CHECK(absl::IsPermissionDenied(decoder.Decode(text).status()));
  }
}

TEST_CASE("munge decoder: refuses another site's credential", "[jobs]") {
  MungedServer munged, elsewhere;
  MungeDecoder decoder(munged.socket());
  CHECK(absl::IsPermissionDenied(
      decoder.Decode(elsewhere.EncodeAs(kUser, "payload")).status()));
}

TEST_CASE("munge decoder: refuses a replay", "[jobs]") {
  MungedServer munged;
  MungeDecoder decoder(munged.socket());
  const std::string credential = munged.EncodeAs(kUser, "payload");
  CHECK_THAT(decoder.Decode(credential), IsOk());
  MungeDecoder restarted(munged.socket());
  CHECK(absl::IsPermissionDenied(restarted.Decode(credential).status()));
}

TEST_CASE("munge decoder: refuses one that is too old", "[jobs]") {
  MungedServer munged;
  MungeDecoder decoder(munged.socket());
  const std::string credential = munged.EncodeAs(kUser, "payload", 1);
  absl::SleepFor(absl::Milliseconds(2100));  // munge counts whole seconds
  CHECK(absl::IsPermissionDenied(decoder.Decode(credential).status()));
}

TEST_CASE("munge decoder: fails while munged does not run", "[jobs]") {
  MungedServer munged;
  MungeDecoder decoder(munged.socket());
  const std::string credential = munged.EncodeAs(kUser, "payload");
  munged.Stop();
  CHECK(absl::IsUnavailable(decoder.Decode(credential).status()));
}

TEST_CASE("munge decoder: names the uid and gives the payload", "[jobs]") {
  MungedServer munged;
  MungeDecoder decoder(munged.socket());
  const std::string payload("a\0b", 3);
  const auto decoded = decoder.Decode(munged.EncodeAs(kUser, payload));
  REQUIRE_THAT(decoded, IsOk());
  CHECK(decoded->uid == Uid(kUser));
  CHECK(decoded->payload == payload);
}

}  // namespace
}  // namespace carme::backend
