// carmectl call: calls any method of the API, also those without a command.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <iostream>
#include <iterator>
#include <memory>
#include <string>

#include "backend/carmectl/commands/command.h"
#include "backend/carmectl/portal/portal_options.h"

namespace carme::carmectl {
namespace {

struct CallOptions : PortalOptions {
  std::string method;
  std::string request = "{}";
};

absl::Status Call(const CallOptions& options, PortalClient& client) {
  const std::string request =
      options.request == "-"
          ? std::string(std::istreambuf_iterator<char>(std::cin),
                        std::istreambuf_iterator<char>())
          : options.request;
  ASSIGN_OR_RETURN(const std::string response,
                   client.CallJson(options.method, request));
  std::puts(response.c_str());
  return absl::OkStatus();
}

}  // namespace

void AddCallCommand(CLI::App* app, Command* chosen) {
  const auto options = std::make_shared<CallOptions>();
  CLI::App* const noun = AddNoun(
      app, "api", "any method of the API, with JSON",
      "  carmectl api call ClusterService/GetCluster\n"
      "  carmectl api call JobService/ListJobs '{\"filter\": {\"states\": "
      "[\"JOB_STATE_READY\"]}}'",
      options.get());
  CLI::App* const call = AddVerb(
      noun, "call", "call one method", options.get(), chosen,
      [options](PortalClient& client) { return Call(*options, client); });
  call->add_option("method", options->method, "Service/Method")->required();
  call->add_option("request", options->request, "JSON; \"-\": standard input")
      ->capture_default_str();
}

}  // namespace carme::carmectl
