#include "backend/jobs/agents/metrics_config.h"

#include "backend/jobs/agents/messages.h"
#include "common/file.h"
#include "common/status.h"

namespace carme::backend {
namespace {

// Of MetricsPlan in agent.proto.
constexpr size_t kMaxServers = 8;
constexpr int64_t kMinInterval_ms = 100;
constexpr int64_t kMaxInterval_ms = 3'600'000;

bool IsHostAndPort(const std::string& text) {
  const size_t colon = text.rfind(':');
  return colon != std::string::npos && colon > 0 && colon + 1 < text.size() &&
         text.find_first_not_of("0123456789", colon + 1) == std::string::npos &&
         text.find_first_of(" /\t") == std::string::npos;
}

}  // namespace

void ReadMetricsConfig(ConfigTable root, MetricsConfig* config) {
  ConfigTable table = root.Table("metrics");
  table.Read("addresses", &config->addresses);
  table.Read("ca", &config->ca_file);
  table.Read("server_name", &config->server_name);
  table.Read("interval_ms", &config->interval,
             Range(kMinInterval_ms, kMaxInterval_ms));
  table.Read("gpu_interval_ms", &config->gpu_interval,
             Range(kMinInterval_ms, kMaxInterval_ms));
  if (config->addresses.size() > kMaxServers) {
    table.Refuse("addresses",
                 FormatMessage(job_agent_messages::kTooManyMetricsServers,
                               {{"found", config->addresses.size()},
                                {"max", kMaxServers}}));
  }
  for (const std::string& address : config->addresses) {
    if (IsHostAndPort(address)) continue;
    table.Refuse("addresses",
                 FormatMessage(job_agent_messages::kMetricsAddressInvalid,
                               {{"address", address}}));
  }
  if (!config->addresses.empty() &&
      (config->ca_file.empty() || config->server_name.empty())) {
    table.Refuse("addresses",
                 FormatMessage(job_agent_messages::kMetricsCaMissing));
  }
}

absl::StatusOr<v1::MetricsPlan> MakeMetricsPlan(const MetricsConfig& config) {
  v1::MetricsPlan plan;
  ASSIGN_OR_RETURN(*plan.mutable_ca_pem(), ReadFile(config.ca_file));
  *plan.mutable_servers() = {config.addresses.begin(), config.addresses.end()};
  plan.set_server_name(config.server_name);
  plan.set_interval_ms(
      static_cast<uint32_t>(absl::ToInt64Milliseconds(config.interval)));
  plan.set_gpu_interval_ms(
      static_cast<uint32_t>(absl::ToInt64Milliseconds(config.gpu_interval)));
  return plan;
}

}  // namespace carme::backend
