// carmectl announcement: what pages show to their readers.
#include <CLI/CLI.hpp>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/time/clock.h"
#include "backend/carmectl/commands/command.h"
#include "backend/carmectl/portal/portal_options.h"
#include "carme/v1/announcement.pb.h"
#include "common/status.h"

namespace carme::carmectl {
namespace {

using LevelNames = std::map<std::string, v1::AnnouncementLevel>;
using AudienceNames = std::map<std::string, v1::AnnouncementAudience>;

const LevelNames& Levels() {
  static const auto* const levels =
      new LevelNames({{"info", v1::ANNOUNCEMENT_LEVEL_INFO},
                      {"warning", v1::ANNOUNCEMENT_LEVEL_WARNING}});
  return *levels;
}

const AudienceNames& Audiences() {
  static const auto* const audiences =
      new AudienceNames({{"everyone", v1::ANNOUNCEMENT_AUDIENCE_EVERYONE},
                         {"users", v1::ANNOUNCEMENT_AUDIENCE_USERS},
                         {"project", v1::ANNOUNCEMENT_AUDIENCE_PROJECT},
                         {"group", v1::ANNOUNCEMENT_AUDIENCE_GROUP},
                         {"role", v1::ANNOUNCEMENT_AUDIENCE_ROLE}});
  return *audiences;
}

struct AnnouncementOptions : PortalOptions {
  std::string id;
  std::string title;
  std::string text;
  std::string level = "info";
  std::string audience = "users";
  std::string name;
  std::string from;
  std::string until;
};

template <typename Names, typename Value>
std::string NameOf(const Names& names, Value value) {
  for (const auto& [name, each] : names) {
    if (each == value) return name;
  }
  return "-";
}

std::vector<std::string> RowOf(const v1::AnnouncementDetails& details) {
  const v1::Announcement& announcement = details.announcement();
  std::string audience = NameOf(Audiences(), details.audience());
  if (!details.audience_name().empty()) {
    absl::StrAppend(&audience, " ", details.audience_name());
  }
  return {announcement.id(),
          NameOf(Levels(), announcement.level()),
          std::move(audience),
          TimeText(announcement.starts_at()),
          TimeText(announcement.ends_at()),
          details.set_by(),
          announcement.title()};
}

const std::vector<std::string>& Heading() {
  static const auto* const heading = new std::vector<std::string>(
      {"ID", "LEVEL", "FOR", "FROM", "UNTIL", "BY", "TITLE"});
  return *heading;
}

absl::Status List(const AnnouncementOptions& options, PortalClient& client) {
  ASSIGN_OR_RETURN(const auto response,
                   client.Call<v1::ListAnnouncementDetailsResponse>(
                       "AnnouncementService/ListAnnouncementDetails",
                       v1::ListAnnouncementDetailsRequest()));
  TableRows rows = {Heading()};
  for (const v1::AnnouncementDetails& details : response.announcements()) {
    rows.push_back(RowOf(details));
  }
  return Print(options, response, rows);
}

absl::Status Create(const AnnouncementOptions& options, PortalClient& client) {
  v1::CreateAnnouncementRequest request;
  v1::AnnouncementDetails& details = *request.mutable_details();
  v1::Announcement& announcement = *details.mutable_announcement();
  announcement.set_title(options.title);
  announcement.set_text(options.text);
  announcement.set_level(Levels().at(options.level));
  details.set_audience(Audiences().at(options.audience));
  details.set_audience_name(options.name);
  const absl::Time now = absl::Now();
  ASSIGN_OR_RETURN(const absl::Time until, ParseMoment(options.until, now));
  SetTime(until, announcement.mutable_ends_at());
  if (!options.from.empty()) {
    ASSIGN_OR_RETURN(const absl::Time from, ParseMoment(options.from, now));
    SetTime(from, announcement.mutable_starts_at());
  }
  ASSIGN_OR_RETURN(const auto response,
                   client.Call<v1::CreateAnnouncementResponse>(
                       "AnnouncementService/CreateAnnouncement", request));
  return Print(options, response, {Heading(), RowOf(response.details())});
}

absl::Status Delete(const AnnouncementOptions& options, PortalClient& client) {
  v1::DeleteAnnouncementRequest request;
  request.set_id(options.id);
  ASSIGN_OR_RETURN(const auto response,
                   client.Call<v1::DeleteAnnouncementResponse>(
                       "AnnouncementService/DeleteAnnouncement", request));
  if (!options.json) return absl::OkStatus();
  return Print(options, response, {});
}

}  // namespace

void AddAnnouncementCommands(CLI::App* app, Command* chosen) {
  const auto options = std::make_shared<AnnouncementOptions>();
  CLI::App* const noun = AddNoun(
      app, "announcement", "texts above the pages of their readers",
      "  carmectl announcement create --title \"New storage\" --until 2d \\\n"
      "    --text \"Files move on **Friday**.\" --for everyone\n"
      "  carmectl announcement create --title \"Course\" --until 2026-12-31 "
      "--for group --name chem\n"
      "  carmectl announcement list\n"
      "  carmectl announcement delete 0123456789abcdef",
      options.get());
  AddVerb(noun, "list", "all, also those that have ended", options.get(),
          chosen,
          [options](PortalClient& client) { return List(*options, client); });
  CLI::App* const create = AddVerb(
      noun, "create", "write one", options.get(), chosen,
      [options](PortalClient& client) { return Create(*options, client); });
  create->add_option("--title", options->title)->required();
  create->add_option("--text", options->text,
                     "Markdown: lists, emphasis, code, links");
  create
      ->add_option("--until", options->until,
                   "end: \"2026-12-31T18:00:00Z\", or \"4h\" from now")
      ->required();
  create->add_option("--from", options->from,
                     "start, as --until; default: now");
  create->add_option("--level", options->level)
      ->check(CLI::IsMember(Levels()))
      ->capture_default_str();
  create
      ->add_option("--for", options->audience,
                   "everyone: also on the log-in page")
      ->check(CLI::IsMember(Audiences()))
      ->capture_default_str();
  create->add_option("--name", options->name,
                     "the id of a project, or the name of a group or role");
  CLI::App* const remove = AddVerb(
      noun, "delete", "delete one", options.get(), chosen,
      [options](PortalClient& client) { return Delete(*options, client); });
  remove->add_option("announcement", options->id)->required();
}

}  // namespace carme::carmectl
