// failover_bench prepare WORK: sessions and jobs, kept in WORK/failover.
// failover_bench wait WORK SUBJECT: the seconds until a backend serves again,
// and how many of the sessions and jobs it does not have.
#include <grpcpp/client_context.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "absl/time/clock.h"
#include "carme/v1/jobs.grpc.pb.h"
#include "tests/bench/support/cluster_users.h"
#include "tests/bench/support/figures.h"
#include "tests/bench/support/frontend_channel.h"
#include "tests/bench/support/login_client.h"
#include "tests/bench/support/submit_client.h"

namespace carme {
namespace {

constexpr Figures kFigures("failover");
constexpr char kBackend[] = "127.0.0.1:9443";
constexpr int kJobsPerSession = 5;

// The ids of the session's jobs. A connection of its own, so that no time-out
// of an earlier one counts.
grpc::Status List(const std::string& work, const std::string& token,
                  std::set<std::string>* ids) {
  const auto jobs =
      v1::JobService::NewStub(NewFrontendChannel(kBackend, work + "/pki"));
  grpc::ClientContext context;
  context.AddMetadata("carme-session", token);
  context.set_deadline(absl::ToChronoTime(absl::Now() + absl::Seconds(1)));
  v1::ListJobsResponse response;
  const grpc::Status status = jobs->ListJobs(&context, {}, &response);
  for (const v1::Job& job : response.jobs()) ids->insert(job.id());
  return status;
}

void Prepare(const std::string& work) {
  LoginClient logins(kBackend, work + "/pki");
  std::ofstream file(work + "/failover");
  for (const ClusterUser& user : ClusterUsers()) {
    std::string secret;
    const std::string token =
        logins.LogIn(user.name, user.password, "127.0.0.1", &secret);
    SubmitClient client(kBackend, work + "/pki", {token});
    for (int i = 0; i < kJobsPerSession; ++i) client.Submit();
    std::set<std::string> ids;
    List(work, token, &ids);
    file << token;
    for (const std::string& id : ids) file << ' ' << id;
    file << '\n';
  }
}

std::vector<std::vector<std::string>> Prepared(const std::string& work) {
  std::ifstream file(work + "/failover");
  std::vector<std::vector<std::string>> sessions;
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    sessions.emplace_back(std::istream_iterator<std::string>(words),
                          std::istream_iterator<std::string>());
  }
  return sessions;
}

void Wait(const std::string& work, const char* subject) {
  const absl::Time begun = absl::Now();
  const auto sessions = Prepared(work);
  std::set<std::string> ids;
  while (!List(work, sessions.at(0).at(0), &ids).ok()) {
    absl::SleepFor(absl::Milliseconds(50));
  }
  kFigures.Print(subject, "unavailable_s",
                 absl::ToDoubleSeconds(absl::Now() - begun), "s");
  int jobs = 0;
  int lost_sessions = 0;
  int lost_jobs = 0;
  for (const std::vector<std::string>& session : sessions) {
    ids.clear();
    jobs += static_cast<int>(session.size()) - 1;
    if (!List(work, session[0], &ids).ok()) ++lost_sessions;
    lost_jobs += static_cast<int>(
        std::count_if(session.begin() + 1, session.end(),
                      [&](const std::string& id) { return !ids.count(id); }));
  }
  kFigures.Print(subject, "sessions", static_cast<double>(sessions.size()), "");
  kFigures.Print(subject, "jobs", jobs, "");
  kFigures.Print(subject, "lost_sessions", lost_sessions, "");
  kFigures.Print(subject, "lost_jobs", lost_jobs, "");
}

}  // namespace
}  // namespace carme

int main(int argc, char** argv) {
  const std::string mode = argc > 2 ? argv[1] : "";
  if (mode == "prepare" && argc == 3) {
    carme::Prepare(argv[2]);
  } else if (mode == "wait" && argc == 4) {
    carme::Wait(argv[2], argv[3]);
  } else {
    std::fprintf(stderr, "usage: tests/bench/run failover\n");
    return 2;
  }
  return 0;
}
