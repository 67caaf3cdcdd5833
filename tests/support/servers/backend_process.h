// A carme-backend as its own user, in the private cluster: with the cluster's
// directory and Slurm, a state directory and certificates of its own, and the
// calls that its clients make.
#ifndef CARME_TESTS_SUPPORT_SERVERS_BACKEND_PROCESS_H_
#define CARME_TESTS_SUPPORT_SERVERS_BACKEND_PROCESS_H_

#include <grpcpp/channel.h>
#include <grpcpp/client_context.h>
#include <sys/types.h>

#include <memory>
#include <string>

#include "tests/support/held_port.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_authority.h"

namespace carme {

class BackendProcess {
 public:
  // `impersonator_socket` is where it submits; `apps` are the [[apps]] of its
  // configuration, in TOML. Agents reach it at head:9444, or at the port
  // `agents_port`.
  BackendProcess(const std::string& impersonator_socket,
                 const std::string& apps, int agents_port = 9444);
  ~BackendProcess();

  // kill -9, and another one on the same state.
  void KillAndRestart();
  // Kill -9 and the next start, with something between them.
  void Kill();
  void StartAgain() { Start(); }
  // A second process on the same state, as of a host named "standby". REQUIRES:
  // `enabled = true` in [standby].
  void StartStandby();
  // Waits until the standby serves; it is the backend from then on. The seconds
  // that it took.
  double TakeOver();
  // SIGTERM; its exit code.
  int Terminate();

  std::string state_directory() const { return dir_.File("state"); }
  // What an agent's configuration needs to find it.
  std::string ca_file() const { return dir_.File("ca.pem"); }
  std::string Log() const;
  // Where frontend and proxy reach it.
  std::string clients_address() const {
    return "127.0.0.1:" + std::to_string(port_);
  }
  // Of its site's authority.
  IssuedCertificate Issue(const std::string& names) {
    return authority_.Issue("test", names);
  }
  // The same, readable by the backends' user.
  IssuedCertificate IssueForBackend(const std::string& names);
  // A channel of a machine with this certificate name.
  std::shared_ptr<grpc::Channel> ConnectAs(const std::string& machine);
  // Logs the person in and enrols a second factor; gives the session token.
  std::string LogIn(const std::string& name, const std::string& password);
  // The body of http://…/metrics, and the status line of another path.
  std::string Metrics() const;
  std::string Probe(const std::string& path) const;
  // The resident memory in KiB.
  long MemoryKib() const;

 private:
  void Start();
  void Stop(int signal);
  pid_t Spawn(const std::string& log, const char* host);
  void WaitUntilServing();
  void WriteConfig(const std::string& socket, const std::string& apps,
                   int agents_port);

  TempDir dir_;
  TestAuthority authority_;
  pid_t pid_ = -1;
  pid_t standby_ = -1;
  std::string log_ = dir_.File("log");
  int port_ = 0;
  const testing::HeldPort metrics_port_;
};

// A call of this session's with ten seconds to live.
class SessionCall : public grpc::ClientContext {
 public:
  explicit SessionCall(const std::string& token);
};

}  // namespace carme

#endif  // CARME_TESTS_SUPPORT_SERVERS_BACKEND_PROCESS_H_
