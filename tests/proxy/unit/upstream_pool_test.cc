// Which connections are pooled.
#include "proxy/upstream/upstream_pool.h"

#include <unistd.h>

#include <catch2/catch.hpp>
#include <cerrno>

#include "tests/common/net/loop_fixture.h"

namespace carme::testing {
namespace {

using proxy::Upstream;
using proxy::UpstreamPool;
using proxy::UpstreamPtr;

constexpr absl::Duration kLong = absl::Hours(1);
const net::Address kAgent = *net::Address::FromIp("127.0.0.1", 80);

class Pool {
 public:
  explicit Pool(size_t max_idle) : pool_(*loop_, kLong, kLong, max_idle) {}

  // This many connections become idle.
  void Put(size_t count) {
    for (size_t i = 0; i < count; ++i) {
      SocketPair pair = NewSocketPair();
      far_.push_back(std::move(pair.b));
      pool_.Put(UpstreamPtr(new Upstream{NewStream(*loop_, std::move(pair.a)),
                                         access_, kAgent, "", false, 0}));
    }
  }
  bool Open(size_t number) const {
    char byte;
    return read(far_[number].get(), &byte, 1) < 0 && errno == EAGAIN;
  }
  UpstreamPtr Take() { return pool_.Take(access_, kAgent); }

 private:
  const proxy::AccessGrantPtr access_ = std::make_shared<proxy::AccessGrant>();
  std::unique_ptr<net::EventLoop> loop_ = *net::EventLoop::Create();
  std::vector<UniqueFd> far_;
  UpstreamPool pool_;
};

TEST_CASE("upstream pool: drops the oldest for the newest", "[proxy]") {
  Pool pool(16);
  pool.Put(16);
  CHECK(pool.Open(0));
  pool.Put(1);
  // Several are dropped at once.
  for (size_t i = 0; i < 17; ++i) {
    INFO(i);
    CHECK(pool.Open(i) == (i >= 3));
  }
  UpstreamPtr newest = pool.Take();
  REQUIRE(newest != nullptr);
  newest.reset();
  CHECK_FALSE(pool.Open(16));
  CHECK(pool.Open(15));
}

TEST_CASE("upstream pool: limits the connections of one grant", "[proxy]") {
  Pool pool(1000);
  pool.Put(66);
  CHECK_FALSE(pool.Open(0));
  CHECK_FALSE(pool.Open(1));
  for (size_t i = 2; i < 66; ++i) CHECK(pool.Open(i));
  size_t kept = 0;
  while (pool.Take() != nullptr) ++kept;
  CHECK(kept == 64);
}

}  // namespace
}  // namespace carme::testing
