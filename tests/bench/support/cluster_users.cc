#include "tests/bench/support/cluster_users.h"

#include <cstdlib>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace carme {

std::vector<ClusterUser> ClusterUsers() {
  const char* given = std::getenv("CARME_TEST_USERS");
  const std::string users = given != nullptr ? given : "";
  std::vector<ClusterUser> all;
  for (const auto user : absl::StrSplit(users, ' ', absl::SkipEmpty())) {
    const std::vector<std::string> fields = absl::StrSplit(user, ':');
    all.push_back({fields.at(0), static_cast<uid_t>(std::stoul(fields.at(1))),
                   fields.at(2)});
  }
  return all;
}

std::vector<std::string> LogInPeople(LoginClient& client, int people,
                                     const std::string& password) {
  std::vector<std::string> tokens;
  for (int i = 1; i <= people; ++i) {
    std::string secret;
    tokens.push_back(client.LogIn(absl::StrCat("person", i), password,
                                  absl::StrCat("192.0.2.", i), &secret));
  }
  return tokens;
}

}  // namespace carme
