#include <catch2/catch.hpp>
#include <memory>
#include <string>

#include "backend/logs/service_log.h"
#include "backend/rpc/services/services.h"
#include "carme/v1/log.grpc.pb.h"
#include "tests/backend/rpc/account_site.h"
#include "tests/support/grpc_status_matchers.h"

namespace carme::backend {
namespace {

using Code = grpc::StatusCode;

class LogServiceSite : public AccountSite {
 public:
  LogServiceSite() {
    ServiceMap services;
    services["log"] = NewLogService(&logs_);
    Serve(std::move(services));
    stub_ = v1::LogService::NewStub(AsFrontend());
  }
  Code List(const std::string& token,
            const v1::ListLogEntriesRequest& request) {
    CallWith call(token);
    page_.Clear();
    return stub_->ListLogEntries(&call, request, &page_).error_code();
  }

  Code Report(const v1::ReportLogEntriesRequest& request) {
    grpc::ClientContext call;
    v1::ReportLogEntriesResponse response;
    return stub_->ReportFrontendLog(&call, request, &response).error_code();
  }

  ServiceLog logs_{database_.get(), &clock_, {}};
  std::unique_ptr<v1::LogService::Stub> stub_;
  v1::ListLogEntriesResponse page_;
};

TEST_CASE("log service: refuses users and invalid requests", "[rpc]") {
  LogServiceSite site;
  const std::string carol = site.LogIn("carol").token;
  CHECK(site.List(site.LogIn("ada").token, {}) == Code::PERMISSION_DENIED);
  v1::ListLogEntriesRequest request;
  request.set_page_size(501);
  CHECK(site.List(carol, request) == Code::INVALID_ARGUMENT);
  request.Clear();
  request.set_page_token("x");
  CHECK(site.List(carol, request) == Code::INVALID_ARGUMENT);
  request.Clear();
  request.mutable_filter()->set_node(std::string(256, 'n'));
  CHECK(site.List(carol, request) == Code::INVALID_ARGUMENT);
  request.Clear();
  request.mutable_filter()->mutable_since()->set_seconds(INT64_MAX);
  CHECK(site.List(carol, request) == Code::INVALID_ARGUMENT);
}

TEST_CASE("log service: a program in the DMZ cannot imitate another", "[rpc]") {
  LogServiceSite site;
  const std::string carol = site.LogIn("carol").token;
  v1::ReportLogEntriesRequest report;
  v1::ReportedLogEntry* const entry = report.add_entries();
  entry->set_severity(v1::LOG_SEVERITY_WARNING);
  entry->set_message("no response\n\x1b[2J");
  entry->set_node("n1");
  entry->set_request_id("4bf92f3577b34da6");
  entry->set_age_s(70);
  REQUIRE(site.Report(report) == Code::OK);
  REQUIRE_THAT(site.logs_.Flush(), IsOk());
  v1::ListLogEntriesRequest request;
  request.mutable_filter()->set_request_id("4bf92f3577b34da6");
  REQUIRE(site.List(carol, request) == Code::OK);
  REQUIRE(site.page_.entries_size() == 1);
  const v1::LogEntry& listed = site.page_.entries(0);
  CHECK(listed.service() == "carme-frontend");
  CHECK(listed.node() == "127.0.0.1");
  CHECK(listed.severity() == v1::LOG_SEVERITY_WARNING);
  CHECK(listed.message() == "70 s before this time: no response??[2J");
}

TEST_CASE("log service: shows success of a request, or on demand", "[rpc]") {
  LogServiceSite site;
  const std::string carol = site.LogIn("carol").token;
  site.logs_.Append({.source = "success:carme-impersonator:ada",
                     .severity = v1::LOG_SEVERITY_INFO,
                     .service = "carme-impersonator",
                     .request_id = "r1",
                     .message = "operation done"});
  REQUIRE_THAT(site.logs_.Flush(), IsOk());
  v1::ListLogEntriesRequest request;
  REQUIRE(site.List(carol, request) == Code::OK);
  CHECK(site.page_.entries_size() == 0);
  request.mutable_filter()->set_min_severity(v1::LOG_SEVERITY_INFO);
  REQUIRE(site.List(carol, request) == Code::OK);
  CHECK(site.page_.entries_size() == 1);
  request.Clear();
  request.mutable_filter()->set_request_id("r1");
  REQUIRE(site.List(carol, request) == Code::OK);
  CHECK(site.page_.entries_size() == 1);
}

TEST_CASE("log service: refuses a report with too many entries", "[rpc]") {
  LogServiceSite site;
  v1::ReportLogEntriesRequest report;
  for (int i = 0; i < 101; ++i) report.add_entries()->set_message("failed");
  CHECK(site.Report(report) == Code::INVALID_ARGUMENT);
}

TEST_CASE("log service: lists by job, node and program, page by page",
          "[rpc]") {
  LogServiceSite site;
  const std::string carol = site.LogIn("carol").token;
  for (const char* node : {"n1", "n2", "n1"}) {
    site.logs_.Append({.source = std::string("node:") + node,
                       .service = "carme-epilog",
                       .node = node,
                       .slurm_job_id = 17,
                       .message = "failed"});
  }
  REQUIRE_THAT(site.logs_.Flush(), IsOk());
  v1::ListLogEntriesRequest request;
  request.mutable_filter()->set_node("n1");
  request.set_page_size(1);
  REQUIRE(site.List(carol, request) == Code::OK);
  REQUIRE(site.page_.entries_size() == 1);
  CHECK(site.page_.entries(0).sequence() == 3);
  CHECK(site.page_.entries(0).message() == "failed");
  request.set_page_token(site.page_.next_page_token());
  REQUIRE(site.List(carol, request) == Code::OK);
  REQUIRE(site.page_.entries_size() == 1);
  CHECK(site.page_.entries(0).sequence() == 1);
  CHECK(site.page_.next_page_token().empty());
  request.Clear();
  request.mutable_filter()->set_job("17");
  request.mutable_filter()->set_service("carme-epilog");
  REQUIRE(site.List(carol, request) == Code::OK);
  CHECK(site.page_.entries_size() == 3);
  request.mutable_filter()->set_service("carme-prolog");
  REQUIRE(site.List(carol, request) == Code::OK);
  CHECK(site.page_.entries_size() == 0);
}

}  // namespace
}  // namespace carme::backend
