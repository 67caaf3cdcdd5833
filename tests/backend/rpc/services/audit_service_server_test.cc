#include <atomic>
#include <catch2/catch.hpp>
#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "backend/audit/audit_log.h"
#include "backend/identity/session.h"
#include "backend/rpc/services/services.h"
#include "backend/store/database.h"
#include "carme/v1/audit.grpc.pb.h"
#include "tests/backend/audit/audit_world.h"
#include "tests/backend/rpc/guarded_server.h"
#include "tests/support/grpc_status_matchers.h"
#include "tests/support/wait_for.h"

namespace carme::backend {
namespace {

constexpr int kEntries = 1200;  // more than a piece, and than a message
constexpr char kMachine[] = "carme://frontend/dmz";
constexpr char kFrontend[] = "DNS:carme-frontend,URI:carme://frontend/dmz";

class CarolsCall : public grpc::ClientContext {
 public:
  CarolsCall() {
    AddMetadata("carme-session", "token-of-carol");
    AddMetadata("carme-client-address", "192.0.2.7");
    AddMetadata("carme-request-id", "request-1");
    set_deadline(absl::ToChronoTime(absl::Now() + testing::kWaitTimeout));
  }
};

// Carol's session, or her access token, until the test ends it.
class RevocableSessions : public FixedSessions {
 public:
  absl::StatusOr<Session> Authenticate(std::string_view token,
                                       std::string_view address) override {
    const bool is_token = token == kAccessToken;
    absl::StatusOr<Session> session = FixedSessions::Authenticate(
        is_token ? "token-of-carol" : token, address);
    if (session.ok() && is_token) session->scopes = {"audit:read"};
    return session;
  }
  bool IsLive(const SessionId&) override { return live_; }
  void Revoke() { live_ = false; }

  static constexpr char kAccessToken[] = "access-token-of-carol";

 private:
  std::atomic<bool> live_ = true;
};

// A log of `entries`, every hundredth a refusal of eve.
class Served : public AuditWorld {
 public:
  explicit Served(int entries = kEntries, const std::string& result = "ok") {
    for (int i = 1; i <= entries; ++i) {
      AuditEvent event = Allowed("submit");
      event.result = result;
      if (i % 100 == 0) event = Refused("eve", "192.0.2.9");
      event.subject = "job" + std::to_string(i);
      const AuditLog::Ticket entry = log->Record(event);
      // Less than what makes the log refuse to take more.
      if (i % 2000 == 0) REQUIRE_THAT(log->Wait(entry), IsOk());
    }
    Restart();
    server_ = std::make_unique<GuardedServer>(
        &sessions_, NewAuditService({database.get(), log.get(), &sessions_}),
        "audit");
    stub_ =
        v1::AuditService::NewStub(server_->Connect(Port::kClients, kFrontend));
  }
  v1::ListAuditResponse List(const v1::ListAuditRequest& request) {
    CarolsCall call;
    v1::ListAuditResponse response;
    REQUIRE_THAT(stub_->ListAudit(&call, request, &response), IsOk());
    return response;
  }
  v1::VerifyAuditResponse Verify() {
    CarolsCall call;
    v1::VerifyAuditResponse response;
    REQUIRE_THAT(stub_->VerifyAudit(&call, {}, &response), IsOk());
    return response;
  }
  void Forge(const std::string& sql) {
    REQUIRE_THAT(RunSql(database.get(), "DROP TRIGGER audit_keeps"), IsOk());
    REQUIRE_THAT(RunSql(database.get(), "DROP TRIGGER audit_grows"), IsOk());
    REQUIRE_THAT(RunSql(database.get(), sql), IsOk());
  }

