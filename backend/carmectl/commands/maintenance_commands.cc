// carmectl maintenance: no new jobs, running jobs continue.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "backend/carmectl/commands/command.h"
#include "backend/carmectl/portal/portal_options.h"
#include "carme/v1/maintenance.pb.h"

namespace carme::carmectl {
namespace {

struct MaintenanceOptions : PortalOptions {
  std::string from;
  std::string until;
  std::string message;
  std::string partition;
  std::string nodes;
  bool auto_end = false;
  bool reservation = false;
};

absl::Status PrintDetails(const MaintenanceOptions& options,
                          const v1::MaintenanceDetails& details) {
  const v1::Maintenance& maintenance = details.maintenance();
  if (!options.json && !details.has_maintenance()) {
    std::puts("no maintenance");
    return absl::OkStatus();
  }
  std::string nodes = "-";
  if (!details.reservation().empty()) {
    nodes = absl::StrCat(details.partition(), details.nodes());
    if (nodes.empty()) nodes = "all";
  }
  return Print(
      options, details,
      {{"STATE", "FROM", "UNTIL", "ENDS", "BY", "RESERVATION", "NODES",
        "MESSAGE"},
       {maintenance.in_effect() ? "on" : "announced",
        TimeText(maintenance.starts_at()), TimeText(maintenance.ends_at()),
        maintenance.auto_end() ? "by itself" : "by command",
        details.started_by(), details.reservation(), nodes,
        maintenance.message()}});
}

absl::Status Start(const MaintenanceOptions& options, PortalClient& client) {
  v1::StartMaintenanceRequest request;
  const absl::Time now = absl::Now();
  ASSIGN_OR_RETURN(const absl::Time until, ParseMoment(options.until, now));
  SetTime(until, request.mutable_ends_at());
  if (!options.from.empty()) {
    ASSIGN_OR_RETURN(const absl::Time from, ParseMoment(options.from, now));
    SetTime(from, request.mutable_starts_at());
  }
  request.set_message(options.message);
  request.set_auto_end(options.auto_end);
  request.set_reserve(options.reservation);
  request.set_partition(options.partition);
  request.set_nodes(options.nodes);
  ASSIGN_OR_RETURN(const auto response,
                   client.Call<v1::StartMaintenanceResponse>(
                       "MaintenanceService/StartMaintenance", request));
  return PrintDetails(options, response.details());
}

absl::Status End(const MaintenanceOptions& options, PortalClient& client) {
  ASSIGN_OR_RETURN(const auto response, client.Call<v1::EndMaintenanceResponse>(
                                            "MaintenanceService/EndMaintenance",
                                            v1::EndMaintenanceRequest()));
  const std::string& remaining = response.remaining_reservation();
  if (!remaining.empty()) {
    std::fprintf(stderr,
                 "carmectl: Slurm still has reservation %s: the backend tries "
                 "again to delete it; see \"scontrol show reservation %s\" "
                 "and jobs that run in it\n",
                 remaining.c_str(), remaining.c_str());
  }
  if (!options.json) return absl::OkStatus();
  return Print(options, response, {});
}

absl::Status ShowStatus(const MaintenanceOptions& options,
                        PortalClient& client) {
  ASSIGN_OR_RETURN(const auto response,
                   client.Call<v1::GetMaintenanceDetailsResponse>(
                       "MaintenanceService/GetMaintenanceDetails",
                       v1::GetMaintenanceDetailsRequest()));
  return PrintDetails(options, response.details());
}

}  // namespace

void AddMaintenanceCommands(CLI::App* app, Command* chosen) {
  const auto options = std::make_shared<MaintenanceOptions>();
  CLI::App* const noun = AddNoun(
      app, "maintenance", "no new jobs; running jobs and open apps continue",
      "  carmectl maintenance on --until 4h --message \"New storage\"\n"
      "  carmectl maintenance on --from 2026-12-01T06:00:00Z --until "
      "2026-12-01T18:00:00Z \\\n"
      "    --message \"New network\" --reservation --partition gpu\n"
      "  carmectl maintenance off\n"
      "Everyone sees the message and the times, also on the log-in page. "
      "Users' jobs are refused\nfrom --from until \"off\"; administrators may "
      "submit jobs to test. Jobs that are pending in\nSlurm still start, "
      "unless --reservation is given: then no job starts whose time limit\n"
      "reaches into the maintenance, and administrators test on these nodes "
      "with\n\"sbatch --reservation\". \"on\" again changes the message, the "
      "times and the reservation.",
      options.get());
  CLI::App* const on = AddVerb(
      noun, "on", "start, announce or change it", options.get(), chosen,
      [options](PortalClient& client) { return Start(*options, client); });
  on->add_option("--until", options->until,
                 "expected end: \"2026-12-31T18:00:00Z\", or \"4h\" from now")
      ->required();
  on->add_option("--message", options->message, "why, for users")->required();
  on->add_option("--from", options->from,
                 "start, as --until; otherwise now, or as it was");
  on->add_flag("--auto-end", options->auto_end,
               "accept jobs again at --until, without \"off\"");
  CLI::Option* const reservation = on->add_flag(
      "--reservation", options->reservation,
      "reserve the nodes in Slurm (flags MAINT and IGNORE_JOBS) until it ends; "
      "needs [maintenance] in impersonator.toml");
  CLI::Option* const partition =
      on->add_option("--partition", options->partition,
                     "only the nodes of this partition")
          ->needs(reservation);
  on->add_option("--nodes", options->nodes, "only these, e.g. gpu[01-08]")
      ->needs(reservation)
      ->excludes(partition);
  AddVerb(noun, "off", "end it, and delete its reservation", options.get(),
          chosen,
          [options](PortalClient& client) { return End(*options, client); });
  AddVerb(
      noun, "status", "the announced or current one", options.get(), chosen,
      [options](PortalClient& client) { return ShowStatus(*options, client); });
}

}  // namespace carme::carmectl
