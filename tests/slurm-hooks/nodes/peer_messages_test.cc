#include "slurm-hooks/nodes/peer_messages.h"

#include <catch2/catch.hpp>

#include "tests/support/status_matchers.h"

namespace carme::node {
namespace {

v1::PeerOrder MeetAt(uint32_t port) {
  v1::PeerOrder order;
  order.mutable_meet()->set_master_port(port);
  return order;
}

TEST_CASE("peer messages: an order too long for any job is refused",
          "[nodes]") {
  std::string bytes("\xff\xff\xff\xff", 4);
  CHECK(absl::IsInvalidArgument(TakeOrder(&bytes).status()));
}

TEST_CASE("peer messages: refuses malformed orders", "[nodes]") {
  std::string bytes("\0\0\0\x02\xff\xff", 6);
  CHECK(absl::IsInvalidArgument(TakeOrder(&bytes).status()));
}

TEST_CASE("peer messages: a line without an end is refused", "[nodes]") {
  std::string text(1 << 20, 'x');
  CHECK(absl::IsInvalidArgument(TakeEvent(&text).status()));
}

TEST_CASE("peer messages: orders come whole, one after the other", "[nodes]") {
  const std::string frames = FrameOf(MeetAt(1)) + FrameOf(MeetAt(2));
  std::string bytes;
  std::vector<uint32_t> ports;
  for (const char byte : frames) {
    bytes.push_back(byte);
    const auto order = TakeOrder(&bytes);
    REQUIRE_THAT(order, IsOk());
    if (order->has_value()) ports.push_back((*order)->meet().master_port());
  }
  CHECK(ports == std::vector<uint32_t>{1, 2});
  CHECK(bytes.empty());
}

TEST_CASE("peer messages: skips lines of other programs", "[nodes]") {
  v1::PeerEvent met;
  met.mutable_met()->set_rank(3);
  std::string text = "srun: a warning\ncarme-peer %%%\n" + LineOf(met) + "rest";
  const auto event = TakeEvent(&text);
  REQUIRE_THAT(event, IsOk());
  REQUIRE(event->has_value());
  CHECK((*event)->met().rank() == 3);
  CHECK(text == "rest");
}

}  // namespace
}  // namespace carme::node
