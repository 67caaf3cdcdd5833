#include "backend/rpc/convert/account_proto.h"

#include <google/protobuf/util/time_util.h>

#include "carme/v1/account.pb.h"

namespace carme::backend {

google::protobuf::Timestamp TimestampOf(absl::Time time) {
  return google::protobuf::util::TimeUtil::MicrosecondsToTimestamp(
      absl::ToUnixMicros(time));
}

void Fill(const SessionUse& use, const SessionId& current,
          v1::SessionEntry* message) {
  message->set_id(use.session.id.value());
  message->set_current(use.session.id == current);
  message->set_device(use.device);
  message->set_address(use.address);
  *message->mutable_created_at() = TimestampOf(use.session.created_at);
  *message->mutable_used_at() = TimestampOf(use.used_at);
  *message->mutable_expires_at() = TimestampOf(use.session.expires_at);
  message->set_last_address(use.last_address);
}

void Fill(const AccessToken& token, v1::AccessToken* message) {
  message->set_id(token.id);
  message->set_name(token.name);
  for (const std::string& scope : token.scopes) message->add_scopes(scope);
  for (const std::string& address : token.addresses) {
    message->add_addresses(address);
  }
  *message->mutable_created_at() = TimestampOf(token.created_at);
  *message->mutable_expires_at() = TimestampOf(token.expires_at);
  if (token.used_at) *message->mutable_used_at() = TimestampOf(*token.used_at);
  message->set_used_from(token.used_from);
}

}  // namespace carme::backend
