// Who may call what: every rpc of the contract against every kind of caller,
// over real TLS, through the guard that the backend serves with.
//
// The rule of each rpc is written here a second time, on purpose: an option in
// a proto that is changed by mistake, and an rpc that is new, fail here until
// this table is changed, too.
#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_split.h"
#include "backend/identity/session/token_scopes.h"
#include "tests/backend/rpc/guarded_server.h"

namespace carme::backend {
namespace {

// Which callers an rpc serves.
enum class For {
  kAnybody,
  kPeople,
  kSupport,
  kManagers,
  kAdmins,
  kProxy,
  kAgents,
  kBackends,
  kMetrics
};

struct Rule {
  For whom;
  std::string scope = {};  // empty: no access token
  bool requires_reauthentication = false;
  // Each is sufficient instead of `scope`.
  std::vector<std::string> other_scopes = {};
  bool any_scope = false;
};

const Rule kAnybody = {For::kAnybody};
const Rule kPeople = {For::kPeople};
const Rule kPeopleAgain = {For::kPeople, "", true};  // a factor proved again
const Rule kAdminsAgain = {For::kAdmins, "", true};
Rule People(const std::string& scope, std::vector<std::string> others = {}) {
  return {For::kPeople, scope, false, std::move(others)};
}
Rule Support(const std::string& scope, std::vector<std::string> others = {}) {
  return {For::kSupport, scope, false, std::move(others)};
}
// A person proves a factor again; a token with the scope may make the call.
Rule AdminsAgain(const std::string& scope) {
  return {For::kAdmins, scope, true};
}

// MetricsService and SampleService are of carme-metrics, and unknown here.
const std::map<std::string, Rule> kRules = {
    {"AccountService/ChangePassword", kPeopleAgain},
    {"AccountService/CreateToken", kPeopleAgain},
    {"AccountService/EndOtherSessions", kPeople},
    {"AccountService/EndSession", kPeople},
    {"AccountService/GetPasswordRules", kPeople},
    {"AccountService/ListSessions", People("account:read")},
    {"AccountService/ListTokens", People("account:read")},
    {"AccountService/RevokeToken", kPeople},
    {"AdminService/DrainNodes", AdminsAgain("admin:write")},
    {"AdminService/EndUserSessions", AdminsAgain("admin:write")},
    {"AdminService/ExtendUserJob", AdminsAgain("admin:write")},
    {"AdminService/GetHealth", Support("admin:read")},
    {"AdminService/GetUser", Support("admin:read")},
    {"AdminService/GetUserJobLog", AdminsAgain("admin:write")},
    {"AdminService/HoldUserJob", AdminsAgain("admin:write")},
    {"AdminService/ListAllJobs", Support("admin:read")},
    {"AdminService/ListUsers", Support("admin:read")},
    {"AdminService/ReleaseUserJob", AdminsAgain("admin:write")},
    {"AdminService/ResetFactors", kAdminsAgain},
    {"AdminService/ResumeNodes", AdminsAgain("admin:write")},
    {"AdminService/StopUserJob", AdminsAgain("admin:write")},
    {"AgentService/GetVetRequest", {For::kAgents}},
    {"AgentService/Register", {For::kAgents}},
    {"ActivityService/ReportActivity", {For::kProxy}},
    {"AgentService/WatchJob", {For::kAgents}},
    {"AgentService/ReportImage", {For::kAgents}},
    {"AgentService/ReportLog", {For::kAgents}},
    {"AgentService/ReportState", {For::kAgents}},
    {"AgentService/ReportVetRun", {For::kAgents}},
    {"AnnouncementService/CreateAnnouncement", AdminsAgain("admin:write")},
    {"AnnouncementService/DeleteAnnouncement", AdminsAgain("admin:write")},
    {"AnnouncementService/ListAnnouncementDetails", Support("admin:read")},
    {"AnnouncementService/ListAnnouncements", People("account:read")},
    {"AnnouncementService/ListPublicAnnouncements", kAnybody},
    {"AnnouncementService/UpdateAnnouncement", AdminsAgain("admin:write")},
    {"AuditService/ExportAudit", Support("audit:read")},
    {"AuditService/ListAudit", Support("audit:read")},
    {"AuditService/VerifyAudit", Support("audit:read")},
    {"AuthService/CreateAssertion", {For::kPeople, "", false, {}, true}},
    {"AuthService/FinishReauthentication", kPeople},
    {"AuthService/GetSession", People("account:read")},
    {"AuthService/Login", kAnybody},
    {"AuthService/Logout", kPeople},
    {"AuthService/StartReauthentication", kPeople},
    {"AuthService/VerifyFactor", kAnybody},
    {"ChoiceService/GetChoices", {For::kAdmins, "admin:read"}},
    {"ClusterService/GetCluster", People("jobs:read")},
    {"ClusterUtilizationService/GetClusterUtilization", People("jobs:read")},
    {"ClusterUtilizationService/GetUtilizationHistory", People("jobs:read")},
    {"DryRunService/DryRunLimitRule", {For::kAdmins, "admin:read"}},
    {"DryRunService/DryRunTemplate", {For::kAdmins, "admin:read"}},
    {"EnvironmentFormService/ReadEnvironmentForm", People("jobs:read")},
    {"EnvironmentFormService/WriteEnvironmentForm", People("jobs:read")},
    {"EnvironmentGalleryService/BuildEnvironmentImage", People("jobs:write")},
    {"EnvironmentGalleryService/ListEnvironmentTemplates", People("jobs:read")},
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
    {"HistoryService/ExportHistory", People("jobs:read", {"admin:read"})},
    {"HistoryService/GetUsage", People("jobs:read", {"admin:read"})},
    {"HistoryService/ListHistory", People("jobs:read", {"admin:read"})},
    {"GpuUseService/ListJudgedJobs", {For::kMetrics}},
    {"GpuUseService/ReportGpuUse", {For::kMetrics}},
    {"ImageService/AddImage", AdminsAgain("images:write")},
    {"ImageService/ChangeImage", AdminsAgain("images:write")},
    {"ImageService/CheckImage", AdminsAgain("images:write")},
    {"ImageService/ImportImage", People("jobs:write")},
    {"ImageService/ListImages", People("images:read", {"jobs:read"})},
    {"ImageService/RequestImageShare", People("images:write", {"jobs:write"})},
    {"ImageService/RemoveImage", People("images:write", {"jobs:write"})},
    {"ImageService/RemoveSiteImage", AdminsAgain("images:write")},
    {"ImageService/SetImageState", People("images:write", {"jobs:write"})},
    {"ImageService/ShareImage", People("images:write")},
    {"ImageService/UnshareImage", People("images:write")},
    {"JobLogService/FollowLog", People("jobs:read")},
    {"JobService/ExtendJob", People("jobs:write")},
    {"JobService/GetJob", People("jobs:read")},
    {"JobService/GetLog", People("jobs:read")},
    {"JobService/HoldJob", People("jobs:write")},
    {"JobService/KeepAliveJob", People("jobs:write")},
    {"JobService/ListJobs", People("jobs:read")},
    {"JobService/OpenApp", People("jobs:open")},
    {"JobService/PreviewJob", People("jobs:read")},
    {"JobService/ReleaseJob", People("jobs:write")},
    {"JobService/StopJob", People("jobs:write")},
    {"JobService/SubmitJob", People("jobs:write")},
    {"JobService/WatchJobs", People("jobs:read")},
    {"MetricsAccessService/AuthorizeMetrics", {For::kMetrics}},
    {"MetricsAccessService/GetMeasuredJob", {For::kMetrics}},
    {"MetricsAccessService/RecordNodeFindings", {For::kMetrics}},
    {"MetricsAccessService/WatchMeasuredJobs", {For::kMetrics}},
    {"PresetService/DeletePreset", People("jobs:write")},
    {"PresetService/ListPresets", People("jobs:read")},
    {"PresetService/SavePreset", People("jobs:write")},
    {"LimitService/GetLimits", People("limits:read", {"jobs:read"})},
    {"LimitService/ListLimitRules", Support("limits:read", {"admin:read"})},
    {"LimitService/RemoveLimitRule", AdminsAgain("limits:write")},
    {"LimitService/SetLimitRule", AdminsAgain("limits:write")},
    {"LogService/ListLogEntries", Support("admin:read")},
    {"LogService/ReportFrontendLog", kAnybody},
    {"LogService/ReportProxyLog", {For::kProxy}},
    {"MaintenanceService/EndMaintenance", AdminsAgain("admin:write")},
    {"MaintenanceService/GetMaintenance", kAnybody},
    {"MaintenanceService/GetMaintenanceDetails", Support("admin:read")},
    {"MaintenanceService/StartMaintenance", AdminsAgain("admin:write")},
    {"NodeHistoryService/GetNodeHistory", {For::kAdmins, "admin:read"}},
    {"NodeHistoryService/RecordVetRun", AdminsAgain("admin:write")},
    {"NotificationService/SetNotificationPreferences", kPeople},
    {"NotificationService/GetChannels", People("account:read")},
    {"NotificationService/GetDeliveryHealth", Support("admin:read")},
    {"NotificationService/ListNotifications", People("account:read")},
    {"NotificationService/MarkRead", kPeople},
    {"NotificationService/RemoveWebhook", kPeople},
    {"NotificationService/SetWebhook", kPeopleAgain},
    {"NotificationService/TestChannel", kPeople},
    {"ProjectService/AcceptInvitation", People("projects:write")},
    {"ProjectService/ApproveMember", People("projects:write")},
    {"ProjectService/ApproveProject", People("projects:write")},
    {"ProjectService/CloseProject", People("projects:write")},
    {"ProjectService/ConfirmMember", People("projects:write")},
    {"ProjectService/DeclineInvitation", People("projects:write")},
    {"ProjectService/DemoteManager", People("projects:write")},
    {"ProjectService/LeaveProject", People("projects:write")},
    {"ProjectService/PromoteMember", People("projects:write")},
    {"ProjectService/RefuseMember", People("projects:write")},
    {"ProjectService/RejectMember", People("projects:write")},
    {"ProjectService/RejectProject", People("projects:write")},
    {"ProjectService/RemoveMember", People("projects:write")},
    {"ProjectService/ReopenProject", People("projects:write")},
    {"ProjectService/RevokeInvitation", People("projects:write")},
    {"ProjectService/TransferOwnership", People("projects:write")},
    {"ProjectService/WithdrawMembershipRequest", People("projects:write")},
    {"ProjectService/AddMember", AdminsAgain("projects:write")},
    {"ProjectService/ChangeProject", People("projects:write")},
    {"ProjectService/CreateProject", People("projects:write")},
    {"ProjectService/GetProject",
     People("projects:read", {"jobs:read", "admin:read"})},
    {"ProjectService/InviteMember", People("projects:write")},
    {"ProjectService/ListProjects",
     People("projects:read", {"jobs:read", "admin:read"})},
    {"ProjectService/RequestMembership", People("projects:write")},
    {"ProjectService/SetProjectTerms", AdminsAgain("projects:write")},
    {"ReservationCalendarService/GetReservationCalendar",
     People("calendar:read")},
    {"ReservationService/CreateReservation", People("reservations:write")},
    {"ReservationService/CancelReservation", People("reservations:write")},
    {"ReservationService/ListReservations",
     People("reservations:read", {"jobs:read"})},
    {"ReservationService/PreviewReservation", People("reservations:read")},
    {"RouteService/RedeemTicket", {For::kProxy}},
    {"RouteService/WatchRoutes", {For::kProxy}},
    {"SessionService/WatchEndedSessions", {For::kBackends}},
    {"StorageService/GetStorage", People("jobs:read")},
    {"TemplateService/AttachTemplate", AdminsAgain("templates:write")},
    {"TemplateService/DetachTemplate", AdminsAgain("templates:write")},
    {"TemplateService/ReactivateTemplate", AdminsAgain("templates:write")},
    {"TemplateService/ChangeTemplate", AdminsAgain("templates:write")},
    {"TemplateService/CreateTemplate", AdminsAgain("templates:write")},
    {"TemplateService/ListTemplates",
     People("templates:read", {"jobs:read", "admin:read"})},
    {"TemplateService/ProposeTemplates", {For::kAdmins, "templates:read"}},
    {"TemplateService/RetireTemplate", AdminsAgain("templates:write")},
    {"UserPreviewService/PreviewStartForm", {For::kAdmins}},
};

// Every scope but these.
std::vector<std::string> ScopesBut(const std::set<std::string>& these) {
  std::vector<std::string> scopes;
  for (const TokenScope& scope : kTokenScopes) {
    if (!these.contains(std::string(scope.word))) {
      scopes.emplace_back(scope.word);
    }
  }
  return scopes;
}

// Sessions by what they say of themselves: "admin", "admin stale", and of
// scripts "user may jobs:read", "user may-not jobs:read admin:read",
// "user may-all".
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
    if (words.size() == 1)
      session.reauthenticated_until = absl::InfiniteFuture();
    const std::string verb = words.size() > 1 ? words[1] : "";
    if (verb == "may") session.scopes = {words[2]};
    if (verb == "may-not") {
      session.scopes = ScopesBut({words.begin() + 2, words.end()});
    }
    if (verb == "may-all") session.scopes = ScopesBut({});
    return session;
  }
};

