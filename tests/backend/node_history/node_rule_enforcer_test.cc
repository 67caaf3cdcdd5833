// Rules about nodes with a real database, and an impersonator that can refuse.
#include "backend/node_history/node_rule_enforcer.h"

#include <catch2/catch.hpp>
#include <memory>
#include <string>
#include <vector>

#include "backend/audit/audit_log.h"
#include "backend/store/database.h"
#include "common/status.h"
#include "tests/backend/node_history/cluster_of_nodes.h"
#include "tests/support/fake_clock.h"
#include "tests/support/fake_directory.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace carme::backend {
namespace {

constexpr char kDrainAndAvoid[] =
    "rules:\n"
    "- name: broken\n"
    "  match: {sources: [prolog_vet, site_vet]}\n"
    "  count: 3\n"
    "  window: 24h\n"
    "  action: drain\n"
    "- name: unsure\n"
    "  match: {sources: [site_vet]}\n"
    "  window: 24h\n"
    "  action: avoid\n"
    "- name: users\n"
    "  match: {sources: [job_vet]}\n"
    "  count: 2\n"
    "  window: 24h\n"
    "  action: revet\n";

class RuledSite {
 public:
  explicit RuledSite(std::string drain_user = "ada") {
    config_.drain_user = std::move(drain_user);
    Start();
    const Person carol{.username = "carol",
                       .display_name = "",
                       .uid = Uid(20003),
                       .role = Role::kAdmin};
    REQUIRE_THAT(users_->RecordLogin(carol), IsOk());
    REQUIRE_THAT(users_->RecordLogin(FakeDirectory::Named("bob")), IsOk());
  }

  void Start() {
    enforcer_.reset();
    history_.reset();
    users_.reset();
    audit_.reset();
    database_.reset();
    database_ = Database::Open(dir_.File("carme.db"), Migrations()).value();
    audit_ = AuditLog::Open(database_.get(), &clock_).value();
    users_ = std::make_unique<UserStore>(database_.get(), &clock_);
    history_ =
        std::make_unique<NodeHistory>(database_.get(), &clock_, &cluster_);
    enforcer_ = std::make_unique<NodeRuleEnforcer>(
        NodeRuleEnforcer::Parts{.history = history_.get(),
                                .database = database_.get(),
                                .clock = &clock_,
                                .scheduler = &cluster_,
                                .nodes = &cluster_,
                                .audit = audit_.get(),
                                .users = users_.get(),
                                .persons = &directory_},
        config_, ParseNodeRules(kDrainAndAvoid, "rules.yaml").value());
  }

  // A failed run of the site or, with a user, in a job; then rules are applied.
  void Fail(const std::string& run, const std::string& user = "",
            const std::string& node = "n1") {
    NodeVetRun report{.source = user.empty() ? v1::NODE_ENTRY_SOURCE_SITE_VET
                                             : v1::NODE_ENTRY_SOURCE_JOB_VET,
                      .run = run,
                      .user = user};
    v1::NodeVetReport& of_node = report.nodes.emplace_back();
    of_node.set_node(node);
    of_node.add_failures()->set_evaluation("fs.write");
    Record(report);
  }
  void Pass(const std::string& run, const std::string& evaluation,
            v1::NodeEntrySource source = v1::NODE_ENTRY_SOURCE_SITE_VET) {
    NodeVetRun report{.source = source, .run = run};
    v1::NodeVetReport& of_node = report.nodes.emplace_back();
    of_node.set_node("n1");
    of_node.add_passed(evaluation);
    of_node.add_passed("memory");
    Record(report);
  }
  void Record(const NodeVetRun& report) {
    REQUIRE_THAT(history_->RecordVetRun(report), IsOk());
    clock_.Advance(absl::Minutes(2));
    enforcer_->Enforce();
  }
  void FailThreeTimes() {
    for (const char* run : {"1", "2", "3"}) Fail(run);
  }

