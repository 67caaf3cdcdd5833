// Which of several LDAP servers to ask first. One that failed is asked last
// for a while, so that not every log-in waits for it anew.
#ifndef CARME_BACKEND_IDENTITY_LDAP_SERVERS_H_
#define CARME_BACKEND_IDENTITY_LDAP_SERVERS_H_

#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"

namespace carme {

// Thread-safe.
//
// 1. Every server is in every order: when all failed, all are tried.
// 2. Once a failure is old, one caller finds the server in its old place and
//    tries it for the others.
class LdapServers {
 public:
  static constexpr absl::Duration kRemembered = absl::Seconds(15);

  explicit LdapServers(std::vector<std::string> addresses);

  std::vector<std::string> Order(absl::Time now) ABSL_LOCKS_EXCLUDED(mutex_);
  void Failed(const std::string& address, absl::Time now)
      ABSL_LOCKS_EXCLUDED(mutex_);
  void Answered(const std::string& address) ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  struct Server {
    std::string address;
    absl::Time avoid_until = absl::InfinitePast();
  };
  void Avoid(const std::string& address, absl::Time until)
      ABSL_LOCKS_EXCLUDED(mutex_);

  absl::Mutex mutex_;
  std::vector<Server> servers_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace carme

#endif  // CARME_BACKEND_IDENTITY_LDAP_SERVERS_H_
