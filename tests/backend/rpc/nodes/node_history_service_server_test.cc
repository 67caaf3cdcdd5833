#include <catch2/catch.hpp>
#include <memory>
#include <string>
#include <vector>

#include "backend/node_history/node_history.h"
#include "backend/node_history/node_rule_enforcer.h"
#include "backend/rpc/nodes/node_history_service.h"
#include "carme/v1/node_history.grpc.pb.h"
#include "tests/backend/node_history/cluster_of_nodes.h"
#include "tests/backend/rpc/account_site.h"
#include "tests/support/grpc_status_matchers.h"

namespace carme::backend {
namespace {

using Code = grpc::StatusCode;

constexpr char kDrainRule[] =
    "rules:\n"
    "- name: broken\n"
    "  match: {sources: [site_vet]}\n"
    "  count: 3\n"
    "  window: 24h\n"
    "  action: drain\n";

class NodeHistorySite : public AccountSite {
 public:
  NodeHistorySite() {
    ServiceMap services;
    services["node-history"] = NewNodeHistoryService({.history = &history_,
                                                      .enforcer = &enforcer_,
                                                      .scheduler = &cluster_,
                                                      .audit = audit_.get()});
    Serve(std::move(services));
    stub_ = v1::NodeHistoryService::NewStub(AsFrontend());
  }
  Code Get(const std::string& token, const v1::GetNodeHistoryRequest& request) {
    CallWith call(token);
    page_.Clear();
    return stub_->GetNodeHistory(&call, request, &page_).error_code();
  }
  Code Record(const std::string& token, const std::string& run,
              const std::string& node = "n1") {
    CallWith call(token);
    v1::RecordVetRunRequest request;
    request.set_run_id(run);
    v1::NodeVetReport* const report = request.add_nodes();
    report->set_node(node);
    report->add_failures()->set_evaluation("fs.write");
    recorded_.Clear();
    return stub_->RecordVetRun(&call, request, &recorded_).error_code();
  }
  static v1::GetNodeHistoryRequest Of(const std::string& node) {
    v1::GetNodeHistoryRequest request;
    request.set_node(node);
    return request;
  }

  FakeNodeCluster cluster_{&clock_};
  NodeHistory history_{database_.get(), &clock_, &cluster_};
  NodeRuleEnforcer enforcer_{{.history = &history_,
                              .database = database_.get(),
                              .clock = &clock_,
                              .scheduler = &cluster_,
                              .nodes = &cluster_,
                              .audit = audit_.get(),
                              .users = &users_,
                              .persons = &directory_},
                             {.drain_user = "carol"},
                             ParseNodeRules(kDrainRule, "rules.yaml").value()};
  std::unique_ptr<v1::NodeHistoryService::Stub> stub_;
  v1::GetNodeHistoryResponse page_;
  v1::RecordVetRunResponse recorded_;
};

TEST_CASE("node history service: is for administrators alone", "[rpc]") {
  NodeHistorySite site;
  for (const char* name : {"ada", "sam"}) {
    INFO(name);
    const std::string token = site.LogIn(name).token;
    CHECK(site.Get(token, NodeHistorySite::Of("n1")) ==
          Code::PERMISSION_DENIED);
    CHECK(site.Record(token, "r1") == Code::PERMISSION_DENIED);
  }
  CHECK(site.Get("", NodeHistorySite::Of("n1")) == Code::UNAUTHENTICATED);
  CHECK(site.history_.Read("n1", 0, 10).value().empty());
}

TEST_CASE(
    "node history service: a frontend with an administrator's session "
    "records no run",
    "[rpc]") {
  NodeHistorySite site;
  const std::string carol = site.LogIn("carol").token;
  // A factor must be confirmed again, as for DrainNodes.
  site.clock_.Advance(absl::Minutes(20));
  for (const char* run : {"r1", "r2", "r3"}) {
    CHECK(site.Record(carol, run) == Code::FAILED_PRECONDITION);
  }
  CHECK(site.cluster_.calls_.empty());
  CHECK(site.history_.Read("n1", 0, 10).value().empty());
}

TEST_CASE("node history service: refuses invalid requests", "[rpc]") {
  NodeHistorySite site;
  const std::string carol = site.LogIn("carol").token;
  for (const std::string& node :
       {std::string(), std::string("n1;x"), std::string(65, 'n')}) {
    CHECK(site.Get(carol, NodeHistorySite::Of(node)) == Code::INVALID_ARGUMENT);
  }
  CHECK(site.Get(carol, NodeHistorySite::Of("n99")) == Code::NOT_FOUND);
  v1::GetNodeHistoryRequest request = NodeHistorySite::Of("n1");
  request.set_page_size(501);
  CHECK(site.Get(carol, request) == Code::INVALID_ARGUMENT);
}

TEST_CASE("node history service: the third recorded run drains", "[rpc]") {
  NodeHistorySite site;
  const std::string carol = site.LogIn("carol").token;
  CHECK(site.Record(carol, "r1", "n99") == Code::NOT_FOUND);
  for (const char* run : {"r1", "r1", "r2"}) {
    REQUIRE(site.Record(carol, run) == Code::OK);
  }
  CHECK(site.cluster_.calls_.empty());
  REQUIRE(site.Record(carol, "r3") == Code::OK);
  REQUIRE(site.recorded_.failed_size() == 1);
  CHECK(site.recorded_.failed(0).state() == v1::NODE_RULE_STATE_DRAINED);
  CHECK(site.Ask("SELECT count(*) FROM audit WHERE act='record-vet-run' AND "
                 "decision='allow'") == "4");
  v1::GetNodeHistoryRequest request = NodeHistorySite::Of("n1");
  request.set_page_size(2);
  REQUIRE(site.Get(carol, request) == Code::OK);
  CHECK(site.page_.state() == v1::NODE_RULE_STATE_DRAINED);
  CHECK(site.page_.rule() == "broken");
  CHECK(site.page_.slurm_state() == "IDLE+DRAIN");
  CHECK(site.page_.slurm_reason() ==
        "carme: 3 failed vet runs in 24 h (fs.write) [carol]");
  REQUIRE(site.page_.entries_size() == 2);
  CHECK(site.page_.entries(0).source() == v1::NODE_ENTRY_SOURCE_RULE);
  request.set_page_token(site.page_.next_page_token());
  REQUIRE(site.Get(carol, request) == Code::OK);
  CHECK(site.page_.entries_size() == 2);
  CHECK(site.page_.next_page_token().empty());
}

}  // namespace
}  // namespace carme::backend
