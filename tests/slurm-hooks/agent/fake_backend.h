// AgentService as the backend serves it, with the checks that need no Slurm:
// TLS, a real MUNGE credential over the request, a certificate of a job CA.
#ifndef CARME_TESTS_SLURM_HOOKS_AGENT_FAKE_BACKEND_H_
#define CARME_TESTS_SLURM_HOOKS_AGENT_FAKE_BACKEND_H_

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "carme/v1/agent.pb.h"
#include "carme/v1/routes.pb.h"
#include "common/crypto/signature.h"
#include "tests/common/net/test_ca.h"

namespace carme::agent {

inline constexpr char kTestJob[] = "abcdefgh23456789";

class FakeAgentBackend {
 public:
  explicit FakeAgentBackend(const std::string& server_name = "carme-backend",
                            const std::string& host = "127.0.0.1",
                            int port = 0);
  ~FakeAgentBackend();

  int port() const;
  const std::string& ca_pem() const { return site_ca_.certificate_pem(); }
  const testing::TestCa& site_ca() const { return site_ca_; }

  // What the next registrations get before one is taken.
  void RefuseNext(std::vector<absl::Status> statuses);
  // `{socket}` and others are replaced by the agent.
  void SetCommand(std::vector<std::string> command);  // of the job's own app
  void SetBasePath(const std::string& path);          // likewise
  // Before an agent registers; the command is missing.
  carme::v1::AppPlan* AddApp(const std::string& id);
  carme::v1::EnvironmentPlan* environment();
  carme::v1::StagePlan* stage();
  // Agents sample from the next registration on.
  carme::v1::MetricsPlan* metrics();
  // The authority of the certificates of jobs.
  std::string job_ca_pem() const;
  // For registrations and for agents that run.
  void SetProxyTrust(const std::string& ca_pem, const std::string& crl_pem);
  // Sent to agents that have reported their nodes. The first job without an id
  // is replaced by the reported one.
  void SetLinkedJobs(const carme::v1::LinkedJobs& linked_jobs);
  // Agents vet their nodes from the next registration on.
  void RequireNodes(uint32_t count);
  // The job is a linked job from now on, without apps.
  void MakeLinkedJob();
  // The job is a batch job from now on, without apps; what it runs is missing.
  carme::v1::BatchPlan* MakeBatch();
  // The last that an agent reported.
  carme::v1::LinkedJob own_job() const;
  carme::v1::JobUse use() const;
  // Forgets the registration and requests another.
  void RequestRegistration();
  // The server goes away; its port refuses connections until it is back.
  void Stop();
  void Restart();
  // Comes back with a certificate of this authority's.
  void MoveTo(const testing::TestCa& authority);

  // What came in. A request whose credential is not right ends the test.
  int registrations() const;
  int follows() const;
  std::vector<std::string> returnable_nodes() const;  // of the last stream
  int agent_port() const;
  std::set<uint32_t> uids() const;
  std::vector<carme::v1::ReportStateRequest> reports() const;
  std::vector<carme::v1::ReportLogRequest> log_reports() const;
  // The last one about this app, or, with none, about the job.
  carme::v1::ReportStateRequest LastReport(const std::string& app) const;

  // A grant for the job that expires a minute from now.
  static carme::v1::Grant GoodGrant();
  // Signed by this backend, in a preamble.
  std::string Preamble(const carme::v1::Grant& grant) const;
  std::string Preamble() const { return Preamble(GoodGrant()); }

  // The proxy's certificate, one of the same CA with another name, one of the
  // job CA with the proxy's name.
  testing::TestIdentity Proxy() const;
  testing::TestIdentity Frontend() const;
  testing::TestIdentity OtherJob() const;

 private:
  class Service;
  void Start(int port);
  testing::TestCa site_ca_{"site"};
  testing::TestCa other_ca_{"jobs"};
  SigningKey key_;
  testing::TestIdentity identity_;
  std::string host_;
  std::unique_ptr<Service> service_;
};

}  // namespace carme::agent

#endif  // CARME_TESTS_SLURM_HOOKS_AGENT_FAKE_BACKEND_H_
