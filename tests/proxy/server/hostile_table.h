// The table of hostile requests (hostile_http1.txt), read.
#ifndef CARME_TESTS_PROXY_SERVER_HOSTILE_TABLE_H_
#define CARME_TESTS_PROXY_SERVER_HOSTILE_TABLE_H_

#include <string>
#include <vector>

namespace carme::testing {

struct HostileCase {
  std::string name;
  std::string carme;  // outcomes, "400:0"
  std::string nginx;
  std::string bytes;
};

// `cookie` is a whole field with CRLF, or empty. Throws when the file is not as
// it should be.
std::vector<HostileCase> ReadHostileTable(const std::string& path,
                                          const std::string& host,
                                          const std::string& cookie);

// "200,400:1": the statuses in what came back, and how many requests the app
// saw.
std::string OutcomeOf(const std::string& answers, int seen);

}  // namespace carme::testing

#endif  // CARME_TESTS_PROXY_SERVER_HOSTILE_TABLE_H_
