// carmectl template, limit, image, reservation: the resources of jobs.
#include <google/protobuf/util/json_util.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "backend/carmectl/commands/command.h"
#include "backend/carmectl/commands/messages.h"
#include "backend/carmectl/portal/course_plan.h"
#include "backend/carmectl/portal/portal_options.h"
#include "carme/v1/image.pb.h"
#include "carme/v1/limit.pb.h"
#include "carme/v1/reservation.pb.h"
#include "carme/v1/template.pb.h"
#include "common/file.h"

namespace carme::carmectl {
namespace {

struct SiteOptions : PortalOptions {
  std::string id;
  std::string project;
  std::string file;
  std::string search;
  std::string scope;
  std::string name;
  std::string username;
  std::string metric;
  std::string max;
  std::string note;
  std::string expires;
  std::string state;
  bool undo = false;
};

// The message of a file with its JSON.
template <typename Message>
absl::StatusOr<Message> ReadMessage(const std::string& file) {
  ASSIGN_OR_RETURN(const std::string json, ReadFile(file));
  Message message;
  const auto parsed =
      google::protobuf::util::JsonStringToMessage(json, &message);
  if (parsed.ok()) return message;
  return MakePlainError(command_messages::kInvalidFile,
                        {{"file", file},
                         {"cause", std::string(parsed.message().data(),
                                               parsed.message().size())}});
}

absl::Status PrintTemplates(const SiteOptions& options,
                            const v1::ListTemplatesResponse& templates) {
  TableRows rows = {{"TEMPLATE", "NAME", "PARTITION", "GPUS PER NODE", "NODES",
                     "WALLTIME", "USED BY", "RETIRED"}};
  for (const v1::Template& one : templates.templates()) {
    const v1::TemplateSettings& settings = one.settings();
    rows.push_back(
        {one.id(), settings.name(), settings.partition(),
         absl::StrCat(settings.max_gpus_per_node()),
         absl::StrCat(settings.max_nodes()),
         DurationText(settings.max_walltime()),
         one.everybody() ? "everybody" : absl::StrJoin(one.projects(), ","),
         one.retired() ? "yes" : "no"});
  }
  return Print(options, templates, rows);
}

absl::Status ListTemplates(const SiteOptions& options, PortalClient& client) {
  v1::ListTemplatesRequest request;
  request.set_all(true);
  request.mutable_filter()->set_project(options.project);
  request.mutable_filter()->set_search(options.search);
  ASSIGN_OR_RETURN(const auto templates,
                   ListAll<v1::ListTemplatesResponse>(
                       client, "TemplateService/ListTemplates", request,
                       [](v1::ListTemplatesResponse* page) {
                         return page->mutable_templates();
                       }));
  return PrintTemplates(options, templates);
}

// A response with one template.
template <typename Response, typename Request>
absl::Status CallTemplate(const SiteOptions& options, PortalClient& client,
                          const char* method, const Request& request) {
  ASSIGN_OR_RETURN(const auto response, client.Call<Response>(method, request));
  v1::ListTemplatesResponse one;
  *one.add_templates() = response.template_();
  return PrintTemplates(options, one);
}

absl::Status SaveTemplate(const SiteOptions& options, PortalClient& client) {
  ASSIGN_OR_RETURN(const auto settings,
                   ReadMessage<v1::TemplateSettings>(options.file));
  if (options.id.empty()) {
    v1::CreateTemplateRequest request;
    *request.mutable_settings() = settings;
    return CallTemplate<v1::CreateTemplateResponse>(
        options, client, "TemplateService/CreateTemplate", request);
  }
  v1::ChangeTemplateRequest request;
  request.set_template_id(options.id);
  *request.mutable_settings() = settings;
  return CallTemplate<v1::ChangeTemplateResponse>(
      options, client, "TemplateService/ChangeTemplate", request);
}

absl::Status RetireTemplate(const SiteOptions& options, PortalClient& client) {
  if (options.undo) {
    v1::ReactivateTemplateRequest request;
    request.set_template_id(options.id);
    return CallTemplate<v1::ReactivateTemplateResponse>(
        options, client, "TemplateService/ReactivateTemplate", request);
  }
  v1::RetireTemplateRequest request;
  request.set_template_id(options.id);
  return CallTemplate<v1::RetireTemplateResponse>(
      options, client, "TemplateService/RetireTemplate", request);
}

absl::Status AttachTemplate(const SiteOptions& options, PortalClient& client) {
  if (options.undo) {
    v1::DetachTemplateRequest request;
    request.set_template_id(options.id);
    request.set_project_id(options.project);
    return CallTemplate<v1::DetachTemplateResponse>(
        options, client, "TemplateService/DetachTemplate", request);
  }
  v1::AttachTemplateRequest request;
  request.set_template_id(options.id);
  request.set_project_id(options.project);
  return CallTemplate<v1::AttachTemplateResponse>(
      options, client, "TemplateService/AttachTemplate", request);
}

absl::StatusOr<v1::LimitScope> ScopeOf(const std::string& text) {
  v1::LimitScope scope;
  if (v1::LimitScope_Parse(
          absl::StrCat("LIMIT_SCOPE_", absl::AsciiStrToUpper(text)), &scope)) {
    return scope;
  }
  return MakePlainError(command_messages::kInvalidScope, {{"value", text}});
}

absl::StatusOr<v1::LimitRule> RuleOf(const SiteOptions& options) {
  v1::LimitRule rule;
  ASSIGN_OR_RETURN(const v1::LimitScope scope, ScopeOf(options.scope));
  ASSIGN_OR_RETURN(const v1::LimitMetric metric, ParseMetric(options.metric));
  rule.set_scope(scope);
  rule.set_metric(metric);
  rule.set_name(options.name);
  rule.set_project(options.project);
  rule.set_username(options.username);
  rule.set_note(options.note);
  return rule;
}

absl::Status PrintRules(const SiteOptions& options,
                        const v1::ListLimitRulesResponse& rules) {
  TableRows rows = {{"FOR", "LIMIT", "MOST", "EXPIRES", "SET BY", "NOTE"}};
  for (const v1::LimitRule& rule : rules.rules()) {
    rows.push_back({rule.source(), MetricText(rule.metric()),
                    rule.has_max() ? absl::StrCat(rule.max()) : "unlimited",
                    TimeText(rule.expires_at()),
                    rule.set_by().empty() ? "configuration" : rule.set_by(),
                    rule.note()});
  }
  return Print(options, rules, rows);
}

absl::Status ListLimits(const SiteOptions& options, PortalClient& client) {
  v1::ListLimitRulesRequest request;
  v1::LimitRuleFilter* const filter = request.mutable_filter();
  if (!options.scope.empty()) {
    ASSIGN_OR_RETURN(const v1::LimitScope scope, ScopeOf(options.scope));
    filter->set_scope(scope);
  }
  if (!options.metric.empty()) {
    ASSIGN_OR_RETURN(const v1::LimitMetric metric, ParseMetric(options.metric));
    filter->set_metric(metric);
  }
  filter->set_name(options.name);
  filter->set_project(options.project);
  filter->set_username(options.username);
  ASSIGN_OR_RETURN(const auto rules,
                   ListAll<v1::ListLimitRulesResponse>(
                       client, "LimitService/ListLimitRules", request,
                       [](v1::ListLimitRulesResponse* page) {
                         return page->mutable_rules();
                       }));
  return PrintRules(options, rules);
}

absl::Status SetLimit(const SiteOptions& options, PortalClient& client) {
  v1::SetLimitRuleRequest request;
  ASSIGN_OR_RETURN(*request.mutable_rule(), RuleOf(options));
  if (options.max != "unlimited") {
    int64_t max = 0;
    if (!absl::SimpleAtoi(options.max, &max) || max < 0) {
      return MakePlainError(command_messages::kInvalidMaximum,
                            {{"value", options.max}});
    }
    request.mutable_rule()->set_max(max);
  }
  if (!options.expires.empty()) {
    ASSIGN_OR_RETURN(const absl::Time end, ParseDay(options.expires));
    SetTime(end, request.mutable_rule()->mutable_expires_at());
  }
  ASSIGN_OR_RETURN(const auto response,
                   client.Call<v1::SetLimitRuleResponse>(
                       "LimitService/SetLimitRule", request));
  v1::ListLimitRulesResponse one;
  *one.add_rules() = response.rule();
  return PrintRules(options, one);
}

absl::Status RemoveLimit(const SiteOptions& options, PortalClient& client) {
  v1::RemoveLimitRuleRequest request;
  ASSIGN_OR_RETURN(*request.mutable_rule(), RuleOf(options));
  return client
      .Call<v1::RemoveLimitRuleResponse>("LimitService/RemoveLimitRule",
                                         request)
      .status();
}

std::string StateText(v1::ImageState state) {
  return absl::AsciiStrToLower(
      absl::StripPrefix(v1::ImageState_Name(state), "IMAGE_STATE_"));
}

absl::Status PrintImages(const SiteOptions& options,
                         const v1::ListImagesResponse& images) {
  TableRows rows = {{"IMAGE", "STATE", "OWNER", "PATH", "DESCRIPTION"}};
  for (const v1::Image& image : images.images()) {
    rows.push_back({image.id(), StateText(image.state()),
                    image.owner().empty() ? "site" : image.owner(),
                    image.path(), image.settings().description()});
  }
  return Print(options, images, rows);
}

absl::StatusOr<v1::ListImagesResponse> Images(PortalClient& client,
                                              const std::string& search) {
  v1::ListImagesRequest request;
  request.mutable_filter()->set_search(search);
  return ListAll<v1::ListImagesResponse>(
      client, "ImageService/ListImages", request,
      [](v1::ListImagesResponse* page) { return page->mutable_images(); });
}

absl::Status ListImages(const SiteOptions& options, PortalClient& client) {
  ASSIGN_OR_RETURN(const auto images, Images(client, options.search));
  return PrintImages(options, images);
}

absl::Status AddImage(const SiteOptions& options, PortalClient& client) {
  ASSIGN_OR_RETURN(const auto request,
                   ReadMessage<v1::AddImageRequest>(options.file));
  ASSIGN_OR_RETURN(const auto response, client.Call<v1::AddImageResponse>(
                                            "ImageService/AddImage", request));
  v1::ListImagesResponse one;
  *one.add_images() = response.image();
  return PrintImages(options, one);
}

absl::Status SetImageState(const SiteOptions& options, PortalClient& client) {
  ASSIGN_OR_RETURN(const auto images, Images(client, options.id));
  for (const v1::Image& image : images.images()) {
    if (image.id() != options.id) continue;
    v1::ChangeImageRequest request;
    request.set_id(image.id());
    *request.mutable_settings() = image.settings();
    v1::ImageState state;
    if (!v1::ImageState_Parse(
            absl::StrCat("IMAGE_STATE_", absl::AsciiStrToUpper(options.state)),
            &state)) {
      return MakePlainError(command_messages::kNoSuchState);
    }
    request.set_state(state);
    ASSIGN_OR_RETURN(const auto response,
                     client.Call<v1::ChangeImageResponse>(
                         "ImageService/ChangeImage", request));
    v1::ListImagesResponse one;
    *one.add_images() = response.image();
    return PrintImages(options, one);
  }
  return MakePlainError(command_messages::kNoImage, {{"image", options.id}});
}

absl::Status ListReservations(const SiteOptions& options,
                              PortalClient& client) {
  v1::ListReservationsRequest request;
  request.mutable_filter()->set_search(options.search);
  request.mutable_filter()->set_project(options.project);
  ASSIGN_OR_RETURN(const auto reservations,
                   ListAll<v1::ListReservationsResponse>(
                       client, "ReservationService/ListReservations", request,
                       [](v1::ListReservationsResponse* page) {
                         return page->mutable_reservations();
                       }));
  TableRows rows = {
      {"ID", "NAME", "TITLE", "OWNER", "PROJECT", "NODES", "BEGINS", "ENDS"}};
  for (const v1::Reservation& one : reservations.reservations()) {
    rows.push_back({one.id(), one.name(), one.title(), one.owner(),
                    one.project(), absl::StrCat(one.nodes()),
                    TimeText(one.starts_at()), TimeText(one.ends_at())});
  }
  return Print(options, reservations, rows);
}

absl::Status CancelReservation(const SiteOptions& options,
                               PortalClient& client) {
  v1::CancelReservationRequest request;
  request.set_id(options.id);
  return client
      .Call<v1::CancelReservationResponse>(
          "ReservationService/CancelReservation", request)
      .status();
}

// The verbs of one noun, each with the noun's options.
class Verbs {
 public:
  Verbs(CLI::App* app, Command* chosen, const char* noun, const char* about,
        const char* examples)
      : chosen_(chosen),
        noun_(AddNoun(app, noun, about, examples, options_.get())) {}

