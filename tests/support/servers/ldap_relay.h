// Stands before a slapd and fails at a chosen message of a connection: what a
// server does that dies, or hangs, in the middle of a log-in.
#ifndef CARME_TESTS_SUPPORT_SERVERS_LDAP_RELAY_H_
#define CARME_TESTS_SUPPORT_SERVERS_LDAP_RELAY_H_

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "common/unique_fd.h"
#include "tests/support/temp_dir.h"

namespace carme {

// Over unix sockets, where no TLS hides the messages. A client that waits for
// each answer, as ours does, has one message in a read.
class LdapRelay {
 public:
  enum class Fault {
    kCut,        // closes instead of passing the message on
    kSilence,    // keeps it, and the connection open
    kCutAnswer,  // passes it on, and closes before its answer
  };
  // The client's `message`th, from 1. `server` is slapd's socket.
  LdapRelay(std::string server, int message, Fault fault);
  LdapRelay(const LdapRelay&) = delete;
  LdapRelay& operator=(const LdapRelay&) = delete;
  ~LdapRelay();

  std::string Url() const;
  int connections() const { return connections_; }

 private:
  void Accept();
  void Serve(int client_fd);

  const std::string server_;
  const int message_;
  const Fault fault_;
  TempDir dir_;
  UniqueFd listener_;
  std::atomic<bool> over_ = false;
  std::atomic<int> connections_ = 0;
  std::vector<std::thread> served_;  // the accepting thread's
  std::thread accepting_;
};

}  // namespace carme

#endif  // CARME_TESTS_SUPPORT_SERVERS_LDAP_RELAY_H_
