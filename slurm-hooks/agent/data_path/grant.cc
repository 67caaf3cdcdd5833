#include "slurm-hooks/agent/data_path/grant.h"

#include <algorithm>
#include <cstdint>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "carme/v1/routes.pb.h"
#include "common/status.h"

namespace carme::agent {
namespace {

constexpr std::string_view kMagic("CARME1\0\0", 8);

absl::StatusOr<absl::Time> ReadExpiry(const carme::v1::Grant& grant) {
  const google::protobuf::Timestamp& at = grant.expires_at();
  if (!grant.has_expires_at() || at.nanos() < 0 || at.nanos() > 999'999'999) {
    return absl::InvalidArgumentError("grant without a valid expiry");
  }
  return absl::FromUnixSeconds(at.seconds()) + absl::Nanoseconds(at.nanos());
}

absl::Status CheckPurpose(const carme::v1::Grant& grant,
                          const GrantRules& rules) {
  if (grant.job_id() != rules.job.value()) {
    return absl::PermissionDeniedError(
        absl::StrCat("grant is for job \"", grant.job_id(), "\": expected \"",
                     rules.job.value(), "\""));
  }
  if (rules.apps.count(grant.app()) == 0) {
    return absl::PermissionDeniedError(
        absl::StrCat("grant is for app \"", grant.app(),
                     "\": expected one of: ", absl::StrJoin(rules.apps, ", ")));
  }
  const auto& rights = grant.rights();
  if (std::find(rights.begin(), rights.end(), "use") == rights.end()) {
    return absl::PermissionDeniedError("grant lacks the right \"use\"");
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<size_t> ReadPreambleHead(std::string_view head) {
  if (head.substr(0, kMagic.size()) != kMagic) {
    return absl::InvalidArgumentError("preamble must begin with CARME1");
  }
  uint32_t length = 0;
  for (const char byte : head.substr(kMagic.size())) {
    length = length << 8 | static_cast<uint8_t>(byte);
  }
  if (length == 0 || length > kMaxGrantBytes) {
    return absl::InvalidArgumentError(
        absl::StrCat("length in preamble is ", length, " bytes: expected 1 to ",
                     kMaxGrantBytes));
  }
  return length;
}

absl::StatusOr<AcceptedGrant> VerifyGrant(std::string_view signed_bytes,
                                          const GrantRules& rules,
                                          absl::Time now) {
  carme::v1::Signed envelope;
  if (!envelope.ParseFromArray(signed_bytes.data(),
                               static_cast<int>(signed_bytes.size()))) {
    return absl::InvalidArgumentError("preamble contains no signed message");
  }
  // The payload is not parsed before its signature is verified.
  if (!rules.backend.Verify(kGrantDomain, envelope.payload(),
                            envelope.signature())) {
    return absl::UnauthenticatedError("grant is not signed by the backend");
  }
  carme::v1::Grant grant;
  if (!grant.ParseFromString(envelope.payload())) {
    return absl::InvalidArgumentError("signed message contains no grant");
  }
  RETURN_IF_ERROR(CheckPurpose(grant, rules));
  ASSIGN_OR_RETURN(const absl::Time expires_at, ReadExpiry(grant));
  if (expires_at <= now) {
    return absl::PermissionDeniedError(
        absl::StrCat("grant expired at ", absl::FormatTime(expires_at)));
  }
  return AcceptedGrant{grant.app(), SessionId(grant.session_id()), grant.user(),
                       expires_at};
}

}  // namespace carme::agent
