#include "frontend/gateway/connect_error.h"

#include <catch2/catch.hpp>
#include <string>

#include "carme/v1/text_code.pb.h"
#include "common/grpc/grpc_status.h"
#include "common/protobuf/error_details.h"
#include "common/protobuf/message_error.h"
#include "frontend/backend/backend_failure.h"
#include "google/rpc/error_details.pb.h"

namespace carme::frontend {
namespace {

TEST_CASE("error: has code, message and request id as JSON", "[frontend]") {
  CHECK(ErrorJson(absl::PermissionDeniedError("user \"ada\"\n"), "r-1") ==
        R"({"code":"permission_denied","message":"user \"ada\"\u000a",)"
        R"("requestId":"r-1"})");
}

TEST_CASE("error: sends the code of its text as an object", "[frontend]") {
  v1::TextCode code;
  code.set_code("DISK_FULL");
  absl::Status status = absl::InvalidArgumentError("a fault");
  SetErrorDetail(code, &status);
  const std::string json = ErrorJson(FromGrpc(ToGrpc(status)), "r-1");
  CHECK(json.find(R"("type":"carme.v1.TextCode")") != std::string::npos);
  CHECK(json.find(R"("debug":{"code":"DISK_FULL"})") != std::string::npos);
}

TEST_CASE("error: sends no other details, and these as objects", "[frontend]") {
  google::rpc::BadRequest request;
  auto* row = request.add_field_violations();
  row->set_field("spec.nodes");
  row->set_description("nodes is 9: expected at most 4");
  absl::Status status = absl::InvalidArgumentError("a fault");
  SetErrorDetail(request, &status);
  SetErrorInfo("SPEC_INVALID", {{"limit", "max_nodes"}}, &status);
  status.SetPayload("carme/unclear", absl::Cord("secret"));
  status.SetPayload("type.googleapis.com/carme.v1.Job", absl::Cord("secret"));
  // As received from the backend.
  const absl::Status carried = FromGrpc(ToGrpc(status));
  CHECK_FALSE(carried.GetPayload("carme/unclear"));
  const std::string json = ErrorJson(carried, "r-1");
  CHECK(json.find("secret") == std::string::npos);
  CHECK(json.find(R"("details":[{"type":"google.rpc.BadRequest","value":")") !=
        std::string::npos);
  CHECK(json.find(R"("debug":{"fieldViolations":[{"field":"spec.nodes",)"
                  R"("description":"nodes is 9: expected at most 4"}]}})") !=
        std::string::npos);
  CHECK(json.find(R"("reason":"SPEC_INVALID","domain":"carme",)"
                  R"("metadata":{"limit":"max_nodes"}})") != std::string::npos);
}

TEST_CASE("error: omits details that do not fit into a trailer", "[frontend]") {
  google::rpc::BadRequest request;
  request.add_field_violations()->set_description(std::string(4000, 'x'));
  absl::Status status = absl::InvalidArgumentError("a fault");
  SetErrorDetail(request, &status);
  CHECK(ToGrpc(status).error_details().empty());
  CHECK(FromGrpc(ToGrpc(status)).message() == "a fault");
  // A small one stays beside it, whichever comes first.
  SetErrorInfo("SPEC_INVALID", {}, &status);
  CHECK(ErrorReason(FromGrpc(ToGrpc(status))) == "SPEC_INVALID");
  CHECK(
      FromGrpc(grpc::Status(grpc::StatusCode::NOT_FOUND, "a", "not a message"))
          .message() == "a");
}

TEST_CASE("error: every code has its HTTP status", "[frontend]") {
  struct Row {
    absl::StatusCode code;
    int http;
    const char* name;
  };
  const Row rows[] = {
      {absl::StatusCode::kInvalidArgument, 400, "invalid_argument"},
      {absl::StatusCode::kUnauthenticated, 401, "unauthenticated"},
      {absl::StatusCode::kPermissionDenied, 403, "permission_denied"},
      {absl::StatusCode::kNotFound, 404, "not_found"},
      {absl::StatusCode::kFailedPrecondition, 400, "failed_precondition"},
      {absl::StatusCode::kResourceExhausted, 429, "resource_exhausted"},
      {absl::StatusCode::kInternal, 500, "internal"},
      {absl::StatusCode::kUnavailable, 503, "unavailable"},
      {absl::StatusCode::kDeadlineExceeded, 504, "deadline_exceeded"},
  };
  for (const Row& row : rows) {
    const HttpResponse response =
        ErrorResponse(absl::Status(row.code, "m"), "r");
    CAPTURE(row.name);
    CHECK(response.status == row.http);
    CHECK(response.body == std::string("{\"code\":\"") + row.name +
                               "\",\"message\":\"m\",\"requestId\":\"r\"}");
  }
}

TEST_CASE("error: errors of HTTP have their own status", "[frontend]") {
  for (const int status :
       {400, 403, 404, 405, 408, 411, 413, 415, 417, 421, 431, 505}) {
    CHECK(ErrorResponse(HttpError{status, "m"}, "r").status == status);
  }
}

TEST_CASE("error: a stream's is in its last envelope", "[frontend]") {
  CHECK(EndOfStream(absl::OkStatus(), "r") == std::string("\2\0\0\0\2{}", 7));
  const std::string end = EndOfStream(absl::UnavailableError("m"), "r");
  CHECK(end[0] == '\2');
  CHECK(end.substr(5) ==
        R"({"error":{"code":"unavailable","message":"m","requestId":"r"}})");
}

TEST_CASE("failure: shows only messages that the backend wrote", "[frontend]") {
  using grpc::StatusCode;
  const auto shown = [](StatusCode code, bool from_backend) {
    const absl::Status safe =
        SafeStatus(grpc::Status(code, "ipv4:10.0.0.1: secret"), from_backend);
    return std::string(ConnectCodeName(safe.code())) + ": " +
           std::string(safe.message());
  };
  const std::string away =
      "unavailable: Carme's backend cannot be reached; try again";
  const std::string inside = "internal: something went wrong inside Carme";
  CHECK(shown(StatusCode::UNAVAILABLE, false) == away);
  CHECK(shown(StatusCode::UNAVAILABLE, true) ==
        "unavailable: ipv4:10.0.0.1: secret");
  CHECK(shown(StatusCode::NOT_FOUND, true) ==
        "not_found: ipv4:10.0.0.1: secret");
  CHECK(shown(StatusCode::DEADLINE_EXCEEDED, false) ==
        "deadline_exceeded: Carme's backend did not answer in time; try again");
  CHECK(shown(StatusCode::RESOURCE_EXHAUSTED, false) == inside);
  for (const StatusCode code :
       {StatusCode::INTERNAL, StatusCode::UNKNOWN, StatusCode::DATA_LOSS}) {
    CHECK(shown(code, true) == inside);
    CHECK(shown(code, false) == inside);
  }
}

TEST_CASE("failure: an rpc that the backend lacks names the older backend",
          "[frontend]") {
  const absl::Status of_grpc =
      SafeStatus(grpc::Status(grpc::StatusCode::UNIMPLEMENTED, ""), false);
  const absl::Status of_access_check =
      SafeStatus(ToGrpc(MakeError({absl::StatusCode::kPermissionDenied,
                                   "METHOD_UNKNOWN", "no such rpc"})),
                 true);
  for (const absl::Status& status : {of_grpc, of_access_check}) {
    CHECK(absl::IsUnimplemented(status));
    CHECK(status.message() ==
          "Carme's backend is older than this portal and cannot do this yet; "
          "an administrator must update carme-backend");
  }
}

}  // namespace
}  // namespace carme::frontend
