#include "slurm-hooks/nodes/node_agent_messages.h"

#include <catch2/catch.hpp>

#include "tests/support/status_matchers.h"

namespace carme::node {
namespace {

v1::NodeAgentRequest WithMasterPort(uint32_t port) {
  v1::NodeAgentRequest request;
  request.mutable_configure_peers()->set_master_port(port);
  return request;
}

TEST_CASE("node agent messages: refuses a request that is too long",
          "[nodes]") {
  std::string bytes("\xff\xff\xff\xff", 4);
  CHECK(absl::IsInvalidArgument(TakeRequest(&bytes).status()));
}

TEST_CASE("node agent messages: refuses malformed requests", "[nodes]") {
  std::string bytes("\0\0\0\x02\xff\xff", 6);
  CHECK(absl::IsInvalidArgument(TakeRequest(&bytes).status()));
}

TEST_CASE("node agent messages: refuses a line without an end", "[nodes]") {
  std::string text(1 << 20, 'x');
  CHECK(absl::IsInvalidArgument(TakeEvent(&text).status()));
}

TEST_CASE("node agent messages: returns complete requests, one by one",
          "[nodes]") {
  const std::string frames =
      FrameOf(WithMasterPort(1)) + FrameOf(WithMasterPort(2));
  std::string bytes;
  std::vector<uint32_t> ports;
  for (const char byte : frames) {
    bytes.push_back(byte);
    const auto request = TakeRequest(&bytes);
    REQUIRE_THAT(request, IsOk());
    if (request->has_value())
      ports.push_back((*request)->configure_peers().master_port());
  }
  CHECK(ports == std::vector<uint32_t>{1, 2});
  CHECK(bytes.empty());
}

TEST_CASE("node agent messages: skips lines of other programs", "[nodes]") {
  v1::NodeAgentEvent configured;
  configured.mutable_peers_configured()->set_rank(3);
  std::string text =
      "srun: a warning\ncarme-node-agent %%%\n" + LineOf(configured) + "rest";
  const auto event = TakeEvent(&text);
  REQUIRE_THAT(event, IsOk());
  REQUIRE(event->has_value());
  CHECK((*event)->peers_configured().rank() == 3);
  CHECK(text == "rest");
}

}  // namespace
}  // namespace carme::node
