#include "slurm-hooks/agent/multi_node/job_nodes.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "common/listen.h"
#include "common/log.h"
#include "common/net/address.h"
#include "common/protobuf/message_error.h"
#include "common/status.h"
#include "slurm-hooks/nodes/shared_files.h"
#include "slurm-hooks/nodes/ssh_files.h"

namespace carme::agent {
namespace {

constexpr size_t kMaxReportedNodes = 512;     // LinkedJob in agent.proto
constexpr size_t kMaxReturnableNodes = 1000;  // WatchJobRequest

uint32_t NodeCount(const JobFacts& facts) {
  constexpr std::string_view kName = "SLURM_JOB_NUM_NODES=";
  uint32_t count = 1;
  for (const std::string& entry : facts.variables) {
    if (entry.starts_with(kName) &&
        !absl::SimpleAtoi(entry.substr(kName.size()), &count)) {
      return 1;
    }
  }
  return std::max(count, 1U);
}

// Returns a port that is free now. It cannot be reserved for a program that
// starts later.
uint32_t FreePort(const std::string& address) {
  const auto any = net::Address::FromIp(address, 0);
  if (!any.ok()) return 0;
  const auto fd = ListenTcp(any->ToString());
  if (!fd.ok()) return 0;
  const auto port = PortOf(fd->get());
  return port.ok() ? static_cast<uint32_t>(*port) : 0;
}

}  // namespace

bool CanReturnNodes(const JobFacts& facts) {
  // The tasks of an array are one job of Carme's.
  const bool is_array =
      std::any_of(facts.variables.begin(), facts.variables.end(),
                  [](const std::string& entry) {
                    return entry.starts_with("SLURM_ARRAY_JOB_ID=");
                  });
  return !is_array && NodeCount(facts) > 1 && facts.environment.storage.empty();
}

JobNodes::JobNodes(Options options, Owner owner)
    : loop_(options.loop),
      environment_(options.environment),
      facts_(options.facts),
      plan_(options.plan),
      job_(std::move(options.job)),
      owner_(std::move(owner)),
      count_(NodeCount(facts_)),
      ssh_(loop_, environment_, facts_, plan_.environment, job_) {}

absl::Status JobNodes::Start() {
  ASSIGN_OR_RETURN(step_server_, StepServer::Create(loop_, environment_, facts_,
                                                    plan_.environment, ssh_));
  ASSIGN_OR_RETURN(keys_,
                   node::NewSshKeys(absl::StrCat("carme-", job_.value())));
  RETURN_IF_ERROR(ssh_.Prepare(keys_));
  if (count_ == 1) return absl::OkStatus();
  node::v1::EnterEnvironment enter;
  enter.set_job_id(job_.value());
  *enter.mutable_ssh() = keys_;
  enter.mutable_environment()->ParseFromString(plan_.environment.message);
  for (std::string& entry : node::JobWideVariables(facts_.variables)) {
    enter.add_variables(std::move(entry));
  }
  if (owner_.samples && plan_.metrics) {
    node::v1::SamplingPlan& sampling = *enter.mutable_sampling();
    sampling.set_interval_ms(static_cast<uint32_t>(
        absl::ToInt64Milliseconds(plan_.metrics->interval)));
    sampling.set_gpu_interval_ms(static_cast<uint32_t>(
        absl::ToInt64Milliseconds(plan_.metrics->gpu_interval)));
  }
  NodeAgents::Owner owner = {
      .ready = [this](const auto& nodes) { OnOtherNodes(nodes); },
      .configured = [this] { OnConfigured(); },
      .returned = [this] { count_ = node_agents_->count() + 1; },
      .samples = owner_.samples,
      .unused = [this](const auto& nodes) { OnUnused(nodes); },
      .failed = owner_.failed};
  ASSIGN_OR_RETURN(
      node_agents_,
      NodeAgents::Start(loop_, facts_,
                        {.first_node = DescribeOwnNode(facts_).name()}, enter,
                        std::move(owner)));
  count_ = node_agents_->count() + 1;
  return absl::OkStatus();
}

void JobNodes::OnUnused(std::vector<std::string> nodes) {
  if (!owner_.returnable || !CanReturnNodes(facts_)) return;
  if (nodes.size() > kMaxReturnableNodes) nodes.resize(kMaxReturnableNodes);
  owner_.returnable(nodes);
}

// A job on one node needs no ssh until another job is linked to it, and starts
// faster without.
void JobNodes::OnEntered() {
  if (count_ == 1 && plan_.linked_to.empty()) return OnProbed(0);
  Probe();
}

void JobNodes::Probe() {
  probe_started_ = true;
  ssh_.Probe([this](uint32_t port, const std::string&) { OnProbed(port); });
}

void JobNodes::OnProbed(uint32_t ssh_port) {
  own_node_ = DescribeOwnNode(facts_);
  own_node_->set_ssh_port(ssh_port);
  const bool again = is_configured();
  ConfigureWhenReady();
  if (again) ReportOwnNodes();
}

void JobNodes::OnOtherNodes(const std::vector<node::v1::JobNode>& nodes) {
  other_nodes_ = nodes;
  const bool again = is_configured();
  ConfigureWhenReady();
  if (again) ReportOwnNodes();
}

// Configures the nodes once all of them, this one included, are ready.
void JobNodes::ConfigureWhenReady() {
  if (!own_node_.has_value() || other_nodes_.size() + 1 < count_) return;
  own_.job = job_.value();
  own_.nodes = {*own_node_};
  own_.nodes.insert(own_.nodes.end(), other_nodes_.begin(), other_nodes_.end());
  if (own_.master_port == 0) own_.master_port = FreePort(facts_.address);
  Configure();
}

// The nodes of this job, and those of the linked jobs if their data is valid.
node::v1::NodeList JobNodes::BuildList() {
  has_linked_nodes_ = false;
  if (!linked_jobs_.has_value()) return node::BuildOwnNodeList(own_);
  absl::StatusOr<node::v1::NodeList> all =
      node::BuildNodeList(*linked_jobs_, own_);
  if (all.ok()) {
    const absl::Status usable = node::CheckNodeList(*all);
    if (!usable.ok()) all = usable;
  }
  if (!all.ok()) {
    LogError("nodes of linked jobs rejected",
             {{"error", all.status().ToString()}});
    return node::BuildOwnNodeList(own_);
  }
  has_linked_nodes_ = linked_jobs_->jobs_size() > 1;
  return *std::move(all);
}

// One configuration at a time: the reply of a node does not name the
// configuration that it belongs to.
void JobNodes::Configure() {
  is_stale_ =
      state_ == State::kFirstConfiguration || state_ == State::kReconfiguring;
  if (is_stale_) return;
  const node::v1::NodeList list = BuildList();
  const absl::Status configured = ssh_.Configure(list);
  if (!configured.ok()) {
    return owner_.failed(TextOfStatus(configured));
  }
  state_ = state_ == State::kEntering ? State::kFirstConfiguration
                                      : State::kReconfiguring;
  if (node_agents_ != nullptr) return node_agents_->ConfigurePeers(list);
  OnConfigured();
}

void JobNodes::OnConfigured() {
  const bool is_first = state_ == State::kFirstConfiguration;
  if (!is_first && state_ != State::kReconfiguring) return;  // not asked for
  // With a newer list the first configuration starts again.
  state_ = is_first && is_stale_ ? State::kEntering : State::kConfigured;
  if (std::exchange(is_stale_, false)) return Configure();
  if (is_first) ReportOwnNodes();
  owner_.configured();
}

void JobNodes::ReportOwnNodes() const {
  if (own_.nodes.size() > kMaxReportedNodes) return;
  owner_.report(node::BuildLinkedJob(own_, keys_));
}

void JobNodes::SetLinkedJobs(const carme::v1::LinkedJobs& linked_jobs) {
  // Each new stream begins with the current value.
  if (linked_jobs_ &&
      linked_jobs_->SerializeAsString() == linked_jobs.SerializeAsString()) {
    return;
  }
  linked_jobs_ = linked_jobs;
  const bool is_alone = linked_jobs.jobs_size() == 1;
  if (!is_configured() || (is_alone && !has_linked_nodes_)) return;
  if (!probe_started_) Probe();
  Configure();
}

void JobNodes::OnChild() {
  if (step_server_ != nullptr) step_server_->OnChild();
  if (node_agents_ != nullptr) node_agents_->OnChild();
}

void JobNodes::Expect() {
  if (node_agents_ != nullptr) node_agents_->Expect();
}

}  // namespace carme::agent
