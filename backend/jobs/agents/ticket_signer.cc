#include "backend/jobs/agents/ticket_signer.h"

#include <optional>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "backend/jobs/agents/messages.h"
#include "backend/jobs/model/job_proto.h"
#include "carme/v1/routes.pb.h"
#include "common/crypto/hash.h"
#include "common/encoding.h"
#include "common/file.h"
#include "common/protobuf/message_error.h"
#include "common/random.h"
#include "common/status.h"

namespace carme::backend {
namespace {

constexpr size_t kSeedBytes = 32;
constexpr size_t kTicketIdBytes = 16;

std::string Seal(const SigningKey& key, std::string_view domain,
                 std::string payload) {
  v1::Signed sealed;
  sealed.set_signature(key.Sign(domain, payload));
  sealed.set_payload(std::move(payload));
  return sealed.SerializeAsString();
}

}  // namespace

absl::StatusOr<TicketSigner> TicketSigner::Open(const std::string& path) {
  absl::StatusOr<std::string> text = ReadSecretFile(path);
  if (absl::IsNotFound(text.status())) {
    RETURN_IF_ERROR(WriteFile(
        path, absl::StrCat(Base64UrlEncode(RandomBytes(kSeedBytes)), "\n"),
        0600));
    text = ReadSecretFile(path);
  }
  RETURN_IF_ERROR(text.status());
  const std::optional<std::string> seed = Base64UrlDecode(*text);
  if (!seed || seed->size() != kSeedBytes) {
    return MakeError(job_agent_messages::kInvalidTicketSeed,
                     {{"path", path}, {"bytes", kSeedBytes}});
  }
  ASSIGN_OR_RETURN(SigningKey key, SigningKey::FromSeed(*seed));
  return TicketSigner(std::move(key));
}

std::string TicketSigner::CookieKey() const {
  return Sha256(key_.Sign(kCookieKeyDomain, ""));
}

std::string TicketSigner::MakeTicket(const GrantedUse& use,
                                     absl::Time now) const {
  v1::Grant grant;
  grant.set_job_id(use.job.value());
  grant.set_app(use.app);
  grant.set_host_label(use.host_label);
  grant.set_whole_path(use.whole_path);
  grant.set_session_id(use.session.value());
  grant.set_user(use.user);
  grant.add_rights("use");
  Fill(use.expires_at, grant.mutable_expires_at());
  v1::Ticket ticket;
  ticket.set_id(RandomBytes(kTicketIdBytes));
  Fill(now, ticket.mutable_issued_at());
  Fill(now + kTicketLife, ticket.mutable_expires_at());
  ticket.set_grant(Seal(key_, kGrantDomain, grant.SerializeAsString()));
  return Base64UrlEncode(Seal(key_, kTicketDomain, ticket.SerializeAsString()));
}

}  // namespace carme::backend
