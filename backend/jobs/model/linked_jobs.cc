#include "backend/jobs/model/linked_jobs.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "backend/jobs/model/messages.h"
#include "backend/jobs/model/node_address.h"
#include "carme/v1/agent.pb.h"
#include "common/name_rules.h"
#include "common/printable.h"
#include "common/protobuf/message_error.h"
#include "common/status.h"

namespace carme::backend {
namespace {

constexpr int kMaxNodes = 512;
constexpr uint32_t kMaxCpus = 65536;
constexpr uint32_t kMaxGpus = 256;
constexpr uint32_t kMaxPort = 65535;
constexpr char kKeyType[] = "ssh-ed25519";
// RFC 8709: the type and 32 bytes, each preceded by its length in four bytes.
constexpr std::string_view kKeyHead("\0\0\0\x0bssh-ed25519\0\0\0\x20", 19);
constexpr size_t kKeyBytes = 32;

// "ssh-ed25519 AAAA…", without the comment, which users can choose.
absl::StatusOr<std::string> CheckKey(const std::string& line) {
  const std::vector<std::string> words =
      absl::StrSplit(line.substr(0, 256), absl::MaxSplits(' ', 2));
  std::string blob;
  if (words.size() < 2 || words[0] != kKeyType ||
      !absl::Base64Unescape(words[1], &blob) ||
      blob.size() != kKeyHead.size() + kKeyBytes ||
      !blob.starts_with(kKeyHead)) {
    return MakeError(job_model_messages::kInvalidKey);
  }
  return absl::StrCat(kKeyType, " ", absl::Base64Escape(blob));
}

absl::Status CheckNode(const v1::LinkedNode& reported,
                       const SlurmSnapshot& cluster) {
  if (reported.cpus() > kMaxCpus || reported.gpus() > kMaxGpus ||
      reported.ssh_port() > kMaxPort ||
      !kGpuListRule.Allows(reported.gpu_list())) {
    return MakeError(job_model_messages::kInvalidNumbers);
  }
  const auto node = std::find_if(
      cluster.nodes.begin(), cluster.nodes.end(),
      [&](const SlurmNode& one) { return one.name == reported.name(); });
  if (node == cluster.nodes.end()) {
    return MakeError(job_model_messages::kUnknownNode);
  }
  ASSIGN_OR_RETURN(const bool same,
                   IsAddressOf(reported.address(), node->address));
  if (same) return absl::OkStatus();
  return MakeError(job_model_messages::kWrongAddress,
                   {{"node", reported.name()},
                    {"address", PlainText(reported.address(), 64)},
                    {"expected", node->address}});
}

}  // namespace

LinkedJob WithoutReturnedNodes(const LinkedJob& report, const Job& job) {
  const auto has = [&](const v1::LinkedNode& node) {
    return std::find(job.nodes.begin(), job.nodes.end(), node.name()) !=
           job.nodes.end();
  };
  if (report == nullptr ||
      std::all_of(report->nodes().begin(), report->nodes().end(), has)) {
    return report;
  }
  auto left = std::make_shared<v1::LinkedJob>(*report);
  left->clear_nodes();
  for (const v1::LinkedNode& node : report->nodes()) {
    if (has(node)) *left->add_nodes() = node;
  }
  if (left->nodes().empty()) return nullptr;
  return left;
}

absl::StatusOr<LinkedJob> CheckLinkedJob(const v1::LinkedJob& reported,
                                         const Job& job,
                                         const SlurmSnapshot& cluster) {
  std::set<std::string> missing(job.nodes.begin(), job.nodes.end());
  if (reported.nodes_size() > kMaxNodes || reported.master_port() > kMaxPort) {
    return MakeError(job_model_messages::kTooManyNodes);
  }
  for (const v1::LinkedNode& node : reported.nodes()) {
    if (missing.erase(node.name()) == 0) {
      return MakeError(job_model_messages::kUnexpectedNode,
                       {{"node", PlainText(node.name(), 64)}});
    }
    RETURN_IF_ERROR(CheckNode(node, cluster));
  }
  if (!missing.empty() || reported.nodes().empty()) {
    return MakeError(job_model_messages::kMissingNode);
  }
  auto checked = std::make_shared<v1::LinkedJob>(reported);
  checked->set_job_id(job.id.value());
  ASSIGN_OR_RETURN(*checked->mutable_user_key(), CheckKey(reported.user_key()));
  ASSIGN_OR_RETURN(*checked->mutable_host_key(), CheckKey(reported.host_key()));
  return checked;
}

}  // namespace carme::backend
