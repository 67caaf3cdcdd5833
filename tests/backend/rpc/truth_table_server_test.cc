// Who may call what: every rpc of the contract against every kind of caller,
// over real TLS, through the guard that the backend serves with.
//
// The rule of each rpc is written here a second time, on purpose: an option in
// a proto that is changed by mistake, and an rpc that is new, fail here until
// somebody has said what was meant.
#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/str_split.h"
#include "backend/identity/token_scopes.h"
#include "tests/backend/rpc/guarded_server.h"

namespace carme {
namespace {

// For whom an rpc is, in the words of this table.
enum class For {
  kAnybody,
  kPeople,
  kSupport,
  kManagers,
  kAdmins,
  kProxy,
  kAgents
};

struct Rule {
  For whom;
  std::string scope = {};  // empty: no access token
  bool fresh_factor = false;
};

const Rule kAnybody = {For::kAnybody};
const Rule kPeople = {For::kPeople};
const Rule kPeopleAgain = {For::kPeople, "", true};  // a factor proved again
const Rule kAdminsAgain = {For::kAdmins, "", true};
Rule People(const std::string& scope) { return {For::kPeople, scope}; }
Rule Support(const std::string& scope) { return {For::kSupport, scope}; }

const std::map<std::string, Rule> kRules = {
    {"AccountService/ChangePassword", kPeopleAgain},
    {"AccountService/CreateToken", kPeopleAgain},
    {"AccountService/EndOtherSessions", kPeople},
    {"AccountService/EndSession", kPeople},
    {"AccountService/GetPasswordRules", kPeople},
    {"AccountService/ListSessions", People("account:read")},
    {"AccountService/ListTokens", People("account:read")},
    {"AccountService/RevokeToken", kPeople},
    {"AdminService/EndUserSessions", kAdminsAgain},
    {"AdminService/GetHealth", Support("admin:read")},
    {"AdminService/GetUser", Support("admin:read")},
    {"AdminService/ListAllJobs", Support("admin:read")},
    {"AdminService/ListUsers", Support("admin:read")},
    {"AdminService/ResetFactors", kAdminsAgain},
    {"AgentService/Register", {For::kAgents}},
    {"ActivityService/ReportActivity", {For::kProxy}},
    {"AgentService/Follow", {For::kAgents}},
    {"AgentService/ReportImage", {For::kAgents}},
    {"AgentService/ReportState", {For::kAgents}},
    {"AuditService/ExportAudit", Support("audit:read")},
    {"AuditService/ListAudit", Support("audit:read")},
    {"AuditService/VerifyAudit", Support("audit:read")},
    {"AuthService/FinishFreshFactor", kPeople},
    {"AuthService/GetSession", People("account:read")},
    {"AuthService/Login", kAnybody},
    {"AuthService/Logout", kPeople},
    {"AuthService/StartFreshFactor", kPeople},
    {"AuthService/VerifyFactor", kAnybody},
    {"ClusterService/GetCluster", People("jobs:read")},
    {"ClusterUseService/GetClusterUse", People("jobs:read")},
    {"ClusterUseService/GetUseHistory", People("jobs:read")},
    {"EnvironmentService/DeleteEnvironment", People("jobs:write")},
    {"EnvironmentService/GetEnvironment", People("jobs:read")},
    {"EnvironmentService/ListEnvironments", People("jobs:read")},
    {"EnvironmentService/RenderEnvironment", People("jobs:read")},
    {"EnvironmentService/SaveEnvironment", People("jobs:write")},
    {"FactorService/FinishPasskey", kPeopleAgain},
    {"FactorService/FinishTotp", kPeopleAgain},
    {"FactorService/ListFactors", People("account:read")},
    {"FactorService/RemoveFactor", kPeopleAgain},
    {"FactorService/RenewRecoveryCodes", kPeopleAgain},
    {"FactorService/StartPasskey", kPeopleAgain},
    {"FactorService/StartTotp", kPeopleAgain},
    {"HistoryService/ExportHistory", People("jobs:read")},
    {"HistoryService/GetUsage", People("jobs:read")},
    {"HistoryService/ListHistory", People("jobs:read")},
    {"ImageService/AddImage", kAdminsAgain},
    {"ImageService/ChangeImage", kAdminsAgain},
    {"ImageService/ImportImage", People("jobs:write")},
    {"ImageService/ListImages", People("jobs:read")},
    {"ImageService/OfferImage", People("jobs:write")},
    {"ImageService/RemoveImage", People("jobs:write")},
    {"ImageService/SetImageState", People("jobs:write")},
    {"ImageService/ShareImage", kPeople},
    {"ImageService/UnshareImage", kPeople},
    {"JobService/ExtendJob", People("jobs:write")},
    {"JobService/GetJob", People("jobs:read")},
    {"JobService/GetLog", People("jobs:read")},
    {"JobService/HoldJob", People("jobs:write")},
    {"JobService/KeepJob", People("jobs:write")},
    {"JobService/ListJobs", People("jobs:read")},
    {"JobService/OpenApp", People("jobs:open")},
    {"JobService/PreviewJob", People("jobs:read")},
    {"JobService/ReleaseJob", People("jobs:write")},
    {"JobService/StopJob", People("jobs:write")},
    {"JobService/SubmitJob", People("jobs:write")},
    {"JobService/WatchJobs", People("jobs:read")},
    {"PresetService/DeletePreset", People("jobs:write")},
    {"PresetService/ListPresets", People("jobs:read")},
    {"PresetService/SavePreset", People("jobs:write")},
    {"LimitService/GetLimits", People("jobs:read")},
    {"LimitService/ListLimitRules", Support("admin:read")},
    {"LimitService/RemoveLimitRule", kAdminsAgain},
    {"LimitService/SetLimitRule", kAdminsAgain},
    {"NotificationService/ChooseKinds", kPeople},
    {"NotificationService/GetChannels", People("account:read")},
    {"NotificationService/GetDeliveryHealth", Support("admin:read")},
    {"NotificationService/ListNotifications", People("account:read")},
    {"NotificationService/MarkRead", kPeople},
    {"NotificationService/RemoveWebhook", kPeople},
    {"NotificationService/SetWebhook", kPeopleAgain},
    {"NotificationService/TestChannel", kPeople},
    {"ProjectService/ActOnMember", kPeople},
    {"ProjectService/ActOnProject", kPeople},
    {"ProjectService/ChangeProject", kPeople},
    {"ProjectService/CreateProject", kPeople},
    {"ProjectService/GetProject", People("jobs:read")},
    {"ProjectService/InviteMember", kPeople},
    {"ProjectService/ListProjects", People("jobs:read")},
    {"ProjectService/RequestMembership", kPeople},
    {"ProjectService/SetProjectTerms", kAdminsAgain},
    {"ReservationService/BookReservation", kPeople},
    {"ReservationService/CancelReservation", kPeople},
    {"ReservationService/ListReservations", People("jobs:read")},
    {"ReservationService/PreviewReservation", kPeople},
    {"RouteService/WatchRoutes", {For::kProxy}},
    {"StorageService/GetStorage", People("jobs:read")},
    {"TemplateService/AttachTemplate", kAdminsAgain},
    {"TemplateService/ChangeTemplate", kAdminsAgain},
    {"TemplateService/CreateTemplate", kAdminsAgain},
    {"TemplateService/ListTemplates", People("jobs:read")},
    {"TemplateService/ProposeTemplates", {For::kAdmins}},
    {"TemplateService/RetireTemplate", kAdminsAgain},
};

// Every scope but `one`; "": every one.
std::vector<std::string> ScopesBut(const std::string& one) {
  std::vector<std::string> scopes;
  for (const TokenScope& scope : kTokenScopes) {
    if (scope.word != one) scopes.emplace_back(scope.word);
  }
  return scopes;
}

// Sessions by what they say of themselves: "admin", "admin stale", and of
// scripts "user may jobs:read", "user may-not jobs:read", "user may-all".
class SaidSessions : public FixedSessions {
 public:
  absl::StatusOr<Session> Authenticate(std::string_view token,
                                       std::string_view) override {
    const std::vector<std::string> words =
        absl::StrSplit(std::string(token), ' ');
    const Role role = RoleNamed(words[0]);
    if (RoleName(role) != words[0]) {
      return absl::UnauthenticatedError("no such token");
    }
    Session session;
    session.username = words[0];
    session.uid = Uid(20001);
    session.role = role;
    session.expires_at = absl::InfiniteFuture();
    if (words.size() == 1) session.fresh_until = absl::InfiniteFuture();
    const std::string verb = words.size() > 1 ? words[1] : "";
    if (verb == "may") session.scopes = {words[2]};
    if (verb == "may-not") session.scopes = ScopesBut(words[2]);
    if (verb == "may-all") session.scopes = ScopesBut("");
    return session;
  }
};

using Code = grpc::StatusCode;
constexpr Code kLetIn = Code::UNIMPLEMENTED;  // the stand-ins' answer

// What must come of a call by a person who is logged in.
Code ForPerson(const Rule& rule, Role role, bool fresh) {
  switch (rule.whom) {
    case For::kAnybody:
      return kLetIn;
    case For::kPeople:
      break;
    case For::kSupport:
      if (!ReadsEverything(role)) return Code::PERMISSION_DENIED;
      break;
    case For::kManagers:
      if (role != Role::kManager && role != Role::kAdmin) {
        return Code::PERMISSION_DENIED;
      }
      break;
    case For::kAdmins:
      if (role != Role::kAdmin) return Code::PERMISSION_DENIED;
      break;
    default:
      return Code::PERMISSION_DENIED;
  }
  return rule.fresh_factor && !fresh ? Code::FAILED_PRECONDITION : kLetIn;
}

// Of a call by a script whose token has the rpc's scope, or has not.
Code ForScript(const Rule& rule, Role role, bool has_scope) {
  if (rule.whom == For::kAnybody) return kLetIn;
  if (rule.scope.empty() || !has_scope) return Code::PERMISSION_DENIED;
  return ForPerson(rule, role, false);
}

bool IsForPeople(const Rule& rule) {
  return rule.whom == For::kPeople || rule.whom == For::kSupport ||
         rule.whom == For::kManagers || rule.whom == For::kAdmins;
}

// Of a call from the frontend that shows nothing, or nothing that counts.
Code WithoutPerson(const Rule& rule, Code refusal) {
  if (rule.whom == For::kAnybody) return kLetIn;
  return IsForPeople(rule) ? refusal : Code::PERMISSION_DENIED;
}

struct Table {
  SaidSessions sessions;
  GuardedServer server{&sessions};

