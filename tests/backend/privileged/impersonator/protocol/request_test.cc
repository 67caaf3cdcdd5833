#include "backend/privileged/impersonator/protocol/request.h"

#include <catch2/catch.hpp>
#include <functional>
#include <string>

#include "tests/backend/privileged/valid_request.h"
#include "tests/support/status_matchers.h"

namespace carme::impersonator {
namespace {

using privileged::v1::ReadLog;
using privileged::v1::Request;
using privileged::v1::Submit;
using privileged::v1::Update;

// The field that CheckRequest complains about, or "" when it does not.
std::string Complaint(const Request& request) {
  const absl::Status status = CheckRequest(request);
  if (status.ok()) return "";
  CHECK_THAT(status, StatusIs(absl::StatusCode::kInvalidArgument));
  const std::string message(status.message());
  const size_t begin = message.find('"') + 1;
  return message.substr(begin, message.find('"', begin) - begin);
}

std::string WithSubmit(const std::function<void(Submit*)>& spoil) {
  Request request = ValidSubmit();
  spoil(request.mutable_submit());
  return Complaint(request);
}

TEST_CASE("request: refuses invalid requests", "[backend]") {
  CHECK_FALSE(ParseRequest("").ok());
  CHECK_FALSE(ParseRequest("\xff\xff\xff").ok());
  CHECK_FALSE(ParseRequest(std::string(100000, 'a')).ok());
  Request request = ValidSubmit();
  request.clear_operation();
  CHECK(Complaint(request) == "operation");
}

TEST_CASE("request: refuses unknown fields", "[backend]") {
  // Field 15 of the request, and field 15 of the submission within.
  CHECK_FALSE(
      ParseRequest(ValidSubmit().SerializeAsString() + "\x78\x01").ok());
  Request request = ValidSubmit();
  request.GetReflection()
      ->MutableUnknownFields(request.mutable_submit())
      ->AddVarint(15, 1);
  CHECK_FALSE(ParseRequest(request.SerializeAsString()).ok());
}

TEST_CASE("request: refuses request ids that could break a log line",
          "[backend]") {
  for (const std::string id : {"", "a b", "a\nb", "a=b", "\xc3\xa4", "a\"b"}) {
    Request request = ValidSubmit();
    request.set_request_id(id);
    CHECK(Complaint(request) == "request_id");
  }
  Request request = ValidSubmit();
  request.set_request_id(std::string(65, 'a'));
  CHECK(Complaint(request) == "request_id");
}

TEST_CASE("request: refuses invalid user names", "[backend]") {
  for (const std::string& name :
       {std::string(), std::string("ada bob"), std::string("ada\nroot"),
        std::string("ada\0root", 8), std::string("../ada"), std::string("-ada"),
        std::string(".ada"), std::string("ada;id"), std::string("$(id)"),
        std::string("ada:0"), std::string("\xc3\xa4"), std::string(65, 'a')}) {
    Request request = ValidSubmit();
    request.set_user(name);
    CHECK(Complaint(request) == "user");
  }
  Request request = ValidSubmit();
  request.set_uid(UINT32_MAX);  // setresuid(2) takes it for "as it is"
  CHECK(Complaint(request) == "uid");
}

TEST_CASE("request: refuses texts of a submission out of bounds", "[backend]") {
  const auto set = [](auto setter, const std::string& text) {
    return WithSubmit([&](Submit* submit) { (submit->*setter)(text); });
  };
  using Setter = void (Submit::*)(const std::string&);
  const Setter id = &Submit::set_carme_job_id<const std::string&>;
  const Setter name = &Submit::set_name<const std::string&>;
  const Setter partition = &Submit::set_partition<const std::string&>;
  const Setter type = &Submit::set_gpu_type<const std::string&>;
  CHECK(set(id, "ABCDEFGHIJKLMNOP") == "carme_job_id");
  CHECK(set(id, "abc,carme:defghi") == "carme_job_id");
  CHECK(set(name, "") == "name");
  CHECK(set(name, "a\nb") == "name");
  CHECK(set(name, std::string("a\0b", 3)) == "name");
  CHECK(set(name, "a\x7f") == "name");
  CHECK(set(name, "a\xc2\x9b") == "name");  // U+009B, CSI
  CHECK(set(name, std::string(257, 'a')) == "name");
  CHECK(set(partition, "") == "partition");
  CHECK(set(partition, "main,debug") == "partition");
  CHECK(set(partition, "--uid=0") == "partition");
  CHECK(set(type, "h200:8") == "gpu_type");
  CHECK(set(type, "h200,craynetwork") == "gpu_type");
  CHECK(set(type, std::string(65, 'a')) == "gpu_type");
}

TEST_CASE("request: refuses invalid arrays", "[backend]") {
  const auto with = [](const std::string& array) {
    return WithSubmit([&](Submit* submit) { submit->set_array(array); });
  };
  for (const std::string& array :
       {std::string("0-"), std::string("1,,2"), std::string("[0-3]"),
        std::string("0-9 --uid=0"), std::string("0-9%0"), std::string("0x9"),
        std::string(257, '1'), "0" + std::string(256, ',')}) {
    INFO(array);
    CHECK(with(array) == "array");
  }
  for (const char* array : {"", "0-9", "1,3,5", "0-99:2%4"}) {
    CHECK(with(array) == "");
  }
}

TEST_CASE("request: refuses invalid and too many nodes", "[backend]") {
  const auto with = [](const std::string& node, int count) {
    return WithSubmit([&](Submit* submit) {
      for (int i = 0; i < count; ++i) submit->add_excluded_nodes(node);
    });
  };
  CHECK(with("", 1) == "excluded_nodes");
  CHECK(with("n[1-9]", 1) == "excluded_nodes");
  CHECK(with("n1,n2", 1) == "excluded_nodes");
  CHECK(with("-n1", 1) == "excluded_nodes");
  CHECK(with(std::string(65, 'n'), 1) == "excluded_nodes");
  CHECK(with("n1", 501) == "excluded_nodes");
  CHECK(with("n1", 500).empty());
}

TEST_CASE("request: refuses invalid accounts", "[backend]") {
  const auto with = [](const std::string& account) {
    return WithSubmit([&](Submit* submit) { submit->set_account(account); });
  };
  for (const char* account :
       {"-chem", ".chem", "a b", "a,b", "a;b", "a\nb", "--uid=0", "a/b"}) {
    CHECK(with(account) == "account");
  }
  CHECK(with(std::string(65, 'a')) == "account");
  CHECK(with("").empty());
  CHECK(with("chem_01").empty());
}

TEST_CASE("request: refuses numbers of a submission out of bounds",
          "[backend]") {
  const auto with = WithSubmit;
  CHECK(with([](Submit* s) { s->set_nodes(0); }) == "nodes");
  CHECK(with([](Submit* s) { s->set_nodes(-1); }) == "nodes");
  CHECK(with([](Submit* s) { s->set_nodes(10001); }) == "nodes");
  CHECK(with([](Submit* s) { s->set_gpus_per_node(-1); }) == "gpus_per_node");
  CHECK(with([](Submit* s) { s->set_gpus_per_node(257); }) == "gpus_per_node");
  CHECK(with([](Submit* s) { s->set_cpus_per_node(0); }) == "cpus_per_node");
  // 65536 would be 0 in Slurm's 16 bits.
  CHECK(with([](Submit* s) { s->set_cpus_per_node(65536); }) ==
        "cpus_per_node");
  // The top bit would mean "a CPU" to Slurm.
  CHECK(with([](Submit* s) { s->set_memory_per_node_mib(INT64_MIN); }) ==
        "memory_per_node_mib");
  CHECK(with([](Submit* s) { s->set_memory_per_node_mib(0); }) ==
        "memory_per_node_mib");
  CHECK(with([](Submit* s) { s->set_walltime_min(0); }) == "walltime_min");
  CHECK(with([](Submit* s) { s->set_walltime_min(INT32_MAX); }) ==
        "walltime_min");
}

TEST_CASE("request: refuses cancellations out of bounds", "[backend]") {
  Request request = ValidCancel();
  request.mutable_cancel()->set_slurm_job_id(0);
  CHECK(Complaint(request) == "slurm_job_id");
  request = ValidCancel();
  request.mutable_cancel()->set_slurm_job_id(0xfffffffe);  // Slurm's NO_VAL
  CHECK(Complaint(request) == "slurm_job_id");
  request = ValidCancel();
  request.mutable_cancel()->set_carme_job_id("");
  CHECK(Complaint(request) == "carme_job_id");
}

std::string WithUpdate(const std::function<void(Update*)>& spoil) {
  Request request = ValidUpdate();
  spoil(request.mutable_update());
  return Complaint(request);
}

TEST_CASE("request: refuses changes out of bounds, and empty ones",
          "[backend]") {
  const auto with = WithUpdate;
  CHECK(with([](Update* u) { u->set_slurm_job_id(0); }) == "slurm_job_id");
  CHECK(with([](Update* u) { u->set_carme_job_id("x"); }) == "carme_job_id");
  CHECK(with([](Update* u) { u->set_walltime_min(-1); }) == "walltime_min");
  CHECK(with([](Update* u) { u->set_walltime_min(INT32_MAX); }) ==
        "walltime_min");
  CHECK(with([](Update* u) { u->set_name("a\nb"); }) == "name");
  CHECK(with([](Update* u) {
          u->set_hold(static_cast<privileged::v1::Hold>(3));
        }) == "hold");
  CHECK(with([](Update* u) { u->set_walltime_min(0); }) == "update");
  CHECK(with([](Update*) {}) == "");
}

std::string WithReserve(
    const std::function<void(privileged::v1::Reserve*)>& spoil) {
  Request request = ValidReserve();
  spoil(request.mutable_reserve());
  return Complaint(request);
}

TEST_CASE("request: refuses extensions out of bounds", "[backend]") {
  const auto with =
      [](const std::function<void(privileged::v1::Extend*)>& spoil) {
        Request request = ValidExtend();
        spoil(request.mutable_extend());
        return Complaint(request);
      };
  CHECK(with([](auto* e) { e->set_slurm_job_id(0); }) == "slurm_job_id");
  CHECK(with([](auto* e) { e->set_carme_job_id("x"); }) == "carme_job_id");
  for (const int minutes : {0, -1, INT32_MAX}) {
    CHECK(with([&](auto* e) { e->set_walltime_min(minutes); }) ==
          "walltime_min");
  }
  CHECK(with([](auto*) {}) == "");
}

TEST_CASE("request: refuses reservations out of bounds", "[backend]") {
  const auto with = WithReserve;
  for (const char* name :
       {"", "carme-", "carme-abcdefghijklmno", "carme-abcdefghijklmno12",
        "other-abcdefghijklmno1", "carme-ABCDEFGHIJKLMNO1",
        "carme-abcdefgh-jklmno1", "carme-abcdefgh,jklmno1", "maintenance"}) {
    CHECK(with([&](auto* r) { r->set_name(name); }) == "name");
    Request request = ValidUnreserve();
    request.mutable_unreserve()->set_name(name);
    CHECK(Complaint(request) == "name");
  }
  CHECK(with([](auto* r) { r->set_partition("a,b"); }) == "partition");
  CHECK(with([](auto* r) { r->set_nodes(0); }) == "nodes");
  CHECK(with([](auto* r) { r->set_nodes(10001); }) == "nodes");
  CHECK(with([](auto* r) { r->set_minutes(0); }) == "minutes");
  CHECK(with([](auto* r) { r->set_minutes(INT32_MAX); }) == "minutes");
  CHECK(with([](auto* r) { r->set_start_unix_s(0); }) == "start_unix_s");
  CHECK(with([](auto* r) { r->set_start_unix_s(INT64_MAX); }) ==
        "start_unix_s");
  CHECK(with([](auto* r) { r->clear_users(); }) == "users");
  // Slurm reads these as all but these users, or as two users.
  CHECK(with([](auto* r) { r->add_users("-eve"); }) == "users");
  CHECK(with([](auto* r) { r->add_users("eve,bob"); }) == "users");
  CHECK(with([](auto* r) {
          for (int i = 0; i < 199; ++i) r->add_users("bob");
        }) == "users");
  CHECK(with([](auto*) {}).empty());
  CHECK(Complaint(ValidUnreserve()).empty());
}

TEST_CASE("request: refuses maintenance reservations out of bounds",
          "[backend]") {
  const auto with =
      [](const std::function<void(privileged::v1::ReserveForMaintenance*)>&
             spoil) {
        Request request = ValidReserveForMaintenance();
        spoil(request.mutable_reserve_for_maintenance());
        return Complaint(request);
      };
  CHECK(with([](auto* r) { r->set_name("maintenance"); }) == "name");
  CHECK(with([](auto* r) { r->set_start_unix_s(0); }) == "start_unix_s");
  CHECK(with([](auto* r) { r->set_minutes(-1); }) == "minutes");
  CHECK(with([](auto* r) { r->set_minutes(INT32_MAX); }) == "minutes");
  CHECK(with([](auto* r) { r->set_partition("a,b"); }) == "partition");
  CHECK(with([](auto* r) { r->set_nodes("n1 n2"); }) == "nodes");
  CHECK(with([](auto* r) { r->set_nodes(std::string(1025, 'n')); }) == "nodes");
  CHECK(with([](auto* r) {
          r->set_partition("main");
          r->set_nodes("n1");
        }) == "nodes");
  CHECK(with([](auto* r) { r->set_nodes("n[1-3,5],gpu-1.x"); }).empty());
  CHECK(with([](auto* r) { r->set_partition("main"); }).empty());
  CHECK(with([](auto* r) { r->set_minutes(60); }).empty());
}

TEST_CASE("request: refuses returned nodes out of bounds", "[backend]") {
  const auto with =
      [](const std::function<void(privileged::v1::ReturnNodes*)>& spoil) {
        Request request = ValidReturnNodes();
        spoil(request.mutable_return_nodes());
        return Complaint(request);
      };
  CHECK(with([](auto* r) { r->set_slurm_job_id(0); }) == "slurm_job_id");
  CHECK(with([](auto* r) { r->set_carme_job_id("x"); }) == "carme_job_id");
  CHECK(with([](auto* r) { r->clear_nodes(); }) == "nodes");
  CHECK(with([](auto* r) { r->add_nodes("n2"); }) == "nodes");
  CHECK(with([](auto* r) { r->add_nodes(""); }) == "nodes");
  CHECK(with([](auto* r) { r->add_nodes("n[3-4]"); }) == "nodes");
  CHECK(with([](auto* r) { r->add_nodes("n3,n4"); }) == "nodes");
  CHECK(with([](auto* r) {
          for (int i = 3; i < 1010; ++i) r->add_nodes("n" + std::to_string(i));
        }) == "nodes");
  CHECK(with([](auto* r) { r->add_nodes("gpu-1.x"); }).empty());
}

TEST_CASE("request: refuses changes of nodes out of bounds", "[backend]") {
  const auto with =
      [](const std::function<void(privileged::v1::SetNodeState*)>& spoil) {
        Request request = ValidDrain();
        spoil(request.mutable_set_node_state());
        return Complaint(request);
      };
  CHECK(with([](auto* r) { r->clear_nodes(); }) == "nodes");
  CHECK(with([](auto* r) { r->add_nodes("n1"); }) == "nodes");
  CHECK(with([](auto* r) { r->add_nodes("n[2-3]"); }) == "nodes");
  CHECK(with([](auto* r) { r->add_nodes("n2,n3"); }) == "nodes");
  CHECK(with([](auto* r) { r->add_nodes("ALL nodes"); }) == "nodes");
  CHECK(with([](auto* r) {
          for (int i = 2; i < 70; ++i) r->add_nodes("n" + std::to_string(i));
        }) == "nodes");
  CHECK(with([](auto* r) {
          r->set_action(privileged::v1::NODE_ACTION_UNSPECIFIED);
        }) == "action");
  CHECK(with([](auto* r) {
          r->set_action(static_cast<privileged::v1::NodeAction>(3));
        }) == "action");
  CHECK(with([](auto* r) { r->set_reason(""); }) == "reason");
  CHECK(with([](auto* r) { r->set_reason("two\nlines"); }) == "reason");
  CHECK(with([](auto* r) { r->set_reason(std::string(201, 'x')); }) ==
        "reason");
  CHECK(with([](auto* r) {
          r->set_action(privileged::v1::NODE_ACTION_RESUME);
        }) == "reason");
  CHECK(Complaint(ValidDrain()).empty());
  CHECK(with([](auto* r) {
          r->set_action(privileged::v1::NODE_ACTION_RESUME);
          r->clear_reason();
        }).empty());
}

std::string WithReadLog(const std::function<void(ReadLog*)>& spoil) {
  Request request = ValidReadLog();
  spoil(request.mutable_read_log());
  return Complaint(request);
}

TEST_CASE("request: refuses invalid logs", "[backend]") {
  const auto with = WithReadLog;
  for (const char* path : {"", "../ada", "/etc/shadow", "abcdefghijklmn/1"}) {
    CHECK(with([&](ReadLog* r) { r->set_carme_job_id(path); }) ==
          "carme_job_id");
  }
  for (const char* app : {"..", "a/b", "A", "a.b", "a b", "\xc3\xa4"}) {
    CHECK(with([&](ReadLog* r) { r->set_app(app); }) == "app");
  }
  CHECK(with([](ReadLog* r) { r->set_app(std::string(33, 'a')); }) == "app");
  CHECK(with([](ReadLog* r) { r->set_max_bytes(0); }) == "max_bytes");
  CHECK(with([](ReadLog* r) { r->set_max_bytes(65537); }) == "max_bytes");
  CHECK(with([](ReadLog* r) { r->set_slurm_job_id(UINT32_MAX); }) ==
        "slurm_job_id");
  CHECK(with([](ReadLog* r) { r->set_offset_bytes(INT64_MIN); }) == "");
  CHECK(with([](ReadLog* r) { r->set_app("code-server"); }) == "");
  // Of an array's task, which has no app.
  CHECK(with([](ReadLog* r) { r->set_task(4000001); }) == "task");
  CHECK(with([](ReadLog* r) {
          r->set_app("code-server");
          r->set_task(0);
        }) == "app");
  CHECK(with([](ReadLog* r) {
          r->clear_app();
          r->set_task(0);
        }) == "");
}

TEST_CASE("request: checks each dependency", "[backend]") {
  Request request = ValidSubmit();
  privileged::v1::Dependency* row =
      request.mutable_submit()->add_dependencies();
  CHECK(Complaint(request) == "slurm_job_id");
  row->set_slurm_job_id(7);
  CHECK(Complaint(request) == "kind");
  row->set_kind(privileged::v1::Dependency::KIND_AFTER_OK);
  CHECK(Complaint(request) == "");
  CHECK_THAT(ParseRequest(request.SerializeAsString()), IsOk());
  row->GetReflection()->MutableUnknownFields(row)->AddVarint(99, 1);
  CHECK_FALSE(ParseRequest(request.SerializeAsString()).ok());
}

TEST_CASE("request: accepts valid requests", "[backend]") {
  for (const std::string user : {"ada", "_svc", "ada.l", "a-b", "ada@LAB.DE"}) {
    Request request = ValidSubmit();
    request.set_user(user);
    CHECK(Complaint(request) == "");
  }
  CHECK(WithSubmit([](Submit* s) {
          s->set_name(
              "\xc3\x9c"
              "bung 3: $(x)");
        }) == "");
  CHECK(WithSubmit([](Submit* s) { s->set_gpu_type("1g.5gb"); }) == "");
  CHECK(WithSubmit([](Submit* s) { s->set_gpus_per_node(0); }) == "");
  CHECK_THAT(ParseRequest(ValidCancel().SerializeAsString()), IsOk());
  const auto parsed = ParseRequest(ValidSubmit().SerializeAsString());
  REQUIRE_THAT(parsed, IsOk());
  CHECK(parsed->user() == "ada");
}

}  // namespace
}  // namespace carme::impersonator
