#include "slurm-hooks/nodes/node_agent_messages.h"

#include <cstdint>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"

namespace carme::node {
namespace {

constexpr size_t kLengthBytes = 4;
constexpr size_t kMaxRequestBytes = 8 << 20;
constexpr size_t kMaxLineBytes = 64 << 10;
constexpr std::string_view kMark = "carme-node-agent ";

}  // namespace

std::string FrameOf(const v1::NodeAgentRequest& request) {
  const std::string bytes = request.SerializeAsString();
  std::string frame;
  for (int shift = 24; shift >= 0; shift -= 8) {
    frame.push_back(static_cast<char>(bytes.size() >> shift & 0xff));
  }
  return frame + bytes;
}

absl::StatusOr<std::optional<v1::NodeAgentRequest>> TakeRequest(
    std::string* bytes) {
  if (bytes->size() < kLengthBytes) return std::nullopt;
  size_t length = 0;
  for (size_t i = 0; i < kLengthBytes; ++i) {
    length = length << 8 | static_cast<unsigned char>((*bytes)[i]);
  }
  if (length > kMaxRequestBytes) {
    return absl::InvalidArgumentError(absl::StrCat("a request of ", length,
                                                   " bytes: expected at most ",
                                                   kMaxRequestBytes));
  }
  if (bytes->size() < kLengthBytes + length) return std::nullopt;
  v1::NodeAgentRequest request;
  if (!request.ParseFromArray(bytes->data() + kLengthBytes,
                              static_cast<int>(length))) {
    return absl::InvalidArgumentError("malformed request from the agent");
  }
  bytes->erase(0, kLengthBytes + length);
  return request;
}

std::string LineOf(const v1::NodeAgentEvent& event) {
  return absl::StrCat(std::string(kMark),
                      absl::Base64Escape(event.SerializeAsString()), "\n");
}

absl::StatusOr<std::optional<v1::NodeAgentEvent>> TakeEvent(std::string* text) {
  for (size_t end = 0; (end = text->find('\n')) != std::string::npos;) {
    const std::string line = text->substr(0, end);
    text->erase(0, end + 1);
    std::string bytes;
    v1::NodeAgentEvent event;
    if (line.starts_with(kMark) &&
        absl::Base64Unescape(line.substr(kMark.size()), &bytes) &&
        event.ParseFromString(bytes)) {
      return event;
    }
  }
  if (text->size() <= kMaxLineBytes) return std::nullopt;
  return absl::InvalidArgumentError("a line from a node agent is too long");
}

}  // namespace carme::node
