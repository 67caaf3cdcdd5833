// Every refusal is in the audit log, for each reason: one test a
// kind, over real TLS. What the services themselves refuse is in their tests.
#include <algorithm>
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "backend/identity/session/messages.h"
#include "backend/rpc/access/audit_event.h"
#include "common/grpc/grpc_log.h"
#include "common/grpc/grpc_status.h"
#include "common/protobuf/error_details.h"
#include "common/protobuf/message_error.h"
#include "tests/backend/audit/audit_world.h"
#include "tests/backend/rpc/guarded_server.h"
#include "tests/support/grpc_status_matchers.h"

namespace carme::backend {
namespace {

constexpr char kJobs[] = "/carme.v1.JobService/ListJobs";
constexpr char kTokens[] = "/carme.v1.AccountService/CreateToken";

class BadDaySessions : public FixedSessions {
 public:
  absl::StatusOr<Session> Authenticate(std::string_view token,
                                       std::string_view address) override {
    if (token == "token-of-away") {
      return MakeError(session_messages::kDirectoryUnavailable);
    }
    absl::StatusOr<Session> session =
        FixedSessions::Authenticate(token, address);
    if (session.ok()) session->reauthenticated_until = absl::InfinitePast();
    return session;
  }
};

class Site {
 public:
  grpc::Status CallWith(const std::string& path, CallMetadata metadata = {}) {
    metadata.emplace_back("carme-client-address", "192.0.2.7");
    metadata.emplace_back("carme-request-id", "request-1");
    return Call(frontend_, path, metadata);
  }
  // All entries so far, after those of before.
  std::vector<AuditEntry> Entries() {
    REQUIRE_THAT(server_.audit().RecordNow(Allowed("mark")), IsOk());
    std::vector<AuditEntry> entries =
        ReadPiece(server_.database(), {}, AuditOrder::kOldestFirst, kOldest)
            ->entries;
    std::erase_if(entries, [](const auto& row) { return row.act == "mark"; });
    return entries;
  }
  AuditEntry Only() {
    const std::vector<AuditEntry> entries = Entries();
    REQUIRE(entries.size() == 1);
    CHECK(entries[0].decision == "refuse");
    return entries[0];
  }

