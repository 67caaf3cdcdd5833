// One of the proxies that are compared, running.
#ifndef CARME_TESTS_BENCH_PROXY_SUBJECTS_SUBJECT_H_
#define CARME_TESTS_BENCH_PROXY_SUBJECTS_SUBJECT_H_

#include <memory>
#include <string>
#include <vector>

#include "tests/bench/proxy/load/client.h"
#include "tests/bench/proxy/subjects/neighbours.h"
#include "tests/bench/proxy/subjects/process.h"
#include "tests/proxy/fixtures/route_server.h"

namespace carme::bench {

struct SubjectOptions {
  int routes = 1;     // of carme
  int threads = 128;  // of apache, which needs one for each websocket
};

class Subject {
 public:
  // `name`: carme, nginx, nginx-auth, haproxy, apache, chp; or none, which is
  // the app itself. Its configuration is peers/*.in. Ready to serve on return.
  Subject(const std::string& name, Neighbours& neighbours,
          const SubjectOptions& options = {});
  ~Subject();

  const std::string& name() const { return name_; }
  Target target() const { return target_; }
  // Of all that the subject needs to do its work: for nginx-auth nginx and the
  // service that it asks. Not of none.
  double CpuSeconds() const;
  double MemoryKib() const;
  // Of nginx-auth: nginx's own processes, without that service.
  bool asks_service() const { return service_ != nullptr; }
  double CpuSecondsAlone() const { return process_->CpuSeconds(); }

  // Of carme: what the backend sends to it.
  testing::RouteServer& backend() { return *backend_; }
  // Of carme: gets in to this job; the Cookie field's value.
  std::string Open(const JobId& job);
  // Of chp: the port of its REST interface.
  int api_port() const { return api_port_; }

 private:
  std::vector<std::string> Command(const std::string& config) const;
  std::string Filled(const std::string& file) const;
  void WaitUntilReady();
  Answer AskNow(const Target& target, const std::string& request);

  const std::string name_;
  Neighbours& neighbours_;
  const SubjectOptions options_;
  int port_ = 0, api_port_ = 0;
  Target target_;
  std::unique_ptr<testing::RouteServer> backend_;
  std::unique_ptr<Process> service_;  // outlives who asks it
  std::unique_ptr<Process> process_;
};

// Those that SUBJECTS names, else `usual`.
std::vector<std::string> SubjectNames(const std::vector<std::string>& usual);

// A port that is free now.
int FreePort();

}  // namespace carme::bench

#endif  // CARME_TESTS_BENCH_PROXY_SUBJECTS_SUBJECT_H_
