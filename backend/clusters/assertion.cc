#include "backend/clusters/assertion.h"

#include <google/protobuf/util/time_util.h>

#include <algorithm>
#include <initializer_list>
#include <optional>
#include <utility>

#include "backend/clusters/messages.h"
#include "backend/identity/session/access_token_rules.h"
#include "carme/v1/routes.pb.h"
#include "carme/v1/session.pb.h"
#include "common/encoding.h"
#include "common/name_rules.h"
#include "common/protobuf/message_error.h"

namespace carme::backend {
namespace {

using google::protobuf::Timestamp;
using google::protobuf::util::TimeUtil;

constexpr int kMaxScopes = 64;
constexpr NameRule kSessionIdRule{.characters = kBase64UrlCharacters,
                                  .max_bytes = 64};

Timestamp TimestampOf(absl::Time time) {
  return TimeUtil::MicrosecondsToTimestamp(absl::ToUnixMicros(time));
}

absl::Time TimeOf(const Timestamp& time) {
  return absl::FromUnixSeconds(time.seconds()) +
         absl::Nanoseconds(time.nanos());
}

absl::Status Refused(const MessageTemplate& cause,
                     std::initializer_list<MessageValue> values = {}) {
  return MakeError(cluster_messages::kAssertionInvalid,
                   {{"cause", FormatMessage(cause, values)}});
}

bool IsWellFormed(const v1::Assertion& assertion) {
  return kUsernameRule.Allows(assertion.username()) &&
         kSessionIdRule.Allows(assertion.session_id()) &&
         assertion.has_issued_at() && assertion.has_expires_at() &&
         assertion.has_session_created_at() &&
         assertion.has_session_expires_at() &&
         assertion.scopes_size() <= kMaxScopes &&
         // Without scopes an access token would have all permissions.
         IsTokenSession(SessionId(assertion.session_id())) ==
             (assertion.scopes_size() > 0);
}

}  // namespace

AssertionSigner::AssertionSigner(SigningKey key,
                                 std::vector<std::string> clusters,
                                 const Clock* clock)
    : key_(std::move(key)), clusters_(std::move(clusters)), clock_(*clock) {}

absl::StatusOr<SignedAssertion> AssertionSigner::Sign(
    const Session& session, const std::string& cluster) const {
  if (std::find(clusters_.begin(), clusters_.end(), cluster) ==
      clusters_.end()) {
    return MakeError(cluster_messages::kClusterUnknown, {{"cluster", cluster}});
  }
  const absl::Time now = clock_.Now();
  const absl::Time expires_at = now + kAssertionLifetime;
  v1::Assertion assertion;
  assertion.set_cluster(cluster);
  assertion.set_username(session.username);
  assertion.set_session_id(session.id.value());
  *assertion.mutable_issued_at() = TimestampOf(now);
  *assertion.mutable_expires_at() = TimestampOf(expires_at);
  *assertion.mutable_session_created_at() = TimestampOf(session.created_at);
  *assertion.mutable_session_expires_at() = TimestampOf(session.expires_at);
  if (session.reauthenticated_until > now) {
    *assertion.mutable_reauthenticated_until() = TimestampOf(
        std::min(session.reauthenticated_until, session.expires_at));
  }
  *assertion.mutable_scopes() = {session.scopes.begin(), session.scopes.end()};
  v1::Signed sealed;
  sealed.set_payload(assertion.SerializeAsString());
  sealed.set_signature(key_.Sign(kAssertionDomain, sealed.payload()));
  return SignedAssertion{.text = Base64UrlEncode(sealed.SerializeAsString()),
                         .expires_at = expires_at};
}

AssertionVerifier::AssertionVerifier(VerifyingKey key, std::string cluster)
    : key_(std::move(key)), cluster_(std::move(cluster)) {}

absl::StatusOr<Session> AssertionVerifier::Verify(std::string_view text,
                                                  absl::Time now) const {
  if (text.size() > kMaxAssertionBytes) {
    return Refused(cluster_messages::kMalformed);
  }
  const std::optional<std::string> bytes = Base64UrlDecode(text);
  v1::Signed envelope;
  if (!bytes || !envelope.ParseFromString(*bytes)) {
    return Refused(cluster_messages::kMalformed);
  }
  if (!key_.Verify(kAssertionDomain, envelope.payload(),
                   envelope.signature())) {
    return Refused(cluster_messages::kInvalidSignature);
  }
  v1::Assertion assertion;
  if (!assertion.ParseFromString(envelope.payload()) ||
      !IsWellFormed(assertion)) {
    return Refused(cluster_messages::kMalformed);
  }
  if (assertion.cluster() != cluster_) {
    return Refused(cluster_messages::kOtherAudience,
                   {{"found", assertion.cluster()}, {"cluster", cluster_}});
  }
  const absl::Time issued_at = TimeOf(assertion.issued_at());
  const absl::Time expires_at = TimeOf(assertion.expires_at());
  if (expires_at + kClockTolerance <= now) {
    return Refused(cluster_messages::kExpired);
  }
  if (issued_at - kClockTolerance > now) {
    return Refused(cluster_messages::kFromFuture);
  }
  if (expires_at - issued_at > kAssertionLifetime) {
    return Refused(cluster_messages::kTooLong);
  }
  Session session;
  session.id = SessionId(assertion.session_id());
  session.username = assertion.username();
  session.created_at = TimeOf(assertion.session_created_at());
  session.expires_at = TimeOf(assertion.session_expires_at());
  session.scopes = {assertion.scopes().begin(), assertion.scopes().end()};
  if (session.expires_at <= now) {
    return Refused(cluster_messages::kSessionExpired);
  }
  if (assertion.has_reauthenticated_until()) {
    session.reauthenticated_until = TimeOf(assertion.reauthenticated_until());
  }
  return session;
}

}  // namespace carme::backend