  template <typename Run>
  CLI::App* Add(const char* name, const char* about, const Run& run) {
    return AddVerb(noun_, name, about, options_.get(), chosen_,
                   [options = options_, run](PortalClient& client) {
                     return run(*options, client);
                   });
  }
  SiteOptions* operator->() const { return options_.get(); }

 private:
  const std::shared_ptr<SiteOptions> options_ = std::make_shared<SiteOptions>();
  Command* const chosen_;
  CLI::App* const noun_;
};

}  // namespace

void AddTemplateCommands(CLI::App* app, Command* chosen) {
  Verbs verbs(app, chosen, "template",
              "settings of jobs that projects may request",
              "  carmectl template list --project k3v9x2m8q1w7e5r4\n"
              "  carmectl template save small.json\n"
              "  carmectl template attach TEMPLATE PROJECT\n"
              "small.json: {\"name\": \"small\", \"maxGpusPerNode\": 1, "
              "\"maxWalltime\": \"7200s\"}");
  CLI::App* const list = verbs.Add("list", "all templates", ListTemplates);
  list->add_option("--project", verbs->project, "attached to this one");
  list->add_option("--search", verbs->search);
  CLI::App* const save =
      verbs.Add("save", "create a template, or replace the settings of one",
                SaveTemplate);
  save->add_option("file", verbs->file, "JSON of TemplateSettings")->required();
  save->add_option("--template", verbs->id, "the one to change");
  CLI::App* const retire =
      verbs.Add("retire", "stop its use for new jobs", RetireTemplate);
  retire->add_option("template", verbs->id)->required();
  retire->add_flag("--undo", verbs->undo, "it is in use again");
  CLI::App* const attach =
      verbs.Add("attach", "assign it to a project", AttachTemplate);
  attach->add_option("template", verbs->id)->required();
  attach->add_option("project", verbs->project,
                     "empty: all users without a project");
  attach->add_flag("--undo", verbs->undo, "detach it");
}

void AddLimitCommands(CLI::App* app, Command* chosen) {
  Verbs verbs(app, chosen, "limit", "limits and quotas",
              "  carmectl limit list --username ada\n"
              "  carmectl limit set gpus 8 --scope user --username ada "
              "--expires 2026-12-31 --note \"ticket 4711\"\n"
              "  carmectl limit remove gpus --scope user --username ada");
  const auto add_key = [&](CLI::App* verb, bool all) {
    CLI::Option* const scope = verb->add_option(
        "--scope", verbs->scope, "role, group, project, user or member");
    if (all) scope->required();
    verb->add_option("--name", verbs->name, "of a role or group");
    verb->add_option("--project", verbs->project, "its id");
    verb->add_option("--username", verbs->username);
  };
  CLI::App* const list = verbs.Add("list", "the site's rules", ListLimits);
  list->add_option("--metric", verbs->metric, "e.g. gpus");
  add_key(list, false);
  CLI::App* const set = verbs.Add("set", "make or replace a rule", SetLimit);
  set->add_option("metric", verbs->metric, "e.g. gpus")->required();
  set->add_option("max", verbs->max, "a number or \"unlimited\"")->required();
  add_key(set, true);
  set->add_option("--note", verbs->note, "why");
  set->add_option("--expires", verbs->expires, "the last day, 2026-12-31");
  CLI::App* const remove = verbs.Add("remove", "remove a rule", RemoveLimit);
  remove->add_option("metric", verbs->metric, "e.g. gpus")->required();
  add_key(remove, true);
}

void AddImageCommands(CLI::App* app, Command* chosen) {
  Verbs verbs(app, chosen, "image", "images that jobs run in",
              "  carmectl image list\n"
              "  carmectl image add pytorch.json\n"
              "  carmectl image state pytorch:24.05 deprecated\n"
              "pytorch.json: {\"id\": \"pytorch:24.05\", "
              "\"path\": \"/images/pytorch.sif\", \"sha256\": \"…\"}");
  verbs.Add("list", "all images", ListImages)
      ->add_option("--search", verbs->search);
  verbs.Add("add", "add an image of the site", AddImage)
      ->add_option("file", verbs->file, "JSON of AddImageRequest")
      ->required();
  CLI::App* const state =
      verbs.Add("state", "allow or stop its use for new jobs", SetImageState);
  state->add_option("image", verbs->id)->required();
  state->add_option("state", verbs->state)
      ->required()
      ->check(CLI::IsMember({"active", "deprecated", "withdrawn"}));
}

void AddReservationCommands(CLI::App* app, Command* chosen) {
  Verbs verbs(app, chosen, "reservation", "reserved nodes",
              "  carmectl reservation list\n"
              "  carmectl reservation cancel ID");
  CLI::App* const list =
      verbs.Add("list", "all reservations", ListReservations);
  list->add_option("--search", verbs->search);
  list->add_option("--project", verbs->project);
  verbs.Add("cancel", "cancel one that was booked in Carme", CancelReservation)
      ->add_option("id", verbs->id)
      ->required();
}

}  // namespace carme::carmectl
