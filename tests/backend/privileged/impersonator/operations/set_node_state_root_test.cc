// Draining and resuming nodes as SlurmUser, on a real Slurm with two nodes.
#include <catch2/catch.hpp>
#include <string>

#include "tests/backend/privileged/impersonator_process.h"
#include "tests/backend/privileged/valid_request.h"

namespace carme::impersonator {
namespace {

using privileged::v1::OUTCOME_NOT_FOUND;
using privileged::v1::OUTCOME_OK;
using privileged::v1::OUTCOME_REFUSED;
using privileged::v1::Request;
using privileged::v1::Response;

constexpr char kOffered[] =
    "[nodes]\n"
    "group = \"carme-users\"\n"
    "max_drained_percent = 50\n";

std::string Node(const std::string& name) {
  return OutputOf("scontrol -o show node " + name + " 2>&1");
}

struct ResumeAll {
  ~ResumeAll() { OutputOf("scontrol update nodename=n1,n2 state=resume 2>&1"); }
};

Request Resume(const std::string& node) {
  Request request = ValidDrain();
  request.mutable_set_node_state()->set_nodes(0, node);
  request.mutable_set_node_state()->set_action(
      privileged::v1::NODE_ACTION_RESUME);
  request.mutable_set_node_state()->clear_reason();
  return request;
}

Request Drain(const std::string& node) {
  Request request = ValidDrain();
  request.mutable_set_node_state()->set_nodes(0, node);
  return request;
}

TEST_CASE("set node state: refuses users outside the group", "[backend]") {
  const ResumeAll resume;
  const ImpersonatorProcess without("[extensions]\nmax_walltime_min = 60\n");
  const Response disabled = without.Ask(ValidDrain());
  CHECK(disabled.outcome() == OUTCOME_REFUSED);
  CHECK_THAT(disabled.message(), Catch::Contains("[nodes]"));
  const ImpersonatorProcess with("[nodes]\ngroup = \"daemon\"\n");
  const Response other = with.Ask(ValidDrain());
  CHECK(other.outcome() == OUTCOME_REFUSED);
  CHECK_THAT(other.message(), Catch::Contains("not in group \"daemon\""));
  CHECK_THAT(Node("n1"), !Catch::Contains("DRAIN"));
}

TEST_CASE("set node state: refuses unknown nodes, and changes none then",
          "[backend]") {
  const ResumeAll resume;
  const ImpersonatorProcess impersonator(kOffered);
  Request request = ValidDrain();
  request.mutable_set_node_state()->add_nodes("nosuchnode");
  const Response response = impersonator.Ask(request);
  CHECK(response.outcome() == OUTCOME_NOT_FOUND);
  CHECK_THAT(response.message(), Catch::Contains("nosuchnode"));
  CHECK_THAT(Node("n1"), !Catch::Contains("DRAIN"));
}

TEST_CASE("set node state: refuses nodes without the feature", "[backend]") {
  const ResumeAll resume;
  const ImpersonatorProcess impersonator(std::string("feature = \"other\"\n") +
                                         kOffered);
  const Response response = impersonator.Ask(ValidDrain());
  CHECK(response.outcome() == OUTCOME_REFUSED);
  CHECK_THAT(response.message(), Catch::Contains("feature \"other\""));
}

TEST_CASE("set node state: drains no more than the share, and one at least",
          "[backend]") {
  const ResumeAll resume;
  const ImpersonatorProcess impersonator(
      "[nodes]\ngroup = \"carme-users\"\nmax_drained_percent = 1\n");
  const Response first = impersonator.Ask(Drain("n1"));
  INFO(first.message());
  CHECK(first.outcome() == OUTCOME_OK);
  const Response second = impersonator.Ask(Drain("n2"));
  CHECK(second.outcome() == OUTCOME_REFUSED);
  CHECK_THAT(second.message(), Catch::Contains("max_drained_percent"));
  CHECK_THAT(Node("n2"), !Catch::Contains("DRAIN"));
  // It is drained already.
  CHECK(impersonator.Ask(Drain("n1")).outcome() == OUTCOME_OK);
}

TEST_CASE("set node state: drains with reason and user, and resumes",
          "[backend]") {
  const ResumeAll resume;
  const ImpersonatorProcess impersonator(kOffered);
  CHECK(impersonator.Ask(Drain("n1")).outcome() == OUTCOME_OK);
  CHECK_THAT(Node("n1"),
             Catch::Contains("DRAIN") &&
                 Catch::Contains("Reason=carme: fan of GPU 3 [ada]"));
  CHECK_THAT(impersonator.AuditLines().back(),
             Catch::Contains(
                 "as=slurm_user operation=set_node_state object=drain/n1"));
  CHECK(impersonator.Ask(Resume("n1")).outcome() == OUTCOME_OK);
  CHECK_THAT(Node("n1"), !Catch::Contains("DRAIN"));
  CHECK(impersonator.Ask(Resume("n1")).outcome() == OUTCOME_OK);
}

TEST_CASE("set node state: does not resume what others drained", "[backend]") {
  const ResumeAll resume;
  OutputOf("scontrol update nodename=n1 state=drain reason=smoke 2>&1");
  const ImpersonatorProcess impersonator(kOffered);
  const Response response = impersonator.Ask(Resume("n1"));
  CHECK(response.outcome() == OUTCOME_REFUSED);
  CHECK_THAT(response.message(), Catch::Contains("smoke"));
  CHECK(impersonator.Ask(Drain("n1")).outcome() == OUTCOME_OK);
  CHECK_THAT(Node("n1"), Catch::Contains("Reason=smoke"));
}

}  // namespace
}  // namespace carme::impersonator
