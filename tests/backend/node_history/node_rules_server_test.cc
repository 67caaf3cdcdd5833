// Rules about nodes on a real Slurm with the real impersonator: what an
// administrator sees in sinfo.
#include <catch2/catch.hpp>
#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "backend/audit/audit_log.h"
#include "backend/node_history/node_rule_enforcer.h"
#include "backend/slurm/impersonator/impersonator_client.h"
#include "backend/slurm/poll/slurm_scheduler.h"
#include "backend/store/database.h"
#include "tests/backend/privileged/impersonator_process.h"
#include "tests/support/fake_directory.h"
#include "tests/support/status_matchers.h"
#include "tests/support/wait_for.h"

namespace carme::backend {
namespace {

using impersonator::ImpersonatorProcess;
using impersonator::kBackendUid;
using impersonator::OutputOf;
using impersonator::ThreadAsUser;
using testing::WaitFor;

constexpr char kShareOfHalf[] =
    "[nodes]\ngroup = \"carme-users\"\nmax_drained_percent = 50\n";

constexpr char kThirdRunDrains[] =
    "rules:\n"
    "- name: broken\n"
    "  match: {sources: [prolog_vet, site_vet]}\n"
    "  count: 3\n"
    "  window: 24h\n"
    "  action: drain\n";

struct ResumeNodes {
  ~ResumeNodes() {
    OutputOf("scontrol update nodename=n1,n2 state=resume 2>&1");
  }
};

class RuledCluster {
 public:
  explicit RuledCluster(const ImpersonatorProcess& impersonator)
      : watcher_(
            SlurmScheduler::Create({.poll_interval = absl::Milliseconds(200)})
                .value()),
        client_(
            {.socket = impersonator.socket(), .timeout = testing::kWaitTimeout},
            watcher_.get()) {
    watcher_->Start();
    REQUIRE(WaitFor([this] {
      const SlurmSnapshotPtr snapshot = watcher_->Snapshot();
      return snapshot->reachable && snapshot->detail != nullptr &&
             snapshot->detail->nodes.size() >= 2;
    }));
  }
  ~RuledCluster() { watcher_->Stop(); }

  void Report(const std::string& node, const std::string& run, bool passed,
              v1::NodeEntrySource source = v1::NODE_ENTRY_SOURCE_SITE_VET) {
    NodeVetRun report{.source = source, .run = run};
    v1::NodeVetReport& of_node = report.nodes.emplace_back();
    of_node.set_node(node);
    if (passed) {
      of_node.add_passed("fs.write");
    } else {
      of_node.add_failures()->set_evaluation("fs.write");
    }
    REQUIRE_THAT(history_.RecordVetRun(report), IsOk());
    Enforce();
  }
  void Enforce() {
    const ThreadAsUser backend(kBackendUid);
    enforcer_.Enforce();
  }
  std::string Newest(const std::string& node) {
    return history_.Read(node, 0, 1).value().at(0).text.text;
  }

  SystemClock clock_;
  FakeDirectory directory_;
  std::unique_ptr<SlurmScheduler> watcher_;
  ImpersonatorClient client_;
  std::unique_ptr<Database> database_ =
      Database::Open(":memory:", Migrations()).value();
  std::unique_ptr<AuditLog> audit_ =
      AuditLog::Open(database_.get(), &clock_).value();
  UserStore users_{database_.get(), &clock_};
  NodeHistory history_{database_.get(), &clock_, watcher_.get()};
  NodeRuleEnforcer enforcer_{
      {.history = &history_,
       .database = database_.get(),
       .clock = &clock_,
       .scheduler = watcher_.get(),
       .nodes = &client_,
       .audit = audit_.get(),
       .users = &users_,
       .persons = &directory_},
      {.drain_user = "ada"},
      ParseNodeRules(kThirdRunDrains, "rules.yaml").value()};
};

std::string DrainedNodes() { return OutputOf("sinfo -R -h -o '%E|%N' 2>&1"); }

TEST_CASE("node rules: users' runs drain no node, however many", "[backend]") {
  const ResumeNodes resume;
  const ImpersonatorProcess impersonator(kShareOfHalf);
  RuledCluster cluster(impersonator);
  for (int i = 0; i < 10; ++i) {
    cluster.Report("n1", absl::StrCat("job", i), false,
                   v1::NODE_ENTRY_SOURCE_JOB_VET);
  }
  CHECK(DrainedNodes().empty());
}

TEST_CASE("node rules: the third run of the site drains, a passed one resumes",
          "[backend]") {
  const ResumeNodes resume;
  const ImpersonatorProcess impersonator(kShareOfHalf);
  RuledCluster cluster(impersonator);
  cluster.Report("n1", "1", false);
  cluster.Report("n1", "2", false);
  CHECK(DrainedNodes().empty());
  cluster.Report("n1", "3", false);
  CHECK_THAT(
      DrainedNodes(),
      Catch::Contains("carme: 3 failed vet runs in 24 h (fs.write) [ada]|n1"));
  // The share of nodes: the other one stays.
  for (const char* run : {"4", "5", "6"}) cluster.Report("n2", run, false);
  CHECK_THAT(DrainedNodes(), !Catch::Contains("|n2"));
  CHECK_THAT(cluster.Newest("n2"), Catch::StartsWith("not drained: ") &&
                                       Catch::Contains("max_drained_percent"));
  cluster.Report("n1", "7", true);
  REQUIRE(WaitFor([&] {
    cluster.Enforce();
    return DrainedNodes().empty();
  }));
  CHECK_THAT(cluster.Newest("n1"), Catch::StartsWith("resumed"));
}

}  // namespace
}  // namespace carme::backend