  Code Try(const std::shared_ptr<grpc::Channel>& channel,
           const std::string& rpc, const CallMetadata& metadata) {
    return Call(channel, "/carme.v1." + rpc, metadata).error_code();
  }
  // The whole table for callers from one machine who show one thing.
  template <typename Expected>
  void Check(const std::string& who,
             const std::shared_ptr<grpc::Channel>& channel,
             const CallMetadata& metadata, const Expected& expected) {
    for (const auto& [rpc, rule] : kRules) {
      INFO(who << " calls " << rpc);
      CHECK(Try(channel, rpc, metadata) == expected(rule));
    }
  }
  std::shared_ptr<grpc::Channel> Frontend() {
    return server.Connect(Port::kClients, kFrontendNames);
  }
};

CallMetadata Shows(const std::string& session) {
  return {{"carme-session", session}};
}
CallMetadata ShowsToken(const std::string& token) {
  return {{"carme-token", token}};
}

TEST_CASE("truth table: it has a rule for every rpc, and no other",
          "[backend]") {
  Table table;
  std::vector<std::string> rpcs;
  for (const auto& [path, access] : ReadAccessTable(ContractFiles())) {
    rpcs.push_back(path.substr(std::string("/carme.v1.").size()));
  }
  std::sort(rpcs.begin(), rpcs.end());
  std::vector<std::string> ruled;
  for (const auto& [rpc, rule] : kRules) ruled.push_back(rpc);
  CHECK(rpcs == ruled);
}

TEST_CASE("truth table: nobody", "[backend]") {
  Table table;
  const auto channel = table.server.Connect(Port::kClients, "");
  table.Check("nobody", channel, Shows("admin"),
              [](const Rule&) { return Code::UNAVAILABLE; });
}

TEST_CASE("truth table: the proxy, with whatever it shows", "[backend]") {
  Table table;
  const auto channel = table.server.Connect(Port::kClients, kProxyNames);
  for (const CallMetadata& shown :
       {CallMetadata{}, Shows("admin"), ShowsToken("admin may-all")}) {
    table.Check("the proxy", channel, shown, [](const Rule& rule) {
      return rule.whom == For::kProxy ? kLetIn : Code::PERMISSION_DENIED;
    });
  }
}

TEST_CASE("truth table: the agents' port, whoever comes", "[backend]") {
  Table table;
  for (const char* names : {"", kFrontendNames, kProxyNames}) {
    table.Check("an agent", table.server.Connect(Port::kAgents, names),
                Shows("admin"), [](const Rule& rule) {
                  return rule.whom == For::kAgents ? kLetIn
                                                   : Code::PERMISSION_DENIED;
                });
  }
}

TEST_CASE("truth table: the frontend without a person", "[backend]") {
  Table table;
  const auto channel = table.Frontend();
  const auto unauthenticated = [](const Rule& rule) {
    return WithoutPerson(rule, Code::UNAUTHENTICATED);
  };
  table.Check("no session", channel, {}, unauthenticated);
  table.Check("a guess", channel, Shows("guess"), unauthenticated);
  table.Check("two sessions", channel,
              {{"carme-session", "user"}, {"carme-session", "admin"}},
              unauthenticated);
  table.Check("a session as a token", channel, ShowsToken("admin"),
              unauthenticated);
  table.Check("a token as a session", channel, Shows("admin may-all"),
              unauthenticated);
  table.Check("a session and a token", channel,
              {{"carme-session", "admin"}, {"carme-token", "admin may-all"}},
              [](const Rule& rule) {
                return WithoutPerson(rule, Code::INVALID_ARGUMENT);
              });
}

TEST_CASE("truth table: people of every role, factor fresh or stale",
          "[backend]") {
  Table table;
  const auto channel = table.Frontend();
  for (const Role role :
       {Role::kUser, Role::kManager, Role::kSupport, Role::kAdmin}) {
    const std::string name(RoleName(role));
    table.Check(name, channel, Shows(name),
                [&](const Rule& rule) { return ForPerson(rule, role, true); });
    table.Check(name + ", stale", channel, Shows(name + " stale"),
                [&](const Rule& rule) { return ForPerson(rule, role, false); });
  }
}

TEST_CASE("truth table: scripts of every role, with and without the scope",
          "[backend]") {
  Table table;
  const auto channel = table.Frontend();
  for (const Role role :
       {Role::kUser, Role::kManager, Role::kSupport, Role::kAdmin}) {
    const std::string name(RoleName(role));
    for (const auto& [rpc, rule] : kRules) {
      INFO("a script of " << name << " calls " << rpc);
      const auto try_with = [&](const std::string& scopes) {
        return table.Try(channel, rpc, ShowsToken(name + scopes));
      };
      CHECK(try_with(" may-all") == ForScript(rule, role, true));
      if (rule.scope.empty()) continue;
      CHECK(try_with(" may " + rule.scope) == ForScript(rule, role, true));
      CHECK(try_with(" may-not " + rule.scope) == ForScript(rule, role, false));
    }
  }
}

TEST_CASE("truth table: support reads, and changes nothing of others",
          "[backend]") {
  for (const auto& [rpc, rule] : kRules) {
    if (rule.whom != For::kSupport) continue;
    const std::string verb = rpc.substr(rpc.find('/') + 1);
    INFO(rpc);
    CHECK((verb.starts_with("Get") || verb.starts_with("List") ||
           verb.starts_with("Export") || verb.starts_with("Verify")));
  }
}

}  // namespace
}  // namespace carme
