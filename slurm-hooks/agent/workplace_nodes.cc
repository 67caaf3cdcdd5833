// How the nodes of a job, and those of the jobs that joined it, meet.
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/listen.h"
#include "common/log.h"
#include "common/status.h"
#include "slurm-hooks/agent/workplace.h"
#include "slurm-hooks/nodes/shared_files.h"
#include "slurm-hooks/nodes/ssh_files.h"

namespace carme::agent {
namespace {

constexpr absl::Duration kPatience = absl::Minutes(5);
constexpr size_t kMostMemberNodes = 512;  // as the contract says

// One that is free now: nobody can keep it for a program that is not there yet.
uint32_t FreePort(const std::string& address) {
  const auto any = net::Address::FromIp(address, 0);
  if (!any.ok()) return 0;
  const auto fd = ListenTcp(any->ToString());
  if (!fd.ok()) return 0;
  const auto port = PortOf(fd->get());
  return port.ok() ? static_cast<uint32_t>(*port) : 0;
}

}  // namespace

absl::Status Workplace::OpenNodes() {
  ASSIGN_OR_RETURN(steps_, StepDoor::Create(loop_, environment_, facts_,
                                            plan_.environment, share_));
  ASSIGN_OR_RETURN(keys_,
                   node::NewSshKeys(absl::StrCat("carme-", job_.value())));
  RETURN_IF_ERROR(share_.Prepare(keys_));
  if (node_count_ == 1) return absl::OkStatus();
  node::v1::Enter enter;
  enter.set_job_id(job_.value());
  *enter.mutable_ssh() = keys_;
  enter.mutable_environment()->ParseFromString(plan_.environment.message);
  for (std::string& entry : node::JobWideVariables(facts_.variables)) {
    enter.add_variables(std::move(entry));
  }
  PeerSet::Owner owner = {
      .up =
          [this](const auto& nodes) {
            other_nodes_ = nodes;
            MeetWhenUp();
          },
      .met = [this] { OnMet(); },
      .failed = [this](const std::string& detail) { End(1, detail); }};
  ASSIGN_OR_RETURN(peers_,
                   PeerSet::Start(loop_, facts_,
                                  {.count = node_count_ - 1,
                                   .first_node = OwnNode(facts_).name()},
                                  enter, std::move(owner)));
  return absl::OkStatus();
}

// A job of one node needs no ssh until a companion comes, and starts sooner.
void Workplace::OnEntered() {
  if (node_count_ == 1 && plan_.companion_of.empty()) return OnLooked(0);
  Look();
}

void Workplace::Look() {
  looking_ = true;
  share_.Look([this](uint32_t port, const std::string&) { OnLooked(port); });
}

void Workplace::OnLooked(uint32_t ssh_port) {
  own_node_ = OwnNode(facts_);
  own_node_->set_ssh_port(ssh_port);
  const bool again = open_;
  MeetWhenUp();
  if (again) TellMember();
}

// When the last of all nodes, this one included, is up.
void Workplace::MeetWhenUp() {
  if (!own_node_.has_value() || other_nodes_.size() + 1 < node_count_) return;
  own_.job = job_.value();
  own_.nodes = {*own_node_};
  own_.nodes.insert(own_.nodes.end(), other_nodes_.begin(), other_nodes_.end());
  if (own_.master_port == 0) own_.master_port = FreePort(facts_.address);
  Meet();
}

// With those of the other jobs, as far as they are usable.
node::v1::Meet Workplace::AllNodes() {
  with_others_ = false;
  if (!family_.has_value()) return node::MeetOwn(own_);
  absl::StatusOr<node::v1::Meet> all = node::MeetFamily(*family_, own_);
  if (all.ok()) {
    const absl::Status usable = node::CheckMeet(*all);
    if (!usable.ok()) all = usable;
  }
  if (!all.ok()) {
    LogError("the other jobs' nodes are not used",
             {{"error", all.status().ToString()}});
    return node::MeetOwn(own_);
  }
  with_others_ = family_->members_size() > 1;
  return *std::move(all);
}

// One after the other: a node says that it has met, not whom.
void Workplace::Meet() {
  met_old_ = meeting_;
  if (meeting_) return;
  const node::v1::Meet meet = AllNodes();
  const absl::Status met = share_.Meet(meet, 0);
  if (!met.ok()) return End(1, std::string(met.message()));
  meeting_ = true;
  if (peers_ != nullptr) return peers_->Tell(meet);
  OnMet();
}

void Workplace::OnMet() {
  meeting_ = false;
  if (std::exchange(met_old_, false)) return Meet();
  if (with_others_ && !plan_.companion_of.empty() &&
      !std::exchange(joined_, true)) {
    report_("", carme::v1::APP_STATE_READY, "");
  }
  if (std::exchange(open_, true)) return;
  TellMember();
  if (plan_.companion_of.empty()) {
    loop_.Spawn(StartOwnApp());
  } else {
    loop_.Spawn(AwaitFamily());
  }
}

void Workplace::TellMember() const {
  if (own_.nodes.size() <= kMostMemberNodes) {
    member_(node::MemberOf(own_, keys_));
  }
}

void Workplace::OnFamily(const carme::v1::JobFamily& family) {
  if (stopping_ || over_said_) return;
  if (family.members().empty()) {
    if (!plan_.companion_of.empty()) End(0, "the job that it joined is over");
    return;
  }
  // Each stream begins with it anew.
  if (family_ && family_->SerializeAsString() == family.SerializeAsString()) {
    return;
  }
  family_ = family;
  const bool alone = family.members_size() == 1;
  if (!open_ || (alone && !with_others_)) return;
  if (!looking_) Look();
  Meet();
}

net::Task<void> Workplace::AwaitFamily() {
  const int error = co_await net::Sleep(loop_, kPatience);
  if (error == 0 && !joined_) {
    End(1, "the nodes of the job that it joins were not met within 5 min");
  }
}

}  // namespace carme::agent
