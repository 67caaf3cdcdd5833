// The order of several LDAP servers. A server that failed is tried last for a
// while, so that not every login waits for it.
#ifndef CARME_BACKEND_IDENTITY_LDAP_LDAP_SERVERS_H_
#define CARME_BACKEND_IDENTITY_LDAP_LDAP_SERVERS_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "common/availability.h"

namespace carme::backend {

// Thread-safe.
//
// 1. Every order contains all servers: if all failed, all are tried.
// 2. After kAvoidFor one caller gets the server at its original position and
// tries
//    it for the others.
class LdapServers {
 public:
  static constexpr absl::Duration kAvoidFor = absl::Seconds(15);

  explicit LdapServers(std::vector<std::string> addresses);

  std::vector<std::string> Order(absl::Time now) ABSL_LOCKS_EXCLUDED(mutex_);
  void Failed(const std::string& address, absl::Time now)
      ABSL_LOCKS_EXCLUDED(mutex_);
  void Answered(const std::string& address) ABSL_LOCKS_EXCLUDED(mutex_);

  // The result of the latest use of each server, in the configured order.
  struct Health {
    std::string address;
    Availability::State state;
  };
  std::vector<Health> health() const;
  void Observe(const std::string& address, const absl::Status& status,
               absl::Time now);
  // Servers whose latest use is too old.
  std::vector<std::string> Stale(absl::Time now) const;

 private:
  struct Server {
    std::string address;
    absl::Time avoid_until = absl::InfinitePast();
  };
  void Avoid(const std::string& address, absl::Time until)
      ABSL_LOCKS_EXCLUDED(mutex_);

  absl::Mutex mutex_;
  std::vector<Server> servers_ ABSL_GUARDED_BY(mutex_);
  // In the configured order; the vector does not change.
  struct Observed {
    std::string address;
    std::unique_ptr<Availability> availability;
  };
  std::vector<Observed> observed_;
};

}  // namespace carme::backend

#endif  // CARME_BACKEND_IDENTITY_LDAP_LDAP_SERVERS_H_
