#include "frontend/gateway/method_table.h"

#include <google/protobuf/descriptor.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "carme/v1/access.pb.h"
#include "common/file.h"
#include "frontend/gateway/portal_services.h"
#include "tests/support/status_matchers.h"

namespace carme::frontend {
namespace {

using google::protobuf::MethodDescriptor;

std::vector<const MethodDescriptor*> EveryRpc() {
  std::vector<const MethodDescriptor*> rpcs;
  for (const auto* file : PortalServiceFiles()) {
    for (int i = 0; i < file->service_count(); ++i) {
      for (int j = 0; j < file->service(i)->method_count(); ++j) {
        rpcs.push_back(file->service(i)->method(j));
      }
    }
  }
  return rpcs;
}

// A service with one rpc whose options are `options`.
absl::Status ErrorOf(const std::string& options, bool client_streams = false) {
  google::protobuf::FileDescriptorProto file;
  file.set_name("test_" + options + ".proto");
  file.set_package("test");
  file.add_dependency("carme/v1/access.proto");
  file.add_message_type()->set_name("M");
  auto* service = file.add_service();
  service->set_name("S");
  auto* rpc = service->add_method();
  rpc->set_name("R");
  rpc->set_input_type(".test.M");
  rpc->set_output_type(".test.M");
  rpc->set_client_streaming(client_streams);
  v1::Access* access = rpc->mutable_options()->MutableExtension(v1::access);
  if (options == "none") rpc->mutable_options()->ClearExtension(v1::access);
  if (options == "proxy") access->set_caller(v1::CALLER_PROXY);
  if (options == "agent") access->set_caller(v1::CALLER_AGENT);
  if (options == "backend") access->set_caller(v1::CALLER_BACKEND);
  if (options == "job") access->set_caller(v1::CALLER_JOB);
  if (options == "metrics") access->set_caller(v1::CALLER_METRICS);
  if (options == "user") access->set_caller(v1::CALLER_USER);
  if (options != "none") access->set_browser(true);
  google::protobuf::DescriptorPool pool(
      google::protobuf::DescriptorPool::generated_pool());
  return MethodTable::New({pool.BuildFile(file)}).status();
}

TEST_CASE("method table: refuses an rpc without the access option",
          "[frontend]") {
  CHECK(std::string(ErrorOf("none").message()) ==
        "rpc \"test.S.R\" has no option (access)");
}

TEST_CASE("method table: refuses browsers for rpcs between programs",
          "[frontend]") {
  CHECK_FALSE(ErrorOf("proxy").ok());
  CHECK_FALSE(ErrorOf("agent").ok());
  CHECK_FALSE(ErrorOf("backend").ok());
  CHECK_FALSE(ErrorOf("job").ok());
  CHECK_FALSE(ErrorOf("metrics").ok());
  CHECK_FALSE(ErrorOf("user", true).ok());
}

TEST_CASE("method table: has only the rpcs for browsers", "[frontend]") {
  const auto table = MethodTable::New(PortalServiceFiles());
  REQUIRE_THAT(table, IsOk());
  size_t for_browsers = 0;
  for (const MethodDescriptor* rpc : EveryRpc()) {
    CAPTURE(rpc->full_name());
    const v1::Access& access = rpc->options().GetExtension(v1::access);
    const Method* method =
        table->Find("/" + rpc->service()->full_name() + "/" + rpc->name());
    REQUIRE((method != nullptr) == access.browser());
    if (method == nullptr) continue;
    ++for_browsers;
    CHECK(method->streams == rpc->server_streaming());
    CHECK(method->ends_session == access.ends_session());
    CHECK(method->identity == access.identity());
    // Only the identity backend may set or delete the cookie.
    if (method->ends_session) CHECK(method->identity);
    CHECK(method->needs_session == (access.caller() != v1::CALLER_PUBLIC));
  }
  CHECK(table->size() == for_browsers);
}

TEST_CASE("method table: a method reads if it is unary and sets no cookie",
          "[frontend]") {
  const auto table = MethodTable::New(PortalServiceFiles());
  for (const char* path :
       {"AuthService/Login", "AuthService/VerifyFactor", "AuthService/Logout",
        "JobService/SubmitJob", "JobService/PreviewJob", "JobService/WatchJobs",
        "JobService/OpenApp", "JobLogService/FollowLog",
        "MetricsService/GetJobMetrics"}) {
    CAPTURE(path);
    const Method* method = table->Find(std::string("/carme.v1.") + path);
    REQUIRE(method != nullptr);
    CHECK_FALSE(method->reads);
  }
  for (const MethodDescriptor* rpc : EveryRpc()) {
    const Method* method =
        table->Find("/" + rpc->service()->full_name() + "/" + rpc->name());
    if (method == nullptr || !method->reads) continue;
    CAPTURE(rpc->full_name());
    const std::string& name = rpc->name();
    CHECK((name.starts_with("Get") || name.starts_with("List")));
    CHECK_FALSE(method->streams);
    CHECK_FALSE(method->ends_session);
  }
  CHECK(table->Find("/carme.v1.AuthService/GetSession")->reads);
  CHECK(table->Find("/carme.v1.JobService/ListJobs")->reads);
}

TEST_CASE("method table: finds exact paths only", "[frontend]") {
  const auto table = MethodTable::New(PortalServiceFiles());
  REQUIRE(table->Find("/carme.v1.AuthService/Login") != nullptr);
  for (const char* path :
       {"", "/", "carme.v1.AuthService/Login", "/carme.v1.AuthService/login",
        "/carme.v1.AuthService/Login/", "//carme.v1.AuthService/Login",
        "/carme.v1.AuthService.Login", "/carme.v1.AuthService/%4cogin"}) {
    CAPTURE(path);
    CHECK(table->Find(path) == nullptr);
  }
}

TEST_CASE("portal services: list every proto file with a service",
          "[frontend]") {
  std::set<std::string> named;
  for (const auto* file : PortalServiceFiles()) named.insert(file->name());
  const std::filesystem::path root =
      std::filesystem::path(CARME_SOURCE_DIR) / "proto";
  for (const auto& entry :
       std::filesystem::directory_iterator(root / "carme/v1")) {
    const std::string text = ReadFile(entry.path().string()).value();
    if (text.find("\nservice ") == std::string::npos) continue;
    CAPTURE(entry.path().string());
    CHECK(
        named.contains(std::filesystem::relative(entry.path(), root).string()));
  }
}

}  // namespace
}  // namespace carme::frontend