  BadDaySessions sessions_;
  GuardedServer server_{&sessions_};
  std::shared_ptr<grpc::Channel> frontend_ =
      server_.Connect(Port::kClients, kFrontendNames);
};

TEST_CASE("refusals: a call without a token is recorded", "[backend]") {
  Site site;
  site.CallWith(kJobs);
  const AuditEntry entry = site.Only();
  CHECK(entry.act == "call");
  CHECK(entry.subject == kJobs);
  CHECK(entry.result == "UNAUTHENTICATED: not logged in");
  CHECK(entry.source == "192.0.2.7");
  CHECK(entry.machine == "carme://frontend/dmz");
  CHECK(entry.request_id == "request-1");
  CHECK(entry.actor.empty());
}

TEST_CASE("refusals: an invalid or expired token is recorded", "[backend]") {
  for (const char* key : {"carme-session", "carme-token"}) {
    Site site;
    site.CallWith(kJobs, {{key, "guessed"}});
    const AuditEntry entry = site.Only();
    CHECK(entry.result == "UNAUTHENTICATED: no such token");
    CHECK(entry.source == "192.0.2.7");
  }
}

TEST_CASE("refusals: a factor that is not fresh is recorded", "[backend]") {
  Site site;
  const CallMetadata ada = {{"carme-session", "token-of-ada"}};
  CHECK_THAT(site.CallWith(kTokens, ada),
             StatusIs(grpc::StatusCode::FAILED_PRECONDITION));
  const AuditEntry entry = site.Only();
  CHECK(entry.actor == "ada");
  CHECK(entry.actor_uid == 20001);
  CHECK(entry.session_id == "session-of-ada");
  CHECK(entry.subject == kTokens);
  CHECK(entry.result.find("FAILED_PRECONDITION: confirm your second factor") ==
        0);
}

TEST_CASE("refusals: an unavailable directory is recorded", "[backend]") {
  Site site;
  const grpc::Status refused =
      site.CallWith(kJobs, {{"carme-session", "token-of-away"}});
  CHECK(site.Only().result ==
        "UNAVAILABLE: the directory is not available; try again in a moment");
  // Without a reason the frontend hides the message.
  CHECK(ErrorReason(FromGrpc(refused)).empty());
}

TEST_CASE("refusals: a role that may not is recorded", "[backend]") {
  Site site;
  site.CallWith("/carme.v1.AdminService/ListUsers",
                {{"carme-session", "token-of-ada"}});
  const AuditEntry entry = site.Only();
  CHECK(entry.actor == "ada");
  CHECK(entry.result.find("PERMISSION_DENIED: only support") == 0);
}

TEST_CASE("refusals: another machine's certificate is recorded", "[backend]") {
  Site site;
  Call(site.server_.Connect(Port::kClients, "URI:carme://frontend/other"),
       kJobs,
       {{"carme-session", "token-of-ada"},
        {"carme-client-address", "192.0.2.7"}});
  const AuditEntry entry = site.Only();
  CHECK(entry.machine == "carme://frontend/other");
  CHECK(entry.result.find("not one of ours") != std::string::npos);
  // The user that an unauthenticated client names is ignored.
  CHECK(entry.source.empty());
  CHECK(entry.actor.empty());
}

TEST_CASE("refusals: at the agents' port all but agents' calls are recorded",
          "[backend]") {
  Site site;
  Call(site.server_.Connect(Port::kAgents, ""), kJobs,
       {{"carme-session", "token-of-ada"}});
  const AuditEntry entry = site.Only();
  CHECK(entry.subject == kJobs);
  CHECK(entry.result ==
        "PERMISSION_DENIED: this machine is not allowed to call this method");
  CHECK(entry.actor.empty());
}

TEST_CASE("refusals: a handshake that fails is recorded with its reason",
          "[backend]") {
  Site site;
  const FailedHandshakes handshakes([&](std::string_view why) {
    site.server_.audit().Record(HandshakeRefusal(why));
  });
  Call(site.server_.Connect(Port::kClients, ""), kJobs);
  const std::vector<AuditEntry> entries = site.Entries();
  REQUIRE_FALSE(entries.empty());
  CHECK(entries[0].act == "handshake");
  CHECK(entries[0].decision == "refuse");
  CHECK(entries[0].result ==
        "UNAUTHENTICATED: peer did not return a certificate");
}

TEST_CASE("refusals: a foreign authority's certificate is recorded",
          "[backend]") {
  Site site;
  const FailedHandshakes handshakes([&](std::string_view why) {
    site.server_.audit().Record(HandshakeRefusal(why));
  });
  TestAuthority foreign;
  const IssuedCertificate own = foreign.Issue("client", kFrontendNames);
  Call(site.server_.ConnectWith(Port::kClients, own.certificate_file,
                                own.key_file),
       kJobs);
  const std::vector<AuditEntry> entries = site.Entries();
  CHECK(std::any_of(entries.begin(), entries.end(), [](const auto& entry) {
    return entry.result == "UNAUTHENTICATED: certificate verify failed";
  }));
}

TEST_CASE("refusals: a flood of unauthenticated calls leaves few entries",
          "[backend]") {
  Site site;
  for (int i = 0; i < 300; ++i) {
    Call(site.frontend_, kJobs,
         {{"carme-client-address", "192.0.2." + std::to_string(i % 250)},
          {"carme-session", "guess" + std::to_string(i)}});
  }
  site.CallWith("/carme.v1.AdminService/ListUsers",
                {{"carme-session", "token-of-ada"}});
  site.server_.audit().Record(Refused("bob", "192.0.2.1"));
  const std::vector<AuditEntry> entries = site.Entries();
  CHECK(entries.size() <= EventFolder::kSlotsPerAct + 3);
  CHECK(entries[entries.size() - 2].actor == "ada");
  CHECK(entries.back().actor == "bob");
}

}  // namespace
}  // namespace carme::backend
