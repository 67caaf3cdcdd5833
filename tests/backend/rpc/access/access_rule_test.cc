// The guard's rule as a truth table.
#include "backend/rpc/access/access_rule.h"

#include <catch2/catch.hpp>

#include "common/protobuf/error_details.h"
#include "tests/support/status_matchers.h"

namespace carme::backend {
namespace {

constexpr PeerIdentity kUnauthenticated = {Port::kClients, false, false};
constexpr PeerIdentity kFrontend = {Port::kClients, true, false};
constexpr PeerIdentity kProxy = {Port::kClients, false, true};
constexpr PeerIdentity kNode = {Port::kAgents, false, false};
constexpr PeerIdentity kClusterBackend = {Port::kClients, false, false, true};
constexpr PeerIdentity kMetrics = {Port::kClients, false, false, false, true};
constexpr PeerIdentity kFrontendOnNodePort = {Port::kAgents, true, true};

TEST_CASE("access rule: methods by machine", "[backend]") {
  struct Row {
    v1::Caller caller;
    bool unauthenticated, frontend, proxy, node, frontend_on_node_port;
  };
  constexpr Row kRows[] = {
      {v1::CALLER_UNSPECIFIED, false, false, false, false, false},
      {v1::CALLER_PUBLIC, false, true, false, false, false},
      {v1::CALLER_USER, false, true, false, false, false},
      {v1::CALLER_ADMIN, false, true, false, false, false},
      {v1::CALLER_PROXY, false, false, true, false, false},
      {v1::CALLER_AGENT, false, false, false, true, true},
      {v1::CALLER_BACKEND, false, false, false, false, false},
      {v1::CALLER_JOB, false, false, false, false, false},
      {v1::CALLER_METRICS, false, false, false, false, false},
      {static_cast<v1::Caller>(99), false, false, false, false, false},
  };
  for (const Row& row : kRows) {
    INFO("caller " << row.caller);
    CHECK(CheckMachine(row.caller, kUnauthenticated).ok() ==
          row.unauthenticated);
    CHECK(CheckMachine(row.caller, kFrontend).ok() == row.frontend);
    CHECK(CheckMachine(row.caller, kProxy).ok() == row.proxy);
    CHECK(CheckMachine(row.caller, kNode).ok() == row.node);
    CHECK(CheckMachine(row.caller, kFrontendOnNodePort).ok() ==
          row.frontend_on_node_port);
    CHECK(CheckMachine(row.caller, kClusterBackend).ok() ==
          (row.caller == v1::CALLER_BACKEND));
    CHECK(CheckMachine(row.caller, kMetrics).ok() ==
          (row.caller == v1::CALLER_METRICS));
  }
}

TEST_CASE("access rule: methods by role", "[backend]") {
  struct Row {
    v1::Caller caller;
    bool user, manager, support, admin;
  };
  constexpr Row kRows[] = {
      {v1::CALLER_UNSPECIFIED, false, false, false, false},
      {v1::CALLER_USER, true, true, true, true},
      {v1::CALLER_SUPPORT, false, false, true, true},
      {v1::CALLER_ADMIN, false, false, false, true},
      {static_cast<v1::Caller>(99), false, false, false, false},
  };
  for (const Row& row : kRows) {
    INFO("caller " << row.caller);
    CHECK(CheckRole(row.caller, Role::kUser).ok() == row.user);
    CHECK(CheckRole(row.caller, Role::kManager).ok() == row.manager);
    CHECK(CheckRole(row.caller, Role::kSupport).ok() == row.support);
    CHECK(CheckRole(row.caller, Role::kAdmin).ok() == row.admin);
  }
}

TEST_CASE("access rule: reauthentication expires to the second", "[backend]") {
  const absl::Time now = absl::FromUnixSeconds(1'800'000'000);
  v1::Access access;
  access.set_caller(v1::CALLER_USER);
  access.set_requires_reauthentication(true);
  Session session;
  CHECK_THAT(CheckPerson(access, session, now),
             StatusIs(absl::StatusCode::kFailedPrecondition));
  session.reauthenticated_until = now;
  CHECK_FALSE(CheckPerson(access, session, now).ok());
  session.reauthenticated_until = now + absl::Seconds(1);
  CHECK_THAT(CheckPerson(access, session, now), IsOk());
  session.scopes = {"jobs:read"};  // an access token has no factor
  CHECK_THAT(CheckPerson(access, session, now),
             StatusIs(absl::StatusCode::kPermissionDenied));
  access.set_scope("jobs:read");  // start-up would refuse such an rpc
  CHECK_THAT(CheckPerson(access, session, now),
             StatusIs(absl::StatusCode::kFailedPrecondition));
}

TEST_CASE(
    "access rule: a token needs one of the scopes, the role, and an rpc "
    "for which its creation's factor is sufficient",
    "[backend]") {
  const absl::Time now = absl::FromUnixSeconds(1'800'000'000);
  v1::Access access;
  access.set_caller(v1::CALLER_ADMIN);
  access.set_scope("limits:write");
  access.add_other_scopes("admin:write");
  access.set_requires_reauthentication(true);
  access.set_reauthentication_at_token_creation(true);
  Session session;
  session.role = Role::kAdmin;
  session.scopes = {"limits:read", "jobs:read"};
  CHECK_THAT(CheckPerson(access, session, now),
             StatusIs(absl::StatusCode::kPermissionDenied));
  for (const char* scope : {"limits:write", "admin:write"}) {
    session.scopes = {"jobs:read", scope};
    CHECK_THAT(CheckPerson(access, session, now), IsOk());
  }
  session.role = Role::kSupport;  // demoted
  CHECK_THAT(CheckPerson(access, session, now),
             StatusIs(absl::StatusCode::kPermissionDenied));
  session.role = Role::kAdmin;
  session.scopes.clear();  // a person proves the factor at each call
  CHECK_THAT(CheckPerson(access, session, now),
             StatusIs(absl::StatusCode::kFailedPrecondition));
  session.reauthenticated_until = now + absl::Seconds(1);
  CHECK_THAT(CheckPerson(access, session, now), IsOk());
}

TEST_CASE("access rule: each refusal has a reason", "[backend]") {
  const absl::Time now = absl::FromUnixSeconds(1'800'000'000);
  CHECK(ErrorReason(CheckMachine(v1::CALLER_USER, kUnauthenticated)) ==
        "MACHINE_NOT_ALLOWED");
  Session session;
  v1::Access access;
  for (const v1::Caller caller :
       {v1::CALLER_SUPPORT, v1::CALLER_MANAGER, v1::CALLER_ADMIN,
        v1::CALLER_PUBLIC, v1::CALLER_UNSPECIFIED}) {
    access.set_caller(caller);
    CHECK(ErrorReason(CheckPerson(access, session, now)) == "ROLE_REQUIRED");
  }
  access.set_caller(v1::CALLER_USER);
  session.scopes = {"jobs:read"};
  CHECK(ErrorReason(CheckPerson(access, session, now)) ==
        "ACCESS_TOKEN_NOT_ALLOWED");
  access.set_scope("jobs:write");
  CHECK(ErrorReason(CheckPerson(access, session, now)) == "SCOPE_REQUIRED");
  session.scopes.clear();
  access.set_requires_reauthentication(true);
  CHECK(ErrorReason(CheckPerson(access, session, now)) ==
        "REAUTHENTICATION_REQUIRED");
}

TEST_CASE("access rule: stored roles, and the fewest rights for an unknown one",
          "[backend]") {
  for (const Role role :
       {Role::kUser, Role::kManager, Role::kSupport, Role::kAdmin}) {
    CHECK(RoleNamed(RoleName(role)) == role);
  }
  for (const char* word : {"", "root", "Admin", "admin ", "administrator"}) {
    CHECK(RoleNamed(word) == Role::kUser);
  }
}

TEST_CASE("access rule: methods for users need a session", "[backend]") {
  CHECK(NeedsSession(v1::CALLER_UNSPECIFIED));
  CHECK(NeedsSession(static_cast<v1::Caller>(99)));
  CHECK(NeedsSession(v1::CALLER_USER));
  CHECK(NeedsSession(v1::CALLER_ADMIN));
  CHECK_FALSE(NeedsSession(v1::CALLER_PUBLIC));
  CHECK_FALSE(NeedsSession(v1::CALLER_PROXY));
  CHECK_FALSE(NeedsSession(v1::CALLER_AGENT));
}

}  // namespace
}  // namespace carme::backend
