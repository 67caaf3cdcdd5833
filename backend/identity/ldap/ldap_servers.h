// Which of several LDAP servers to ask first. One that failed is asked last
// for a while, so that not every log-in waits for it anew.
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
// 1. Every server is in every order: when all failed, all are tried.
// 2. Once a failure is old, one caller finds the server in its old place and
//    tries it for the others.
class LdapServers {
 public:
  static constexpr absl::Duration kAvoidFor = absl::Seconds(15);

  explicit LdapServers(std::vector<std::string> addresses);

  std::vector<std::string> Order(absl::Time now) ABSL_LOCKS_EXCLUDED(mutex_);
  void Failed(const std::string& address, absl::Time now)
      ABSL_LOCKS_EXCLUDED(mutex_);
  void Answered(const std::string& address) ABSL_LOCKS_EXCLUDED(mutex_);

  // What each server's newest use showed, in the configured order.
  struct Health {
    std::string address;
    Availability::State state;
  };
  std::vector<Health> health() const;
  void Observe(const std::string& address, const absl::Status& status,
               absl::Time now);
  // Those whose newest use is too old to tell.
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