using Code = grpc::StatusCode;
constexpr Code kLetIn = Code::UNIMPLEMENTED;  // the stand-ins' answer

// The required result of a call by a user with a session.
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
  return rule.requires_reauthentication && !fresh ? Code::FAILED_PRECONDITION
                                                  : kLetIn;
}

// Of a call by a script whose token has the rpc's scope, or has not.
Code ForScript(const Rule& rule, Role role, bool has_scope) {
  if (rule.whom == For::kAnybody || rule.any_scope) return kLetIn;
  if (rule.scope.empty() || !has_scope) return Code::PERMISSION_DENIED;
  return ForPerson(rule, role, true);
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
  for (const auto& [path, access] : ReadAccessTable(RegisteredProtoFiles())) {
    rpcs.push_back(path.substr(std::string("/carme.v1.").size()));
  }
  std::sort(rpcs.begin(), rpcs.end());
  std::vector<std::string> ruled;
  for (const auto& [rpc, rule] : kRules) ruled.push_back(rpc);
  CHECK(rpcs == ruled);
}

TEST_CASE("truth table: unauthenticated callers", "[backend]") {
  Table table;
  const auto channel = table.server.Connect(Port::kClients, "");
  table.Check("nobody", channel, Shows("admin"),
              [](const Rule&) { return Code::UNAVAILABLE; });
}

