#include <catch2/catch.hpp>
#include <memory>
#include <string>

#include "backend/audit/audit_log.h"
#include "backend/jobs/feeds/routes.h"
#include "backend/rpc/server/proxy_connections.h"
#include "backend/rpc/server/stream_dispatcher.h"
#include "backend/rpc/services/services.h"
#include "carme/v1/routes.grpc.pb.h"
#include "tests/backend/rpc/job_calls.h"
#include "tests/support/grpc_status_matchers.h"

namespace carme::backend {
namespace {

TEST_CASE("route service: everything first, then changes and revocations",
          "[backend]") {
  JobCalls world;
  const Job job = world.Registered();
  world.Serve(
      NewRouteService(world.routes_.get(),
                      {std::string(32, 'k'), "job CA", std::string(32, 'c')},
                      &world.dispatcher_, world.audit_.get()),
      "routes");
  const auto stub = v1::RouteService::NewStub(
      world.server_->Connect(Port::kClients, "URI:carme://proxy/dmz"));
  CallBy call("");
  const auto stream = stub->WatchRoutes(&call, {});
  v1::WatchRoutesResponse message;
  REQUIRE(stream->Read(&message));
  CHECK(message.snapshot());
  CHECK(message.keys().ticket_public_key() == std::string(32, 'k'));
  CHECK(message.keys().job_ca_pem() == "job CA");
  CHECK(message.keys().cookie_key() == std::string(32, 'c'));
  REQUIRE(message.routes_size() == 1);
  CHECK(message.routes(0).job_id() == job.id.value());
  CHECK(message.routes(0).address() == "127.0.0.1");
  CHECK(message.routes(0).port() == 34000);

  world.routes_->Revoke({SessionId("s"), world.clock_.Now() + absl::Hours(1)});
  REQUIRE(stream->Read(&message));
  CHECK_FALSE(message.snapshot());
  REQUIRE(message.revoked_sessions_size() == 1);
  CHECK(message.revoked_sessions(0).session_id() == "s");

  // An agent that dials to the proxies has no port.
  world.routes_->Set(JobId("z23456789abcdefg"), {"127.0.0.2", kDialsOut});
  REQUIRE(stream->Read(&message));
  REQUIRE(message.routes_size() == 1);
  CHECK(message.routes(0).address() == "127.0.0.2");
  CHECK(message.routes(0).port() == 0);

  REQUIRE_THAT(world.jobs_->Stop(world.ada_, job.id, "r"), IsOk());
  REQUIRE(stream->Read(&message));
  REQUIRE(message.removed_size() == 1);
  CHECK(message.removed(0) == job.id.value());
}

TEST_CASE("route service: stops with the backend", "[backend]") {
  JobCalls world;
  world.Serve(NewRouteService(world.routes_.get(), {}, &world.dispatcher_,
                              world.audit_.get()),
              "routes");
  const auto stub = v1::RouteService::NewStub(
      world.server_->Connect(Port::kClients, "URI:carme://proxy/dmz"));
  CallBy call("");
  const auto stream = stub->WatchRoutes(&call, {});
  v1::WatchRoutesResponse message;
  REQUIRE(stream->Read(&message));
  world.dispatcher_.EndAll(absl::UnavailableError("the backend stops"));
  CHECK_FALSE(stream->Read(&message));
  CHECK_THAT(stream->Finish(), StatusIs(grpc::StatusCode::UNAVAILABLE));
}

}  // namespace
}  // namespace carme::backend
