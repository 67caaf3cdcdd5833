// The people of the private cluster, and more of them.
#ifndef CARME_TESTS_BENCH_SUPPORT_CLUSTER_USERS_H_
#define CARME_TESTS_BENCH_SUPPORT_CLUSTER_USERS_H_

#include <sys/types.h>

#include <string>
#include <vector>

#include "tests/bench/support/login_client.h"

namespace carme {

struct ClusterUser {
  std::string name;
  uid_t uid;
  std::string password;
};

// CARME_TEST_USERS of the environment, in its order.
std::vector<ClusterUser> ClusterUsers();

// The sessions of person1 and so on, which backend.sh has added to the
// directory, each from an address of its own.
std::vector<std::string> LogInPeople(LoginClient& client, int people,
                                     const std::string& password);

}  // namespace carme

#endif  // CARME_TESTS_BENCH_SUPPORT_CLUSTER_USERS_H_
