// Addresses of host names, as the programs of this host would find them.
#ifndef CARME_BACKEND_CARMECTL_DOCTOR_HOST_NAME_RESOLVER_H_
#define CARME_BACKEND_CARMECTL_DOCTOR_HOST_NAME_RESOLVER_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "common/net/address.h"

namespace carme::carmectl {

// Thread-safe.
class NameResolver {
 public:
  virtual ~NameResolver() = default;
  // At least one address, each with `port`. NOT_FOUND: the name has none.
  virtual absl::StatusOr<std::vector<net::Address>> Resolve(
      const std::string& host, int port) const = 0;
};

// getaddrinfo(3). Blocks for the time-outs of resolv.conf.
class SystemNameResolver : public NameResolver {
 public:
  absl::StatusOr<std::vector<net::Address>> Resolve(const std::string& host,
                                                    int port) const override;
};

}  // namespace carme::carmectl

#endif  // CARME_BACKEND_CARMECTL_DOCTOR_HOST_NAME_RESOLVER_H_
