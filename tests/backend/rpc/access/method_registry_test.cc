#include "backend/rpc/access/method_registry.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/descriptor.pb.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <functional>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "carme/v1/agent.pb.h"
#include "carme/v1/auth.pb.h"
#include "carme/v1/cluster.pb.h"
#include "carme/v1/image.pb.h"
#include "carme/v1/job_status.pb.h"
#include "carme/v1/jobs.pb.h"
#include "carme/v1/routes.pb.h"
#include "tests/support/status_matchers.h"

namespace carme::backend {
namespace {

using google::protobuf::DescriptorPool;
using google::protobuf::FileDescriptor;
using google::protobuf::MethodOptions;

// A contract of one rpc with the options that `fill` gives it.
class OneRpc {
 public:
  explicit OneRpc(const std::function<void(MethodOptions*)>& fill)
      : pool_(DescriptorPool::generated_pool()) {
    google::protobuf::FileDescriptorProto file;
    file.set_name("one.proto");
    file.set_package("carme.v1");
    file.set_syntax("proto3");
    file.add_dependency("carme/v1/access.proto");
    file.add_message_type()->set_name("Nothing");
    google::protobuf::ServiceDescriptorProto* service = file.add_service();
    service->set_name("TestService");
    google::protobuf::MethodDescriptorProto* rpc = service->add_method();
    rpc->set_name("Do");
    rpc->set_input_type(".carme.v1.Nothing");
    rpc->set_output_type(".carme.v1.Nothing");
    fill(rpc->mutable_options());
    file_ = pool_.BuildFile(file);
    REQUIRE(file_ != nullptr);
  }
  absl::Status Check() const { return CheckMethodRegistry({file_}); }
  size_t Callable() const { return ReadAccessTable({file_}).size(); }

