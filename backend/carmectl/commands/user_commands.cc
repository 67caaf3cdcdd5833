// carmectl user, session, factor: the users of the site with their sessions and
// factors.
#include <CLI/CLI.hpp>
#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "backend/carmectl/commands/command.h"
#include "backend/carmectl/commands/messages.h"
#include "backend/carmectl/portal/account_list.h"
#include "backend/carmectl/portal/portal_options.h"
#include "carme/v1/admin.pb.h"

namespace carme::carmectl {
namespace {

struct UserOptions : PortalOptions {
  std::string username;
  std::string filter;
  std::string reason;
  AccountListOptions accounts;
  bool ldif = false;
};

std::string RoleText(v1::Role role) {
  switch (role) {
    case v1::ROLE_USER:
      return "user";
    case v1::ROLE_MANAGER:
      return "manager";
    case v1::ROLE_SUPPORT:
      return "support";
    case v1::ROLE_ADMIN:
      return "administrator";
    default:
      return "-";
  }
}

std::string FactorText(int factor) {
  return factor == v1::FACTOR_TOTP      ? "code"
         : factor == v1::FACTOR_PASSKEY ? "passkey"
                                        : "other";
}

std::string FactorsText(const v1::User& user) {
  return absl::StrJoin(user.factors(), ",", [](std::string* out, int factor) {
    out->append(FactorText(factor));
  });
}

absl::StatusOr<v1::ListUsersResponse> ListUsers(PortalClient& client,
                                                const std::string& filter) {
  v1::ListUsersRequest request;
  request.mutable_filter()->set_search(filter);
  request.set_page_size(500);
  return ListAll<v1::ListUsersResponse>(
      client, "AdminService/ListUsers", request,
      [](v1::ListUsersResponse* page) { return page->mutable_users(); });
}

absl::StatusOr<v1::GetUserResponse> GetUser(PortalClient& client,
                                            const std::string& username) {
  v1::GetUserRequest request;
  request.set_username(username);
  return client.Call<v1::GetUserResponse>("AdminService/GetUser", request);
}

absl::Status List(const UserOptions& options, PortalClient& client) {
  ASSIGN_OR_RETURN(const auto users, ListUsers(client, options.filter));
  TableRows rows = {{"USERNAME", "UID", "NAME", "ROLE", "LAST LOGIN", "FACTORS",
                     "SESSIONS", "TOKENS"}};
  for (const v1::User& user : users.users()) {
    rows.push_back(
        {user.username(), absl::StrCat(user.uid()), user.display_name(),
         RoleText(user.role()), TimeText(user.last_login()), FactorsText(user),
         absl::StrCat(user.sessions()), absl::StrCat(user.tokens())});
  }
  return Print(options, users, rows);
}

absl::Status Show(const UserOptions& options, PortalClient& client) {
  ASSIGN_OR_RETURN(const auto found, GetUser(client, options.username));
  const v1::User& user = found.user();
  return Print(
      options, found,
      {{"USERNAME", user.username()},
       {"NAME", user.display_name()},
       {"UID", absl::StrCat(user.uid())},
       {"ROLE", RoleText(user.role())},
       {"LAST LOGIN", TimeText(user.last_login())},
       {"FACTORS", FactorsText(user)},
       {"RECOVERY CODES LEFT", absl::StrCat(found.recovery_codes_left())},
       {"SESSIONS", absl::StrCat(user.sessions())},
       {"TOKENS", absl::StrCat(user.tokens())}});
}

absl::Status Import(const UserOptions& options) {
  if (!options.ldif) {
    return MakePlainError(command_messages::kNoAccountsCreated);
  }
  ASSIGN_OR_RETURN(const std::string ldif, WriteLdif(options.accounts));
  std::fputs(ldif.c_str(), stdout);
  return absl::OkStatus();
}

absl::Status ListSessions(const UserOptions& options, PortalClient& client) {
  ASSIGN_OR_RETURN(const auto found, GetUser(client, options.username));
  TableRows rows = {{"KIND", "ID", "FROM", "LAST USED", "EXPIRES", "DETAIL"}};
  for (const v1::SessionEntry& session : found.sessions()) {
    rows.push_back({"session", session.id(), session.last_address(),
                    TimeText(session.used_at()), TimeText(session.expires_at()),
                    session.device()});
  }
  for (const v1::AccessToken& token : found.tokens()) {
    rows.push_back(
        {"token", token.id(), token.used_from(), TimeText(token.used_at()),
         TimeText(token.expires_at()),
         absl::StrCat(token.name(), ": ", absl::StrJoin(token.scopes(), " "))});
  }
  return Print(options, found, rows);
}

absl::Status EndSessions(const UserOptions& options, PortalClient& client) {
  v1::EndUserSessionsRequest request;
  request.set_username(options.username);
  request.set_reason(options.reason);
  ASSIGN_OR_RETURN(const auto ended,
                   client.Call<v1::EndUserSessionsResponse>(
                       "AdminService/EndUserSessions", request));
  return Print(
      options, ended,
      {{"SESSIONS ENDED", "TOKENS REVOKED"},
       {absl::StrCat(ended.sessions()), absl::StrCat(ended.tokens())}});
}

absl::Status ListFactors(const UserOptions& options, PortalClient& client) {
  if (options.username.empty()) {
    ASSIGN_OR_RETURN(const auto users, ListUsers(client, ""));
    TableRows rows = {{"USERNAME", "FACTORS"}};
    for (const v1::User& user : users.users()) {
      rows.push_back({user.username(), FactorsText(user)});
    }
    return Print(options, users, rows);
  }
  ASSIGN_OR_RETURN(const auto found, GetUser(client, options.username));
  TableRows rows = {{"ID", "KIND", "NAME", "ENROLLED", "LAST USED"}};
  for (const v1::EnrolledFactor& factor : found.factors()) {
    rows.push_back({factor.id(), FactorText(factor.kind()), factor.name(),
                    TimeText(factor.created_at()), TimeText(factor.used_at())});
  }
  rows.push_back({"-", "recovery codes",
                  absl::StrCat(found.recovery_codes_left(), " left"), "-",
                  "-"});
  return Print(options, found, rows);
}

}  // namespace

void AddUserCommands(CLI::App* app, Command* chosen) {
  const auto options = std::make_shared<UserOptions>();
  const UserOptions* const given = options.get();
  CLI::App* const user =
      AddNoun(app, "user", "users who have logged in",
              "  carmectl user list --filter ada\n"
              "  carmectl user show ada --json\n"
              "  carmectl user import people.csv --ldif "
              "--base ou=people,dc=example,dc=org --first-uid 30000 > new.ldif",
              options.get());
  CLI::App* const list = AddVerb(
      user, "list", "list users who have logged in", given, chosen,
      [options](PortalClient& client) { return List(*options, client); });
  list->add_option("--filter", options->filter, "part of a name");
  CLI::App* const show = AddVerb(
      user, "show", "one person", given, chosen,
      [options](PortalClient& client) { return Show(*options, client); });
  show->add_option("username", options->username)->required();
  CLI::App* const import = user->add_subcommand(
      "import", "write entries for the site's directory from a CSV file");
  import->add_flag("--ldif", options->ldif, "print LDIF (RFC 2849)");
  AddAccountListOptions(import, &options->accounts);
  import->callback([=] { *chosen = [options] { return Import(*options);
};
}  // namespace carme::carmectl
);
}

void AddSessionCommands(CLI::App* app, Command* chosen) {
  const auto options = std::make_shared<UserOptions>();
  const UserOptions* const given = options.get();
  CLI::App* const session =
      AddNoun(app, "session", "sessions and access tokens of a person",
              "  carmectl session list ada\n"
              "  carmectl session end ada --reason \"stolen laptop\"",
              options.get());
  CLI::App* const list =
      AddVerb(session, "list", "what a person is logged in with", given, chosen,
              [options](PortalClient& client) {
                return ListSessions(*options, client);
              });
  list->add_option("username", options->username)->required();
  CLI::App* const end =
      AddVerb(session, "end", "end all sessions and revoke all tokens", given,
              chosen, [options](PortalClient& client) {
                return EndSessions(*options, client);
              });
  end->add_option("username", options->username)->required();
  end->add_option("--reason", options->reason, "for the person and the log")
      ->required();
}

void AddFactorCommands(CLI::App* app, Command* chosen) {
  const auto options = std::make_shared<UserOptions>();
  CLI::App* const factor = AddNoun(
      app, "factor",
      "second factors; they are reset in the portal alone, never by a token",
      "  carmectl factor list\n"
      "  carmectl factor list ada",
      options.get());
  CLI::App* const list =
      AddVerb(factor, "list", "the factors of everybody, or of one person",
              options.get(), chosen, [options](PortalClient& client) {
                return ListFactors(*options, client);
              });
  list->add_option("username", options->username);
}

}  // namespace carme::carmectl