TEST_CASE("truth table: the proxy, with any credential", "[backend]") {
  Table table;
  const auto channel = table.server.Connect(Port::kClients, kProxyNames);
  for (const CallMetadata& shown :
       {CallMetadata{}, Shows("admin"), ShowsToken("admin may-all")}) {
    table.Check("the proxy", channel, shown, [](const Rule& rule) {
      return rule.whom == For::kProxy ? kLetIn : Code::PERMISSION_DENIED;
    });
  }
}

TEST_CASE("truth table: the backend of a further cluster, with any credential",
          "[backend]") {
  Table table;
  const auto channel = table.server.Connect(Port::kClients, kClusterNames);
  for (const CallMetadata& shown : {CallMetadata{}, Shows("admin")}) {
    table.Check("a backend", channel, shown, [](const Rule& rule) {
      return rule.whom == For::kBackends ? kLetIn : Code::PERMISSION_DENIED;
    });
  }
  const auto other =
      table.server.Connect(Port::kClients, "URI:carme://cluster/gamma");
  table.Check("an unknown backend", other, {},
              [](const Rule&) { return Code::PERMISSION_DENIED; });
}

TEST_CASE("truth table: carme-metrics, with any credential", "[backend]") {
  Table table;
  const auto channel = table.server.Connect(Port::kClients, kMetricsNames);
  for (const CallMetadata& shown : {CallMetadata{}, Shows("admin")}) {
    table.Check("carme-metrics", channel, shown, [](const Rule& rule) {
      return rule.whom == For::kMetrics ? kLetIn : Code::PERMISSION_DENIED;
    });
  }
}

