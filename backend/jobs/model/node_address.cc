#include "backend/jobs/model/node_address.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <cstring>
#include <memory>

#include "backend/jobs/model/messages.h"
#include "common/protobuf/message_error.h"

namespace carme::backend {
namespace {

std::string TextOf(int family, const void* address) {
  char text[INET6_ADDRSTRLEN] = "";
  inet_ntop(family, address, text, sizeof text);
  return text;
}

std::string TextOf(const in6_addr& address) {
  return IN6_IS_ADDR_V4MAPPED(&address) ? TextOf(AF_INET, address.s6_addr + 12)
                                        : TextOf(AF_INET6, &address);
}

std::string TextOf(const addrinfo& entry) {
  if (entry.ai_family == AF_INET) {
    sockaddr_in in{};
    std::memcpy(&in, entry.ai_addr, sizeof in);
    return TextOf(AF_INET, &in.sin_addr);
  }
  sockaddr_in6 in{};
  std::memcpy(&in, entry.ai_addr, sizeof in);
  return TextOf(in.sin6_addr);
}

}  // namespace

std::string CanonicalAddress(const std::string& literal) {
  in_addr four{};
  if (inet_pton(AF_INET, literal.c_str(), &four) == 1) {
    return TextOf(AF_INET, &four);
  }
  in6_addr six{};
  return inet_pton(AF_INET6, literal.c_str(), &six) == 1 ? TextOf(six) : "";
}

absl::StatusOr<bool> IsAddressOf(const std::string& peer,
                                 const std::string& node) {
  const std::string wanted = CanonicalAddress(peer);
  if (wanted.empty()) return false;
  const std::string literal = CanonicalAddress(node);
  if (!literal.empty()) return literal == wanted;
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* list = nullptr;
  const int error = getaddrinfo(node.c_str(), nullptr, &hints, &list);
  if (error != 0) {
    return MakeError(job_model_messages::kNameNotResolved,
                     {{"node", node}, {"cause", gai_strerror(error)}});
  }
  const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> owned(list,
                                                                 freeaddrinfo);
  for (const addrinfo* entry = list; entry != nullptr; entry = entry->ai_next) {
    if ((entry->ai_family == AF_INET || entry->ai_family == AF_INET6) &&
        TextOf(*entry) == wanted) {
      return true;
    }
  }
  return false;
}

}  // namespace carme::backend
