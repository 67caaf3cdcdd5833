// Reads the table of hostile requests (hostile_http1.txt).
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

// `cookie` is a field with CRLF, or empty. Throws when the file is malformed.
std::vector<HostileCase> ReadHostileTable(const std::string& path,
                                          const std::string& host,
                                          const std::string& cookie);

// "200,400:1": the statuses of the responses, and the number of requests that
// the app received.
std::string OutcomeOf(const std::string& answers, int seen);

}  // namespace carme::testing

#endif  // CARME_TESTS_PROXY_SERVER_HOSTILE_TABLE_H_
