#include "slurm-hooks/vet/coordination/channel.h"

#include <endian.h>
#include <fcntl.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <poll.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "common/crypto/hash.h"
#include "common/status.h"
#include "slurm-hooks/vet/coordination/messages.h"

namespace carme::vet {
namespace {

constexpr size_t kMacBytes = 32;
constexpr size_t kHead = sizeof(uint32_t) + kMacBytes;
// What has arrived and was not taken; more waits in the kernel.
constexpr size_t kMaxReceived = 2 * kMaxPacketBytes;

std::string MacOf(const std::string& key, uint64_t position,
                  std::string_view payload) {
  const uint64_t order = htobe64(position);
  std::string text(reinterpret_cast<const char*>(&order), sizeof order);
  text += payload;
  return Hmac(key, text);
}

}  // namespace

std::string Hmac(std::string_view key, std::string_view text) {
  std::string mac(kMacBytes, '\0');
  unsigned size = kMacBytes;
  HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()),
       reinterpret_cast<const unsigned char*>(text.data()), text.size(),
       reinterpret_cast<unsigned char*>(mac.data()), &size);
  return mac;
}

Channel::Channel(UniqueFd fd, Side side, std::string_view key,
                 std::string received)
    : fd_(std::move(fd)),
      send_key_(Hmac(key, "coordinator")),
      receive_key_(Hmac(key, "worker")),
      received_(std::move(received)) {
  if (side == Side::kWorker) std::swap(send_key_, receive_key_);
  fcntl(fd_.get(), F_SETFL, fcntl(fd_.get(), F_GETFL) | O_NONBLOCK);
}

absl::Status Channel::Send(const node::v1::VetPacket& packet,
                           absl::Duration timeout) {
  const std::string payload = packet.SerializeAsString();
  if (payload.size() > kMaxPacketBytes) {
    return MakePlainError(coordination_messages::kTooLong,
                          {{"size", payload.size()}, {"max", kMaxPacketBytes}});
  }
  const uint32_t size = htobe32(static_cast<uint32_t>(payload.size()));
  std::string bytes(reinterpret_cast<const char*>(&size), sizeof size);
  absl::StrAppend(&bytes, MacOf(send_key_, sent_++, payload), payload);
  const absl::Time deadline = absl::Now() + timeout;
  for (size_t at = 0; at < bytes.size();) {
    const ssize_t put =
        send(fd_.get(), bytes.data() + at, bytes.size() - at, MSG_NOSIGNAL);
    if (put > 0) {
      at += static_cast<size_t>(put);
      continue;
    }
    if (errno == EINTR) continue;
    if (errno != EAGAIN) return MakePlainError(coordination_messages::kClosed);
    const int64_t left = absl::ToInt64Milliseconds(deadline - absl::Now());
    pollfd waiting{fd_.get(), POLLOUT, 0};
    if (left <= 0 || poll(&waiting, 1, static_cast<int>(left)) == 0) {
      return MakePlainError(coordination_messages::kTimedOut,
                            {{"seconds", absl::ToInt64Seconds(timeout)}});
    }
  }
  return absl::OkStatus();
}

absl::Status Channel::Receive() {
  char buffer[16384];
  while (received_.size() < kMaxReceived) {
    const ssize_t got = recv(fd_.get(), buffer, sizeof buffer, 0);
    if (got > 0) {
      received_.append(buffer, static_cast<size_t>(got));
      continue;
    }
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && errno == EAGAIN) return absl::OkStatus();
    return MakePlainError(coordination_messages::kClosed);
  }
  return absl::OkStatus();
}

absl::StatusOr<std::optional<node::v1::VetPacket>> Channel::Take() {
  if (received_.size() < kHead) return std::nullopt;
  uint32_t size = 0;
  std::memcpy(&size, received_.data(), sizeof size);
  size = be32toh(size);
  if (size > kMaxPacketBytes) {
    return MakePlainError(coordination_messages::kTooLong,
                          {{"size", size}, {"max", kMaxPacketBytes}});
  }
  if (received_.size() < kHead + size) return std::nullopt;
  const std::string_view all = received_;
  const std::string_view payload = all.substr(kHead, size);
  if (!EqualInConstantTime(all.substr(sizeof size, kMacBytes),
                           MacOf(receive_key_, taken_, payload))) {
    return MakePlainError(coordination_messages::kForged);
  }
  ++taken_;
  node::v1::VetPacket packet;
  if (!packet.ParseFromArray(payload.data(),
                             static_cast<int>(payload.size()))) {
    return MakePlainError(coordination_messages::kMalformed);
  }
  received_.erase(0, kHead + size);
  return packet;
}

absl::StatusOr<node::v1::VetPacket> Channel::Await(absl::Duration timeout) {
  const absl::Time deadline = absl::Now() + timeout;
  absl::Status end;
  while (true) {
    ASSIGN_OR_RETURN(auto packet, Take());
    if (packet.has_value()) return *std::move(packet);
    if (!end.ok()) return end;
    const int64_t left = absl::ToInt64Milliseconds(deadline - absl::Now());
    pollfd waiting{fd_.get(), POLLIN, 0};
    if (left <= 0 || poll(&waiting, 1, static_cast<int>(left)) == 0) {
      return MakePlainError(coordination_messages::kTimedOut,
                            {{"seconds", absl::ToInt64Seconds(timeout)}});
    }
    end = Receive();
  }
}

}  // namespace carme::vet
