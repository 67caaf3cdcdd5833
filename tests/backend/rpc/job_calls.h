// The job room behind the real guard and TLS, for the services' tests: Slurm
// and the clock are moved by hand.
#ifndef CARME_TESTS_BACKEND_RPC_JOB_CALLS_H_
#define CARME_TESTS_BACKEND_RPC_JOB_CALLS_H_

#include <grpcpp/client_context.h>

#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "backend/audit/audit_table.h"
#include "backend/rpc/server/stream_dispatcher.h"
#include "tests/backend/jobs/job_fixture.h"
#include "tests/backend/rpc/guarded_server.h"
#include "tests/support/grpc_status_matchers.h"
#include "tests/support/wait_for.h"

namespace carme::backend {

// Sessions that a test can end.
class EndableSessions : public FixedSessions {
 public:
  bool IsLive(const SessionId&) override { return live_; }
  absl::Status End(const SessionId&) override {
    live_ = false;
    return absl::OkStatus();
  }

 private:
  std::atomic<bool> live_ = true;
};

// A server with one of the services; stops in the order of the program. Who
// derives and lends the service what is its own stops in its own destructor.
class JobCalls : public JobFixture {
 public:
  explicit JobCalls(int max_running_jobs = 0) : JobFixture(max_running_jobs) {
    dispatcher_.Start();
  }
  ~JobCalls() { Stop(); }
  void Stop() {
    dispatcher_.EndAll(absl::UnavailableError("the backend stops"));
    server_.reset();
    dispatcher_.Stop();
  }
  void Serve(std::unique_ptr<grpc::Service> service, const std::string& name) {
    server_ =
        std::make_unique<GuardedServer>(&sessions_, std::move(service), name);
  }
  std::shared_ptr<grpc::Channel> AsFrontend() {
    return server_->Connect(Port::kClients, "URI:carme://frontend/dmz");
  }

  // What is in the audit log beside the submissions' admissions, newest last.
  std::vector<AuditEntry> Entries() {
    REQUIRE_THAT(audit_->RecordNow({.act = "mark"}), IsOk());
    std::vector<AuditEntry> entries =
        ReadPiece(database_.get(), {}, AuditOrder::kOldestFirst, kOldest)
            ->entries;
    std::erase_if(entries, [](const auto& row) {
      return row.act == "mark" || row.act == "admit";
    });
    return entries;
  }

  EndableSessions sessions_;
  StreamDispatcher dispatcher_;
  std::unique_ptr<GuardedServer> server_;
};

// A call of this person's with five seconds to live.
class CallBy : public grpc::ClientContext {
 public:
  explicit CallBy(const std::string& name) {
    if (!name.empty()) AddMetadata("carme-session", "token-of-" + name);
    set_deadline(absl::ToChronoTime(absl::Now() + testing::kWaitTimeout));
  }
};

}  // namespace carme::backend

#endif  // CARME_TESTS_BACKEND_RPC_JOB_CALLS_H_