  RevocableSessions sessions_;
  std::unique_ptr<GuardedServer> server_;
  std::unique_ptr<v1::AuditService::Stub> stub_;
};

TEST_CASE("audit service: is not for users", "[backend]") {
  Served served;
  const auto channel = served.server_->Connect(Port::kClients, kFrontend);
  for (const char* rpc : {"ListAudit", "ExportAudit", "VerifyAudit"}) {
    const std::string path = std::string("/carme.v1.AuditService/") + rpc;
    CHECK_THAT(Call(channel, path, {{"carme-session", "token-of-ada"}}),
               StatusIs(grpc::StatusCode::PERMISSION_DENIED));
    CHECK_THAT(Call(channel, path),
               StatusIs(grpc::StatusCode::UNAUTHENTICATED));
  }
}

TEST_CASE("audit service: a request that makes no sense is refused",
          "[backend]") {
  Served served;
  v1::ListAuditRequest size;
  size.set_page_size(501);
  v1::ListAuditRequest token;
  token.set_page_token("-1");
  v1::ListAuditRequest decision;
  decision.mutable_filter()->set_decision("maybe");
  for (const auto& request : {size, token, decision}) {
    CarolsCall call;
    v1::ListAuditResponse response;
    CHECK_THAT(served.stub_->ListAudit(&call, request, &response),
               StatusIs(grpc::StatusCode::INVALID_ARGUMENT));
  }
}

TEST_CASE("audit service: pages go to the first entry, without a gap",
          "[backend]") {
  Served served;
  v1::ListAuditRequest request;
  request.set_page_size(500);
  int64_t expected = kEntries;
  while (true) {
    const v1::ListAuditResponse page = served.List(request);
    for (const v1::AuditEntry& entry : page.entries()) {
      CHECK(entry.sequence() == expected--);
    }
    if (page.next_page_token().empty()) break;
    request.set_page_token(page.next_page_token());
  }
  CHECK(expected == 0);
}

TEST_CASE("audit service: a filter pages, too", "[backend]") {
  Served served;
  v1::ListAuditRequest request;
  request.mutable_filter()->set_actor("eve");
  request.set_page_size(5);
  v1::ListAuditResponse page = served.List(request);
  REQUIRE(page.entries_size() == 5);
  CHECK(page.entries(0).sequence() == 1200);
  CHECK(page.entries(0).decision() == "refuse");
  CHECK(page.entries(0).source() == "192.0.2.9");
  REQUIRE_FALSE(page.next_page_token().empty());
  request.set_page_token(page.next_page_token());
  request.set_page_size(500);
  page = served.List(request);
  CHECK(page.entries_size() == 7);
  CHECK(page.next_page_token().empty());
}

TEST_CASE("audit service: exports the oldest first and records it",
          "[backend]") {
  Served served;
  CarolsCall call;
  const auto stream = served.stub_->ExportAudit(&call, {});
  v1::ExportAuditResponse message;
  int64_t expected = 1;
  while (stream->Read(&message)) {
    CHECK(message.entries_size() <= 200);
    for (const v1::AuditEntry& entry : message.entries()) {
      CHECK(entry.sequence() == expected++);
    }
  }
  CHECK_THAT(stream->Finish(), IsOk());
  CHECK(expected == kEntries + 1);
  served.Restart();
  const auto entry = served.log->Head().sequence;
  CHECK(entry == kEntries + 1);
  const auto last = ReadPiece(served.database.get(), {},
                              AuditOrder::kNewestFirst, kNewest, 1);
  CHECK(last->entries.at(0).act == "export-audit");
  CHECK(last->entries.at(0).actor == "carol");
  CHECK(last->entries.at(0).source == "192.0.2.7");
  CHECK(last->entries.at(0).request_id == "request-1");
  CHECK(last->entries.at(0).machine == kMachine);
}

TEST_CASE("audit service: a stalled export uses little memory", "[backend]") {
  Served served;
  {
    CarolsCall call;
    const auto stream = served.stub_->ExportAudit(&call, {});
    v1::ExportAuditResponse message;
    REQUIRE(stream->Read(&message));
    call.TryCancel();
    CHECK_THAT(stream->Finish(), StatusIs(grpc::StatusCode::CANCELLED));
  }
  CHECK(served.Verify().good());  // its place is free again
}

TEST_CASE(
    "audit service: an export ends with the session or the access token that "
    "asked for it",
    "[backend]") {
  // 5 MB, far more than a connection's windows and buffers hold.
  constexpr int kMany = 8000;
  const bool by_token = GENERATE(false, true);
  INFO((by_token ? "access token" : "session"));
  Served served(kMany, std::string(300, 'x'));
  grpc::ClientContext call;
  call.AddMetadata(
      by_token ? "carme-token" : "carme-session",
      by_token ? RevocableSessions::kAccessToken : "token-of-carol");
  call.set_deadline(absl::ToChronoTime(absl::Now() + testing::kWaitTimeout));
  const auto stream = served.stub_->ExportAudit(&call, {});
  v1::ExportAuditResponse message;
  REQUIRE(stream->Read(&message));
  served.sessions_.Revoke();
  int read = message.entries_size();
  while (stream->Read(&message)) read += message.entries_size();
  CHECK_THAT(stream->Finish(), StatusIs(grpc::StatusCode::UNAUTHENTICATED));
  CHECK(read < kMany / 2);
}

TEST_CASE("audit service: verifies, and names the entry that was changed",
          "[backend]") {
  Served served;
  v1::VerifyAuditResponse answer = served.Verify();
  CHECK(answer.good());
  CHECK(answer.entries() >= kEntries);
  CHECK(answer.broken_at() == 0);
  CHECK(answer.head().size() == 32);
  served.Forge("UPDATE audit SET actor = 'bob' WHERE sequence = 700");
  answer = served.Verify();
  CHECK_FALSE(answer.good());
  CHECK(answer.broken_at() == 700);
  CHECK(answer.entries() == 699);
}

TEST_CASE("audit service: detects truncated entries", "[backend]") {
  Served served;
  served.Forge("DELETE FROM audit WHERE sequence > 1190");
  const v1::VerifyAuditResponse answer = served.Verify();
  CHECK_FALSE(answer.good());
  CHECK(answer.broken_at() == 1191);
}

}  // namespace
}  // namespace carme::backend