TEST_CASE("truth table: an assertion at the identity backend", "[backend]") {
  Table table;
  table.Check("an assertion", table.Frontend(), {{"carme-assertion", "admin"}},
              [](const Rule& rule) {
                return rule.whom == For::kAnybody || IsForPeople(rule)
                           ? Code::FAILED_PRECONDITION
                           : Code::PERMISSION_DENIED;
              });
}

TEST_CASE("truth table: the backend of a further cluster has no log-in",
          "[backend]") {
  SaidSessions sessions;
  GuardedServer server(
      &sessions, {}, nullptr, [](TlsConfig*) {}, Credentials::kAssertions);
  const auto channel = server.Connect(Port::kClients, kFrontendNames);
  const AccessTable access = ReadAccessTable(RegisteredProtoFiles());
  const auto check = [&](const CallMetadata& shown, const auto& expected) {
    for (const auto& [rpc, rule] : kRules) {
      if (rule.whom != For::kAnybody && !IsForPeople(rule)) continue;
      const std::string path = "/carme.v1." + rpc;
      INFO(shown[0].first << " for " << rpc);
      const grpc::Status status = Call(channel, path, shown);
      CHECK(status.error_code() == (access.at(path).identity()
                                        ? Code::FAILED_PRECONDITION
                                        : expected(rule)));
    }
  };
  for (const char* key : {"carme-session", "carme-token"}) {
    check({{key, "admin"}},
          [](const Rule&) { return Code::FAILED_PRECONDITION; });
  }
  check({{"carme-assertion", "admin"}}, [](const Rule&) { return kLetIn; });
  check({{"carme-assertion", "admin stale"}},
        [](const Rule& rule) { return ForPerson(rule, Role::kAdmin, false); });
  check({{"carme-assertion", "user may jobs:read"}}, [](const Rule& rule) {
    const auto& others = rule.other_scopes;
    const bool has_scope =
        rule.scope == "jobs:read" ||
        std::find(others.begin(), others.end(), "jobs:read") != others.end();
    return ForScript(rule, Role::kUser, has_scope);
  });
}

