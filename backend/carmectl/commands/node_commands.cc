// carmectl node: drain nodes, and resume nodes that Carme has drained.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "backend/carmectl/commands/command.h"
#include "backend/carmectl/commands/node_history_commands.h"
#include "backend/carmectl/portal/portal_options.h"
#include "carme/v1/admin.pb.h"
#include "carme/v1/cluster_utilization.pb.h"

namespace carme::carmectl {
namespace {

absl::Status List(const NodeOptions& options, PortalClient& client) {
  ASSIGN_OR_RETURN(const auto cluster,
                   client.Call<v1::GetClusterUtilizationResponse>(
                       "ClusterUtilizationService/GetClusterUtilization",
                       v1::GetClusterUtilizationRequest()));
  TableRows rows = {{"NODE", "STATE", "SINCE", "PARTITIONS", "REASON"}};
  for (const v1::ClusterNode& node : cluster.nodes()) {
    rows.push_back({node.name(), node.state(), TimeText(node.reason_since()),
                    absl::StrJoin(node.partitions(), ","), node.reason()});
  }
  return Print(options, cluster, rows);
}

template <typename Request, typename Response>
absl::Status Change(const NodeOptions& options, PortalClient& client,
                    const char* method) {
  Request request;
  *request.mutable_nodes() = {options.nodes.begin(), options.nodes.end()};
  request.set_reason(options.reason);
  ASSIGN_OR_RETURN(const Response response,
                   client.Call<Response>(method, request));
  return options.json ? Print(options, response, {}) : absl::OkStatus();
}

}  // namespace

void AddNodeCommands(CLI::App* app, Command* chosen) {
  const auto options = std::make_shared<NodeOptions>();
  CLI::App* const node = AddNoun(
      app, "node", "drain nodes and resume them",
      "  carmectl node list\n"
      "  carmectl node drain gpu07 gpu08 --reason \"ticket 4711: fan\"\n"
      "  carmectl node resume gpu07\n"
      "  carmectl node history gpu07\n"
      "  ssh gpu07 carme vet --json | carmectl node vet -\n"
      "  carmectl node rules /etc/carme/node-rules.yaml\n"
      "Running jobs continue on drained nodes. resume refuses nodes that were "
      "drained with other\nprograms. Needs [nodes] in impersonator.toml, which "
      "limits how many nodes may be drained.",
      options.get());
  AddVerb(node, "list", "all nodes with state and reason", options.get(),
          chosen,
          [options](PortalClient& client) { return List(*options, client); });
  CLI::App* const drain =
      AddVerb(node, "drain", "start no new jobs on nodes", options.get(),
              chosen, [options](PortalClient& client) {
                return Change<v1::DrainNodesRequest, v1::DrainNodesResponse>(
                    *options, client, "AdminService/DrainNodes");
              });
  drain->add_option("node", options->nodes, "names of nodes")->required();
  drain
      ->add_option("--reason", options->reason,
                   "shown by Slurm and in the audit log")
      ->required();
  CLI::App* const resume =
      AddVerb(node, "resume", "start jobs on drained nodes again",
              options.get(), chosen, [options](PortalClient& client) {
                return Change<v1::ResumeNodesRequest, v1::ResumeNodesResponse>(
                    *options, client, "AdminService/ResumeNodes");
              });
  resume->add_option("node", options->nodes, "names of nodes")->required();
  resume->add_option("--reason", options->reason, "for the audit log");
  AddNodeHistoryVerbs(node, options, chosen);
}

}  // namespace carme::carmectl
