#include "backend/rpc/job_news.h"

#include <memory>
#include <utility>

#include "backend/jobs/job_proto.h"
#include "backend/rpc/audit_event.h"
#include "backend/rpc/pumped_stream.h"
#include "common/status.h"

namespace carme::backend {
namespace {

constexpr absl::Duration kBeat = absl::Seconds(10);  // the contract says 15
constexpr size_t kMostWatchers = 64;                 // of one user

class JobNewsSource : public StreamSource<v1::WatchJobsResponse> {
 public:
  JobNewsSource(const JobServiceParts& parts, Caller caller,
                StreamPump::Wake wake)
      : parts_(parts),
        caller_(std::move(caller)),
        subscription_(parts.jobs->feed().Subscribe(caller_.session.username,
                                                   std::move(wake))) {}

  absl::Status Check() override {
    if (parts_.clock->Now() < caller_.session.expires_at &&
        parts_.sessions->IsLive(caller_.session.id)) {
      return absl::OkStatus();
    }
    return absl::UnauthenticatedError("the session has ended: log in again");
  }

  absl::StatusOr<bool> Next(bool beat,
                            v1::WatchJobsResponse* message) override {
    JobNews news = subscription_->Take();
    const bool new_version = news.cluster_version != version_;
    if (news.lost || !begun_) {
      ASSIGN_OR_RETURN(news.jobs,
                       parts_.jobs->List(caller_.session, caller_.request_id));
      begun_ = true;
      message->set_snapshot(true);
    } else if (news.jobs.empty() && !new_version && !beat) {
      return false;
    }
    for (const Job& job : news.jobs) {
      FillFor(caller_.session, job, *parts_.jobs, message->add_jobs());
    }
    version_ = news.cluster_version;
    message->set_cluster_version(version_);
    return true;
  }

 private:
  const JobServiceParts& parts_;
  const Caller caller_;
  bool begun_ = false;
  uint64_t version_ = 0;
  // Last, so that it ends first: its wake is of the stream around this.
  const std::unique_ptr<JobSubscription> subscription_;
};

}  // namespace

void FillFor(const Session& reader, const Job& job, Jobs& jobs,
             v1::Job* message) {
  Fill(job, message);
  const absl::Duration more = jobs.extensions().ExtendableBy(reader, job);
  if (more > absl::ZeroDuration()) {
    Fill(more, message->mutable_extendable_by());
  }
}

grpc::ServerWriteReactor<v1::WatchJobsResponse>* OpenJobNews(
    const JobServiceParts& parts, grpc::CallbackServerContext* context,
    const Caller& caller) {
  if (parts.jobs->feed().WatchersOf(caller.session.username) >= kMostWatchers) {
    const absl::Status refused = absl::ResourceExhaustedError(
        "you watch from too many pages: close some");
    parts.audit->Record(
        Outcome(EventOf(*context, caller, "watch-jobs"), refused));
    return new RefusedStream<v1::WatchJobsResponse>(refused);
  }
  return OpenStream<v1::WatchJobsResponse>(
      parts.pump, context, kBeat, [&](const StreamPump::Wake& wake) {
        return std::make_unique<JobNewsSource>(parts, caller, wake);
      });
}

}  // namespace carme::backend
