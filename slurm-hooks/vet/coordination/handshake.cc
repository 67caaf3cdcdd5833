#include "slurm-hooks/vet/coordination/handshake.h"

#include <endian.h>
#include <fcntl.h>
#include <munge.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "common/random.h"
#include "common/status.h"
#include "slurm-hooks/vet/coordination/messages.h"
#include "slurm-hooks/vet/coordination/tcp.h"

namespace carme::vet {
namespace {

constexpr size_t kNonceBytes = 32;
constexpr size_t kKeyBytes = 32;
constexpr size_t kMaxCredential = 8192;
constexpr absl::Duration kTimeout = absl::Seconds(10);
constexpr absl::Duration kPause = absl::Milliseconds(200);
constexpr std::string_view kWorkerLabel = "carme vet worker";
constexpr std::string_view kCoordinatorLabel = "carme vet coordinator";

struct DestroyContext {
  void operator()(munge_ctx* context) const { munge_ctx_destroy(context); }
};
struct FreeMemory {
  void operator()(void* memory) const { std::free(memory); }
};
using MungeContext = std::unique_ptr<munge_ctx, DestroyContext>;

absl::Status MungeError(munge_err_t error) {
  return MakePlainError(coordination_messages::kMunge,
                        {{"cause", munge_strerror(error)}});
}

// A credential that only this user can decode.
absl::StatusOr<std::string> Encode(const std::string& payload) {
  const MungeContext context(munge_ctx_create());
  if (context == nullptr) return MungeError(EMUNGE_NO_MEMORY);
  munge_err_t error =
      munge_ctx_set(context.get(), MUNGE_OPT_UID_RESTRICTION, geteuid());
  if (error != EMUNGE_SUCCESS) return MungeError(error);
  char* text = nullptr;
  error = munge_encode(&text, context.get(), payload.data(),
                       static_cast<int>(payload.size()));
  const std::unique_ptr<char, FreeMemory> credential(text);
  if (error != EMUNGE_SUCCESS) return MungeError(error);
  return std::string(credential.get());
}

// The key in a credential of the other side of this connection.
absl::StatusOr<std::string> Decode(const std::string& credential,
                                   const std::string& expected) {
  void* data = nullptr;
  int size = 0;
  uid_t uid = 0;
  const munge_err_t error =
      munge_decode(credential.c_str(), nullptr, &data, &size, &uid, nullptr);
  const std::unique_ptr<void, FreeMemory> memory(data);
  if (error != EMUNGE_SUCCESS) return MungeError(error);
  if (uid != geteuid()) {
    return MakePlainError(coordination_messages::kOtherUser,
                          {{"found", uid}, {"expected", geteuid()}});
  }
  const std::string payload(static_cast<const char*>(data),
                            static_cast<size_t>(size));
  if (payload.size() != expected.size() + kKeyBytes ||
      !payload.starts_with(expected)) {
    return MakePlainError(coordination_messages::kOtherRun);
  }
  return payload.substr(expected.size());
}

std::string Payload(std::string_view label, const RunIdentity& identity,
                    const std::string& nonces) {
  return absl::StrCat(absl::string_view(label.data(), label.size()), "\n",
                      identity.run, "\n", nonces);
}

std::string WithSize(const std::string& text) {
  const uint32_t size = htobe32(static_cast<uint32_t>(text.size()));
  return std::string(reinterpret_cast<const char*>(&size), sizeof size) + text;
}

size_t SizeOf(std::string_view head) {
  uint32_t size = 0;
  std::memcpy(&size, head.data(), sizeof size);
  return be32toh(size);
}

std::string SessionKey(const std::string& secret, const RunIdentity& identity,
                       const std::string& nonces) {
  return Hmac(secret, absl::StrCat(identity.run, "\n", nonces));
}

absl::StatusOr<Channel> Introduce(UniqueFd fd, const RunIdentity& identity,
                                  absl::Time deadline) {
  ASSIGN_OR_RETURN(const std::string theirs,
                   ReceiveExactly(fd.get(), kNonceBytes, deadline));
  const std::string ours = RandomBytes(kNonceBytes);
  const std::string nonces = theirs + ours;
  if (!identity.secret.empty()) {
    RETURN_IF_ERROR(SendAll(fd.get(), ours + WithSize(""), deadline));
    return Channel(std::move(fd), Channel::Side::kWorker,
                   SessionKey(identity.secret, identity, nonces));
  }
  const std::string key = RandomBytes(kKeyBytes);
  ASSIGN_OR_RETURN(const std::string credential,
                   Encode(Payload(kWorkerLabel, identity, nonces) + key));
  RETURN_IF_ERROR(SendAll(fd.get(), ours + WithSize(credential), deadline));
  ASSIGN_OR_RETURN(const std::string head,
                   ReceiveExactly(fd.get(), sizeof(uint32_t), deadline));
  if (SizeOf(head) > kMaxCredential) {
    return MakePlainError(coordination_messages::kMalformed);
  }
  ASSIGN_OR_RETURN(const std::string reply,
                   ReceiveExactly(fd.get(), SizeOf(head), deadline));
  ASSIGN_OR_RETURN(const std::string their_key,
                   Decode(reply, Payload(kCoordinatorLabel, identity, nonces)));
  return Channel(std::move(fd), Channel::Side::kWorker,
                 SessionKey(key + their_key, identity, nonces));
}

}  // namespace

Admission::Admission(UniqueFd fd, const RunIdentity& identity)
    : fd_(std::move(fd)),
      identity_(identity),
      nonce_(RandomBytes(kNonceBytes)),
      deadline_(absl::Now() + kTimeout) {
  fcntl(fd_.get(), F_SETFL, fcntl(fd_.get(), F_GETFL) | O_NONBLOCK);
  // a new connection takes this many bytes at once; if not, Advance fails
  [[maybe_unused]] const ssize_t put =
      send(fd_.get(), nonce_.data(), nonce_.size(), MSG_NOSIGNAL);
}

absl::StatusOr<std::optional<Channel>> Admission::Advance() {
  constexpr size_t kHead = kNonceBytes + sizeof(uint32_t);
  char buffer[4096];
  while (true) {
    const ssize_t got = recv(fd_.get(), buffer, sizeof buffer, 0);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && errno == EAGAIN) break;
    if (got <= 0) return MakePlainError(coordination_messages::kClosed);
    received_.append(buffer, static_cast<size_t>(got));
    if (received_.size() > kHead + 2 * kMaxCredential) break;
  }
  if (received_.size() < kHead) return std::nullopt;
  const std::string nonces = nonce_ + received_.substr(0, kNonceBytes);
  const size_t size = SizeOf(std::string_view(received_).substr(kNonceBytes));
  if (size > kMaxCredential) {
    return MakePlainError(coordination_messages::kMalformed);
  }
  if (received_.size() < kHead + size) return std::nullopt;
  const std::string credential = received_.substr(kHead, size);
  const std::string rest = received_.substr(kHead + size);
  if (identity_.secret.empty() != !credential.empty()) {
    return MakePlainError(coordination_messages::kMalformed);
  }
  if (!identity_.secret.empty()) {
    return Channel(std::move(fd_), Channel::Side::kCoordinator,
                   SessionKey(identity_.secret, identity_, nonces), rest);
  }
  ASSIGN_OR_RETURN(
      const std::string their_key,
      Decode(credential, Payload(kWorkerLabel, identity_, nonces)));
  const std::string key = RandomBytes(kKeyBytes);
  ASSIGN_OR_RETURN(const std::string reply,
                   Encode(Payload(kCoordinatorLabel, identity_, nonces) + key));
  RETURN_IF_ERROR(
      SendAll(fd_.get(), WithSize(reply), absl::Now() + absl::Seconds(1)));
  return Channel(std::move(fd_), Channel::Side::kCoordinator,
                 SessionKey(their_key + key, identity_, nonces), rest);
}

absl::StatusOr<Channel> ConnectToCoordinator(
    const std::vector<Endpoint>& endpoints, const RunIdentity& identity,
    absl::Duration timeout) {
  const absl::Time deadline = absl::Now() + timeout;
  absl::Status last = absl::UnavailableError("no address");
  while (absl::Now() < deadline) {
    for (const Endpoint& endpoint : endpoints) {
      const absl::Time until = std::min(deadline, absl::Now() + kTimeout);
      auto fd = ConnectTcp(endpoint.host, endpoint.port, until);
      if (!fd.ok()) {
        last = fd.status();
        continue;
      }
      auto channel = Introduce(*std::move(fd), identity, until);
      if (channel.ok()) return channel;
      last = channel.status();
    }
    absl::SleepFor(kPause);
  }
  return MakePlainError(
      coordination_messages::kNoCoordinator,
      {{"address", endpoints.empty() ? "" : endpoints[0].host},
       {"seconds", absl::ToInt64Seconds(timeout)},
       {"cause", last.message()}});
}

}  // namespace carme::vet
