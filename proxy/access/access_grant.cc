#include "proxy/access/access_grant.h"

#include <algorithm>
#include <utility>

#include "carme/v1/routes.pb.h"
#include "proxy/access/messages.h"

namespace carme::proxy {
namespace {

// The agent's limit.
constexpr size_t kMaxGrantBytes = 4096;

}  // namespace

absl::StatusOr<AccessGrantPtr> ParseAccessGrant(const std::string& signed_grant,
                                                const VerifyingKey* key) {
  v1::Signed envelope;
  v1::Grant grant;
  if (signed_grant.size() > kMaxGrantBytes ||
      !envelope.ParseFromString(signed_grant)) {
    return MakePlainError(proxy_access_messages::kGrantMalformed);
  }
  if (key != nullptr &&
      !key->Verify(kGrantDomain, envelope.payload(), envelope.signature())) {
    return MakePlainError(proxy_access_messages::kGrantSignature);
  }
  if (!grant.ParseFromString(envelope.payload()) || !IsJobId(grant.job_id()) ||
      grant.host_label().empty() || grant.session_id().empty() ||
      !grant.has_expires_at()) {
    return MakePlainError(proxy_access_messages::kGrantIncomplete);
  }
  if (std::find(grant.rights().begin(), grant.rights().end(), "use") ==
      grant.rights().end()) {
    return MakePlainError(proxy_access_messages::kGrantRight);
  }
  auto access = std::make_shared<AccessGrant>();
  access->host = {JobId(grant.job_id()), grant.host_label()};
  access->session = SessionId(grant.session_id());
  access->user = grant.user();
  access->app = grant.app();
  access->keeps_prefix = grant.whole_path();
  access->expires = absl::FromUnixSeconds(grant.expires_at().seconds());
  access->signed_grant = signed_grant;
  return access;
}

}  // namespace carme::proxy