 private:
  DescriptorPool pool_;
  const FileDescriptor* file_ = nullptr;
};

v1::Access* AccessOf(MethodOptions* options) {
  return options->MutableExtension(v1::access);
}

TEST_CASE("method registry: an rpc without access option is refused and named",
          "[backend]") {
  const OneRpc contract([](MethodOptions*) {});
  CHECK_THAT(contract.Check(), StatusIs(absl::StatusCode::kFailedPrecondition));
  CHECK(contract.Check().message() ==
        "rpc carme.v1.TestService.Do has no access option");
  CHECK(contract.Callable() == 0);
}

TEST_CASE("method registry: an access option without caller is refused",
          "[backend]") {
  const OneRpc contract(
      [](MethodOptions* options) { AccessOf(options)->set_browser(true); });
  CHECK(contract.Check().message() ==
        "rpc carme.v1.TestService.Do has no caller in its access option");
  CHECK(contract.Callable() == 0);
}

TEST_CASE(
    "method registry: a browser never reaches the proxy's or the agents' rpcs",
    "[backend]") {
  for (const v1::Caller caller :
       {v1::CALLER_PROXY, v1::CALLER_AGENT, v1::CALLER_BACKEND, v1::CALLER_JOB,
        v1::CALLER_METRICS}) {
    INFO("caller " << caller);
    const OneRpc contract([&](MethodOptions* options) {
      AccessOf(options)->set_caller(caller);
      AccessOf(options)->set_browser(true);
    });
    CHECK_FALSE(contract.Check().ok());
    CHECK(contract.Callable() == 0);
  }
}

TEST_CASE("method registry: refuses invalid scopes and reauthentication",
          "[backend]") {
  struct Row {
    v1::Caller caller;
    const char* scope;
    bool requires_reauthentication;
    const char* fault;  // nothing: in order
  };
  const Row rows[] = {
      {v1::CALLER_USER, "jobs:all", false,
       "has scope \"jobs:all\": expected one of token_scopes.h"},
      {v1::CALLER_PUBLIC, "jobs:read", false,
       "has a scope, but is for no person"},
      {v1::CALLER_PROXY, "jobs:read", false,
       "has a scope, but is for no person"},
      {v1::CALLER_AGENT, "jobs:read", false,
       "has a scope, but is for no person"},
      {v1::CALLER_USER, "jobs:read", true,
       "requires reauthentication and has a scope: expected "
       "reauthentication_at_token_creation"},
      {v1::CALLER_PUBLIC, "", true,
       "requires reauthentication: expected caller USER or ADMIN"},
      {v1::CALLER_PROXY, "", true,
       "requires reauthentication: expected caller USER or ADMIN"},
      {v1::CALLER_SUPPORT, "admin:read", false,
       "is for support and does not read"},
      {v1::CALLER_USER, "jobs:read", false, nullptr},
      {v1::CALLER_USER, "", true, nullptr},
      {v1::CALLER_ADMIN, "", true, nullptr},
  };
  for (const Row& row : rows) {
    INFO(row.caller << " " << row.scope << " "
                    << row.requires_reauthentication);
    const OneRpc contract([&](MethodOptions* options) {
      AccessOf(options)->set_caller(row.caller);
      AccessOf(options)->set_scope(row.scope);
      AccessOf(options)->set_requires_reauthentication(
          row.requires_reauthentication);
    });
    CHECK(contract.Callable() == (row.fault == nullptr ? 1 : 0));
    if (row.fault == nullptr) {
      CHECK_THAT(contract.Check(), IsOk());
    } else {
      CHECK(contract.Check().message() ==
            std::string("rpc carme.v1.TestService.Do ") + row.fault);
    }
  }
}

TEST_CASE(
    "method registry: other scopes and token reauthentication need a scope",
    "[backend]") {
  struct Row {
    const char* scope;
    const char* other_scope;
    bool requires_reauthentication;
    bool at_token_creation;
    const char* fault;  // nothing: in order
  };
  constexpr char kUnneeded[] =
      "has reauthentication_at_token_creation: expected "
      "requires_reauthentication and a scope";
  const Row rows[] = {
      {"", "", false, true, kUnneeded},
      {"", "", true, true, kUnneeded},
      {"jobs:write", "", false, true, kUnneeded},
      {"", "jobs:read", false, false, "has other scopes but no scope"},
      {"jobs:read", "jobs:all", false, false,
       "has scope \"jobs:all\": expected one of token_scopes.h"},
      {"limits:write", "", true, true, nullptr},
      {"limits:read", "jobs:read", false, false, nullptr},
  };
  for (const Row& row : rows) {
    INFO(row.scope << " " << row.other_scope << " "
                   << row.requires_reauthentication);
    const OneRpc contract([&](MethodOptions* options) {
      v1::Access* access = AccessOf(options);
      access->set_caller(v1::CALLER_ADMIN);
      access->set_scope(row.scope);
      if (*row.other_scope != 0) access->add_other_scopes(row.other_scope);
      access->set_requires_reauthentication(row.requires_reauthentication);
      access->set_reauthentication_at_token_creation(row.at_token_creation);
    });
    CHECK(contract.Callable() == (row.fault == nullptr ? 1 : 0));
    if (row.fault != nullptr) {
      CHECK(contract.Check().message() ==
            std::string("rpc carme.v1.TestService.Do ") + row.fault);
    }
  }
}

TEST_CASE("method registry: any_scope is only for users' calls by the gateway",
          "[backend]") {
  const auto check = [](const std::function<void(v1::Access*)>& change) {
    const OneRpc contract([&](MethodOptions* options) {
      AccessOf(options)->set_caller(v1::CALLER_USER);
      AccessOf(options)->set_any_scope(true);
      change(AccessOf(options));
    });
    return contract.Check();
  };
  CHECK_FALSE(check([](v1::Access* a) { a->set_scope("jobs:read"); }).ok());
  CHECK_FALSE(check([](v1::Access* a) { a->set_browser(true); }).ok());
  CHECK_FALSE(
      check([](v1::Access* a) { a->set_caller(v1::CALLER_ADMIN); }).ok());
  CHECK_FALSE(check([](v1::Access* a) {
                a->set_requires_reauthentication(true);
              }).ok());
  CHECK_THAT(check([](v1::Access*) {}), IsOk());
}

TEST_CASE("method registry: none at all is refused", "[backend]") {
  CHECK_FALSE(CheckMethodRegistry({}).ok());
}

TEST_CASE("method registry: ours is in order", "[backend]") {
  // Named, so that the linker keeps them; a program that serves them does.
  const std::vector<const FileDescriptor*> ours = {
      v1::LoginRequest::descriptor()->file(),
      v1::ListJobsRequest::descriptor()->file(),
      v1::GetClusterRequest::descriptor()->file(),
      v1::ListImagesRequest::descriptor()->file(),
      v1::WatchRoutesRequest::descriptor()->file(),
      v1::JobStatus::descriptor()->file(),
      v1::RegisterRequest::descriptor()->file()};
  CHECK(CheckMethodRegistry(ours) == absl::OkStatus());
  CHECK(CheckMethodRegistry() == absl::OkStatus());
  // All of ours, and nothing of gRPC or Protocol Buffers.
  const std::vector<const FileDescriptor*> registered = RegisteredProtoFiles();
  for (const FileDescriptor* file : ours) {
    INFO(file->name());
    CHECK(std::count(registered.begin(), registered.end(), file) == 1);
  }
  for (const FileDescriptor* file : registered) {
    INFO(file->name());
    CHECK(absl::StartsWith(file->name(), "carme/v1/"));
  }
  const AccessTable table = ReadAccessTable(registered);
  for (const auto& [method, rule] : ReadAccessTable(ours)) {
    INFO(method);
    CHECK(table.contains(method));
  }
  CHECK(ReadAccessTable(ours).contains("/carme.v1.JobService/SubmitJob"));
}

}  // namespace
}  // namespace carme::backend
