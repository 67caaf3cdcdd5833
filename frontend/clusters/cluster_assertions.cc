#include "frontend/clusters/cluster_assertions.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/time/clock.h"
#include "carme/v1/auth.pb.h"
#include "common/log.h"
#include "common/protobuf/message_error.h"
#include "common/status.h"
#include "frontend/clusters/messages.h"

namespace carme::frontend {
namespace {

constexpr absl::Duration kMaxWait = absl::Seconds(10);
// An assertion is not used in its last seconds: the call must arrive in time.
constexpr absl::Duration kMargin = absl::Seconds(10);
constexpr absl::Duration kMaxLife = absl::Hours(1);
constexpr size_t kMaxBytes = 8192;
constexpr char kMethod[] = "/carme.v1.AuthService/CreateAssertion";
constexpr char kAssertionKey[] = "carme-assertion";

bool IsCredential(const std::string& name) {
  return name == "carme-session" || name == "carme-token";
}

std::string ClientAddressOf(const BackendCall& call) {
  for (const auto& [name, value] : call.metadata) {
    if (name == "carme-client-address") return value;
  }
  return "";
}

// gRPC aborts on metadata with other characters.
bool IsAssertion(const std::string& text) {
  return !text.empty() && text.size() <= kMaxBytes &&
         std::all_of(text.begin(), text.end(), [](char c) {
           return absl::ascii_isgraph(static_cast<unsigned char>(c));
         });
}

}  // namespace

absl::StatusOr<ClusterAssertions::Authorized> ClusterAssertions::Authorize(
    const BackendCall& call, const std::string& cluster) {
  Authorized authorized{.call = call};
  std::erase_if(authorized.call.metadata,
                [](const auto& field) { return IsCredential(field.first); });
  if (call.credential.empty()) return authorized;  // a public method
  const Key key(call.credential, ClientAddressOf(call), cluster);
  uint64_t drops = 0;
  {
    absl::MutexLock lock(&mutex_);
    drops = drops_;
    const auto found = entries_.find(key);
    if (found != entries_.end() && found->second.expires_at > absl::Now()) {
      authorized.cached = true;
      authorized.call.metadata.emplace_back(kAssertionKey,
                                            found->second.assertion);
      return authorized;
    }
  }
  ASSIGN_OR_RETURN(const Entry entry, Create(call, cluster));
  Store(key, entry, drops);
  authorized.call.metadata.emplace_back(kAssertionKey, entry.assertion);
  return authorized;
}

absl::StatusOr<ClusterAssertions::Entry> ClusterAssertions::Create(
    const BackendCall& call, const std::string& cluster) const {
  BackendCall create = call;
  create.method = kMethod;
  const absl::Time now = absl::Now();
  create.deadline = std::min(call.deadline, now + kMaxWait);
  v1::CreateAssertionRequest request;
  request.set_cluster(cluster);
  ASSIGN_OR_RETURN(const std::string bytes,
                   identity_->Call(create, request.SerializeAsString()));
  v1::CreateAssertionResponse response;
  if (!response.ParseFromString(bytes) || !IsAssertion(response.assertion())) {
    LogError("invalid assertion from the identity backend",
             {{"request", call.request_id}, {"cluster", cluster}});
    return MakeError(clusters_messages::kAssertionInvalid);
  }
  const absl::Time ends =
      absl::FromUnixSeconds(response.expires_at().seconds());
  return Entry{.assertion = response.assertion(),
               .expires_at = std::min(ends, now + kMaxLife) - kMargin};
}

void ClusterAssertions::Store(const Key& key, const Entry& entry,
                              uint64_t drops) {
  const absl::Time now = absl::Now();
  absl::MutexLock lock(&mutex_);
  if (drops != drops_ || entry.expires_at <= now) return;
  if (entries_.size() >= kMaxEntries) {
    absl::erase_if(entries_, [now](const auto& item) {
      return item.second.expires_at <= now;
    });
  }
  if (entries_.size() >= kMaxEntries) entries_.clear();
  entries_[key] = entry;
}

void ClusterAssertions::Drop(const std::string& credential) {
  absl::MutexLock lock(&mutex_);
  ++drops_;
  absl::erase_if(entries_, [&](const auto& item) {
    return std::get<0>(item.first) == credential;
  });
}

}  // namespace carme::frontend
