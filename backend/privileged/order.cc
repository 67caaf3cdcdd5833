#include "backend/privileged/order.h"

#include <cstdint>
#include <cstring>

#include "backend/privileged/request.h"

namespace carme::impersonator {
namespace {

// The numbers as this machine has them, and the name, filled up with zeros.
struct Head {
  uint32_t uid;
  uint32_t as_operator;
  char user[kMostUserName];
};
static_assert(sizeof(Head) == 72);

}  // namespace

std::string EncodeOrder(std::string_view user, Uid uid,
                        std::string_view request, bool as_operator) {
  Head head{
      .uid = uid.value(), .as_operator = as_operator ? 1U : 0U, .user = {}};
  user.copy(head.user, sizeof head.user);
  std::string bytes(sizeof head, '\0');
  std::memcpy(bytes.data(), &head, sizeof head);
  return bytes.append(request);
}

absl::StatusOr<Order> DecodeOrder(std::string_view bytes) {
  Head head{};
  if (bytes.size() < sizeof head) {
    return absl::InvalidArgumentError("order cut short");
  }
  std::memcpy(&head, bytes.data(), sizeof head);
  Order order{.user = std::string(head.user, sizeof head.user),
              .uid = Uid(head.uid),
              .as_operator = head.as_operator != 0,
              .request = bytes.substr(sizeof head)};
  order.user.erase(order.user.find_last_not_of('\0') + 1);
  if (!IsUserName(order.user)) {
    return absl::InvalidArgumentError("order without a user's name");
  }
  return order;
}

}  // namespace carme::impersonator