TEST_CASE(
    "truth table: only log-in, accounts and announcements are the "
    "identity backend's",
    "[backend]") {
  for (const auto& [path, access] : ReadAccessTable(RegisteredProtoFiles())) {
    const std::string rpc = path.substr(std::string("/carme.v1.").size());
    const std::string service = rpc.substr(0, rpc.find('/'));
    static const std::set<std::string> kServices = {
        "AccountService", "AnnouncementService", "AuthService", "FactorService",
        "SessionService"};
    static const std::set<std::string> kOthers = {
        "AdminService/EndUserSessions", "AdminService/GetUser",
        "AdminService/ListUsers", "AdminService/ResetFactors"};
    INFO(rpc);
    CHECK(access.identity() ==
          (kServices.contains(service) || kOthers.contains(rpc)));
  }
}

TEST_CASE("truth table: the agents' port, all callers", "[backend]") {
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
      std::string all;
      std::vector<std::string> scopes = rule.other_scopes;
      scopes.push_back(rule.scope);
      for (const std::string& scope : scopes) {
        CHECK(try_with(" may " + scope) == ForScript(rule, role, true));
        all += " " + scope;
      }
      CHECK(try_with(" may-not" + all) == ForScript(rule, role, false));
    }
  }
}

// What would let a stolen token outlive its revocation, gain rights or take an
// account over.
TEST_CASE("truth table: no access token creates credentials", "[backend]") {
  for (const char* rpc :
       {"AccountService/ChangePassword", "AccountService/CreateToken",
        "AccountService/EndOtherSessions", "AccountService/EndSession",
        "AccountService/RevokeToken", "AdminService/ResetFactors",
        "AuthService/FinishReauthentication", "FactorService/FinishPasskey",
        "FactorService/FinishTotp", "FactorService/RemoveFactor",
        "FactorService/RenewRecoveryCodes", "FactorService/StartPasskey",
        "FactorService/StartTotp", "NotificationService/SetWebhook"}) {
    INFO(rpc);
    CHECK(kRules.at(rpc).scope.empty());
  }
}

TEST_CASE("truth table: support reads but cannot change data of others",
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
}  // namespace carme::backend
