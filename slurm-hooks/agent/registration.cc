#include "slurm-hooks/agent/registration.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "carme/v1/agent.pb.h"
#include "common/status.h"

namespace carme::agent {
namespace {

constexpr int kMostArguments = 256;
constexpr size_t kLongestText = 4096;

absl::Status Wrong(std::string_view field, std::string_view expected) {
  return absl::InvalidArgumentError(
      absl::StrCat("the backend's answer has no usable ", std::string(field),
                   ": expected ", std::string(expected)));
}

// What may stand in an HTTP request line or header as it is.
bool IsPlainText(const std::string& text) {
  return !text.empty() && text.size() <= kLongestText &&
         std::all_of(text.begin(), text.end(),
                     [](unsigned char c) { return absl::ascii_isgraph(c); });
}

absl::Status CheckCommand(const carme::v1::RegisterResponse& response) {
  if (response.command().empty() || response.command(0).empty() ||
      response.command_size() > kMostArguments) {
    return Wrong("command", "1 to 256 arguments, the first not empty");
  }
  for (const std::string& argument : response.command()) {
    if (argument.size() > kLongestText ||
        argument.find('\0') != std::string::npos) {
      return Wrong("command", "arguments of at most 4096 bytes, none zero");
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Registration> CheckRegistration(
    const carme::v1::RegisterResponse& response) {
  if (!IsJobId(response.job_id())) return Wrong("job_id", "a job id");
  if (!IsPlainText(response.app())) return Wrong("app", "the id of an app");
  if (response.certificate_pem().empty())
    return Wrong("certificate_pem", "PEM");
  if (response.proxy_ca_pem().empty()) return Wrong("proxy_ca_pem", "PEM");
  if (!IsMachineName(response.proxy_name())) {
    return Wrong("proxy_name", "a machine's name");
  }
  RETURN_IF_ERROR(CheckCommand(response));
  if (!IsPlainText(response.ready_path()) || response.ready_path()[0] != '/') {
    return Wrong("ready_path", "a path that begins with \"/\"");
  }
  if (!IsPlainText(response.public_host())) {
    return Wrong("public_host", "a host name");
  }
  Revocations revoked;
  if (!response.proxy_crl_pem().empty()) {
    ASSIGN_OR_RETURN(revoked, Revocations::Read(response.proxy_crl_pem(),
                                                response.proxy_ca_pem()));
  }
  ASSIGN_OR_RETURN(VerifyingKey key,
                   VerifyingKey::FromRaw(response.ticket_public_key()));
  return Registration{
      .rules = {JobId(response.job_id()), response.app(), std::move(key)},
      .certificate_pem = response.certificate_pem(),
      .proxy_ca_pem = response.proxy_ca_pem(),
      .proxy = {MachineRole::kProxy, response.proxy_name()},
      .revoked = std::move(revoked),
      .command = {response.command().begin(), response.command().end()},
      .ready_path = response.ready_path(),
      .public_host = response.public_host()};
}

}  // namespace carme::agent