  std::string Newest() {
    return history_->Read("n1", 0, 1).value().at(0).text.text;
  }
  // The notifications of a user, the newest last.
  std::vector<std::string> NoticesOf(uint32_t uid) {
    std::vector<std::string> texts;
    const absl::Status read =
        database_->Query([&](Database& db) -> absl::Status {
          ASSIGN_OR_RETURN(
              Statement rows,
              db.Prepare("SELECT text FROM events WHERE uid=?1 ORDER BY id"));
          rows.Bind(1, int64_t{uid});
          while (rows.Step().value()) texts.push_back(rows.Text(0));
          return absl::OkStatus();
        });
    REQUIRE_THAT(read, IsOk());
    return texts;
  }
  int AuditEntries(const std::string& act, const std::string& decision) {
    audit_.reset();  // writes what waits
    int64_t count = 0;
    const absl::Status read =
        database_->Query([&](Database& db) -> absl::Status {
          ASSIGN_OR_RETURN(Statement rows,
                           db.Prepare("SELECT count(*) FROM audit WHERE act=?1 "
                                      "AND decision=?2"));
          rows.Bind(1, act).Bind(2, decision);
          REQUIRE(rows.Step().value());
          count = rows.Int(0);
          return absl::OkStatus();
        });
    REQUIRE_THAT(read, IsOk());
    return static_cast<int>(count);
  }

