#include "backend/rpc/access/caller.h"

#include <grpcpp/server_context.h>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "backend/rpc/access/caller_metadata.h"

namespace carme::backend {
namespace {

std::string Key(const char* name) { return std::string(kCallerPrefix) + name; }

std::string Value(const std::map<std::string, std::string>& metadata,
                  const char* name) {
  const auto found = metadata.find(Key(name));
  return found == metadata.end() ? "" : found->second;
}

absl::Time TimeValue(const std::map<std::string, std::string>& metadata,
                     const char* name) {
  int64_t micros = 0;
  return absl::SimpleAtoi(Value(metadata, name), &micros)
             ? absl::FromUnixMicros(micros)
             : absl::Time();
}

// gRPC percent-encodes the addresses in its URIs: "ipv6:%5B::1%5D:80".
std::string Decoded(std::string text) {
  for (const auto& [code, character] :
       {std::pair{"%5B", "["}, {"%5D", "]"}, {"%25", "%"}}) {
    const size_t at = text.find(code);
    if (at != std::string::npos) text.replace(at, 3, character);
  }
  return text;
}

}  // namespace

std::map<std::string, std::string> WriteCaller(const Caller& caller) {
  const Session& session = caller.session;
  return {
      {Key("session"), session.id.value()},
      {Key("username"), session.username},
      {Key("display-name"), session.display_name},
      {Key("uid"), absl::StrCat(session.uid.value())},
      {Key("role"), std::string(RoleName(session.role))},
      {Key("created-at"), absl::StrCat(absl::ToUnixMicros(session.created_at))},
      {Key("expires-at"), absl::StrCat(absl::ToUnixMicros(session.expires_at))},
      {Key("fresh-until"),
       absl::StrCat(absl::ToUnixMicros(session.reauthenticated_until))},
      {Key("scopes"), absl::StrJoin(session.scopes, " ")},
      {Key("request-id"), caller.request_id},
      {Key("client-address"), caller.client_address},
      {Key("user-agent"), caller.user_agent},
  };
}

Caller ReadCaller(const std::map<std::string, std::string>& metadata) {
  Caller caller;
  uint32_t uid = 0;
  if (absl::SimpleAtoi(Value(metadata, "uid"), &uid)) {
    caller.session.uid = Uid(uid);
  }
  caller.session.id = SessionId(Value(metadata, "session"));
  caller.session.username = Value(metadata, "username");
  caller.session.display_name = Value(metadata, "display-name");
  caller.session.role = RoleNamed(Value(metadata, "role"));
  caller.session.created_at = TimeValue(metadata, "created-at");
  caller.session.expires_at = TimeValue(metadata, "expires-at");
  caller.session.reauthenticated_until = TimeValue(metadata, "fresh-until");
  caller.session.scopes =
      absl::StrSplit(Value(metadata, "scopes"), ' ', absl::SkipEmpty());
  caller.request_id = Value(metadata, "request-id");
  caller.client_address = Value(metadata, "client-address");
  caller.user_agent = Value(metadata, "user-agent");
  return caller;
}

Caller CallerOf(const grpc::ServerContextBase& context) {
  std::map<std::string, std::string> metadata;
  for (const auto& [key, value] : context.client_metadata()) {
    std::string name(key.data(), key.size());
    if (absl::StartsWith(name, Key(""))) {
      metadata.emplace(std::move(name),
                       std::string(value.data(), value.size()));
    }
  }
  return ReadCaller(metadata);
}

std::string PeerAddress(const grpc::ServerContextBase& context) {
  std::string peer = Decoded(context.peer());
  for (const char* scheme : {"ipv4:", "ipv6:"}) {
    if (!absl::StartsWith(peer, scheme)) continue;
    peer.erase(0, 5);
    const size_t colon = peer.rfind(':');
    if (colon != std::string::npos) peer.resize(colon);
    if (absl::StartsWith(peer, "[") && absl::EndsWith(peer, "]")) {
      peer = peer.substr(1, peer.size() - 2);
    }
    return std::string(absl::StripPrefix(peer, "::ffff:"));
  }
  return "";
}

}  // namespace carme::backend
