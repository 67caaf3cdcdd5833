// metrics_bench WORK: submits one job, which metrics.sh copies.
#include <cstdio>
#include <cstdlib>
#include <string>

#include "tests/bench/support/cluster_users.h"
#include "tests/bench/support/login_client.h"
#include "tests/bench/support/submit_client.h"

int main(int argc, char** argv) {
  if (argc != 2 || std::getenv("CARME_TEST_USERS") == nullptr) {
    std::fprintf(stderr, "usage: tests/bench/run metrics\n");
    return 2;
  }
  constexpr char kBackend[] = "127.0.0.1:9443";
  const std::string pki = std::string(argv[1]) + "/pki";
  const carme::ClusterUser user = carme::ClusterUsers().at(0);
  carme::LoginClient logins(kBackend, pki);
  std::string secret;
  carme::SubmitClient client(
      kBackend, pki,
      {logins.LogIn(user.name, user.password, "127.0.0.1", &secret)});
  client.Submit();
  return 0;
}