  TempDir dir_;
  FakeClock clock_;
  FakeNodeCluster cluster_{&clock_};
  FakeDirectory directory_;
  NodeRulesConfig config_;
  std::unique_ptr<Database> database_;
  std::unique_ptr<AuditLog> audit_;
  std::unique_ptr<UserStore> users_;
  std::unique_ptr<NodeHistory> history_;
  std::unique_ptr<NodeRuleEnforcer> enforcer_;
};

TEST_CASE("node rule enforcer: users' runs make a node suspect only",
          "[backend]") {
  RuledSite site;
  for (int i = 0; i < 20; ++i) {
    site.Fail(absl::StrCat("job", i), i % 2 == 0 ? "ada" : "bob");
  }
  CHECK(site.cluster_.calls_.empty());
  CHECK(site.history_->Avoided().empty());
  CHECK(site.enforcer_->StateOf("n1") == v1::NODE_RULE_STATE_SUSPECT);
  CHECK(site.enforcer_->StateOf("n2") == v1::NODE_RULE_STATE_HEALTHY);
  // Only administrators are notified.
  CHECK_THAT(site.NoticesOf(20003).back(), Catch::Contains("carme-vet.timer"));
  CHECK(site.NoticesOf(20002).empty());
}

TEST_CASE("node rule enforcer: a drain beyond the share is a notification",
          "[backend]") {
  RuledSite site;
  site.cluster_.answer_ =
      absl::PermissionDeniedError("2 of 10 nodes would be drained");
  site.FailThreeTimes();
  CHECK(site.cluster_.calls_ == std::vector<std::string>{"drain n1 as ada"});
  CHECK_THAT(site.Newest(),
             Catch::StartsWith("not drained: 2 of 10 nodes would be drained"));
  const auto notices = site.NoticesOf(20003);
  REQUIRE(notices.size() == 1);
  CHECK_THAT(notices[0], Catch::Contains("was not drained: 2 of 10"));
  // It is not asked for again and again.
  site.clock_.Advance(absl::Minutes(2));
  site.enforcer_->Enforce();
  CHECK(site.cluster_.calls_.size() == 1);
  CHECK(site.enforcer_->StateOf("n1") == v1::NODE_RULE_STATE_AVOIDED);
  CHECK(site.AuditEntries("drain-node-by-rule", "refuse") == 1);
}

TEST_CASE("node rule enforcer: without drain_user nothing is drained",
          "[backend]") {
  RuledSite site("");
  site.FailThreeTimes();
  CHECK(site.cluster_.calls_.empty());
  CHECK_THAT(site.Newest(), Catch::Contains("drain_user"));
}

TEST_CASE("node rule enforcer: a node that others drained is theirs",
          "[backend]") {
  RuledSite site;
  site.cluster_.SetDrained("n1", "carme: ticket 4711 [carol]");
  site.FailThreeTimes();
  CHECK(site.cluster_.calls_.empty());
  CHECK_THAT(site.Newest(), Catch::Contains("is drained already"));
  site.Pass("4", "fs.write");
  CHECK(site.cluster_.calls_.empty());
  CHECK(site.cluster_.ReasonOf("n1") == "carme: ticket 4711 [carol]");
}

TEST_CASE("node rule enforcer: an administrator's drain after the rule's stays",
          "[backend]") {
  RuledSite site;
  site.FailThreeTimes();
  site.cluster_.SetDrained("n1", "carme: new board ordered [carol]");
  site.Pass("4", "fs.write");
  CHECK(site.cluster_.calls_ == std::vector<std::string>{"drain n1 as ada"});
  CHECK_THAT(site.Newest(), Catch::Contains("outside of the rules"));
}

TEST_CASE("node rule enforcer: only the site's run of what failed resumes",
          "[backend]") {
  RuledSite site;
  site.FailThreeTimes();
  site.Pass("weak", "clock");
  site.Pass("user", "fs.write", v1::NODE_ENTRY_SOURCE_JOB_VET);
  CHECK(site.enforcer_->StateOf("n1") == v1::NODE_RULE_STATE_DRAINED);
  CHECK(site.cluster_.calls_.size() == 1);
}

TEST_CASE("node rule enforcer: a report of before the drain does not resume",
          "[backend]") {
  RuledSite site;
  site.Pass("early", "fs.write");
  site.FailThreeTimes();
  site.Pass("early", "fs.write");
  CHECK(site.enforcer_->StateOf("n1") == v1::NODE_RULE_STATE_DRAINED);
}

TEST_CASE(
    "node rule enforcer: the third failed run drains, a passed one "
    "resumes",
    "[backend]") {
  RuledSite site;
  site.Fail("1");
  site.Fail("2");
  CHECK(site.cluster_.calls_.empty());
  CHECK(site.enforcer_->StateOf("n1") == v1::NODE_RULE_STATE_AVOIDED);
  CHECK(site.history_->Avoided() == std::set<std::string>{"n1"});
  site.Fail("3");
  CHECK(site.cluster_.ReasonOf("n1") ==
        "carme: 3 failed vet runs in 24 h (fs.write) [ada]");
  CHECK(site.enforcer_->StateOf("n1") == v1::NODE_RULE_STATE_DRAINED);
  CHECK_THAT(site.NoticesOf(20003).back(),
             Catch::Contains("Node n1 was drained by rule \"broken\""));
  site.Pass("4", "fs.write");
  CHECK(site.cluster_.calls_.back() == "resume n1 as ada");
  CHECK(site.enforcer_->StateOf("n1") == v1::NODE_RULE_STATE_HEALTHY);
  CHECK_FALSE(site.history_->DrainOf("n1").value());
  // The old failures count no more.
  site.Fail("5");
  site.Fail("6");
  CHECK(site.cluster_.calls_.size() == 2);
  CHECK(site.AuditEntries("drain-node-by-rule", "allow") == 1);
}

TEST_CASE("node rule enforcer: a restart keeps counts and drains",
          "[backend]") {
  RuledSite site;
  site.Fail("1");
  site.Fail("2");
  site.Start();
  site.Fail("3");
  CHECK(site.cluster_.calls_.size() == 1);
  site.Start();
  CHECK(site.enforcer_->StateOf("n1") == v1::NODE_RULE_STATE_DRAINED);
  site.enforcer_->Enforce();
  CHECK(site.cluster_.calls_.size() == 1);
  site.Pass("4", "fs.write");
  CHECK(site.cluster_.calls_.back() == "resume n1 as ada");
}

TEST_CASE("node rule enforcer: tries again while Slurm does not respond",
          "[backend]") {
  RuledSite site;
  site.cluster_.answer_ = absl::UnavailableError("no response");
  site.FailThreeTimes();
  CHECK(site.cluster_.calls_.size() == 1);
  CHECK(site.NoticesOf(20003).empty());
  site.Start();
  site.cluster_.answer_ = absl::OkStatus();
  site.enforcer_->Enforce();
  CHECK(site.enforcer_->StateOf("n1") == v1::NODE_RULE_STATE_DRAINED);
  site.cluster_.seen_.reachable = false;
  site.Pass("4", "fs.write");
  CHECK(site.cluster_.calls_.size() == 2);
}

TEST_CASE("node rule enforcer: gives up after an hour", "[backend]") {
  RuledSite site;
  site.cluster_.answer_ = absl::UnavailableError("no response");
  site.FailThreeTimes();
  site.clock_.Advance(absl::Hours(1));
  site.enforcer_->Enforce();
  CHECK_THAT(site.Newest(), Catch::StartsWith("not drained: no response"));
  CHECK(site.enforcer_->StateOf("n1") == v1::NODE_RULE_STATE_AVOIDED);
}

TEST_CASE("node rule enforcer: a node that others resume starts anew",
          "[backend]") {
  RuledSite site;
  site.FailThreeTimes();
  site.cluster_.detail_.nodes["n1"].state.slurm = "IDLE";
  site.clock_.Advance(absl::Minutes(2));
  site.enforcer_->Enforce();
  CHECK(site.enforcer_->StateOf("n1") != v1::NODE_RULE_STATE_DRAINED);
  site.Fail("4");
  site.Fail("5");
  CHECK(site.cluster_.calls_.size() == 1);
}

TEST_CASE("node rule enforcer: no more nodes are avoided than the share",
          "[backend]") {
  RuledSite site;
  for (int i = 1; i <= 10; ++i) {
    site.Fail("1", "", absl::StrCat("n", i));
  }
  CHECK(site.history_->Avoided().size() == 2);
}

TEST_CASE(
    "node rule enforcer: requests a run after users' runs, until it is made",
    "[backend]") {
  RuledSite site;
  site.Fail("job1", "ada");
  CHECK_FALSE(site.history_->IsVetRequested("n1"));
  site.Fail("job2", "bob");
  site.clock_.Advance(absl::Minutes(2));
  site.enforcer_->Enforce();
  CHECK(site.history_->IsVetRequested("n1"));
  CHECK_FALSE(site.history_->IsVetRequested("n2"));
  site.Start();
  site.enforcer_->Enforce();
  CHECK(site.history_->IsVetRequested("n1"));
  site.Pass("1", "fs.write");
  CHECK_FALSE(site.history_->IsVetRequested("n1"));
}

TEST_CASE("node rule enforcer: requests runs of a drained node at intervals",
          "[backend]") {
  RuledSite site;
  site.FailThreeTimes();
  CHECK_FALSE(site.history_->IsVetRequested("n1"));
  site.clock_.Advance(absl::Minutes(30));
  site.enforcer_->Enforce();
  CHECK(site.history_->IsVetRequested("n1"));
  site.Fail("4");
  CHECK_FALSE(site.history_->IsVetRequested("n1"));
  site.clock_.Advance(absl::Minutes(30));
  site.enforcer_->Enforce();
  CHECK(site.history_->IsVetRequested("n1"));
  site.Pass("5", "fs.write");
  CHECK(site.cluster_.calls_.back() == "resume n1 as ada");
  CHECK_FALSE(site.history_->IsVetRequested("n1"));
}

}  // namespace
}  // namespace carme::backend
