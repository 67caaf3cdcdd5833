#include "backend/rpc/services/watch_job.h"

#include <map>
#include <optional>
#include <utility>

#include "absl/synchronization/mutex.h"
#include "backend/rpc/server/dispatched_stream.h"
#include "backend/rpc/services/messages.h"
#include "carme/v1/agent.pb.h"
#include "common/protobuf/message_error.h"

namespace carme::backend {
namespace {

constexpr absl::Duration kHeartbeat = absl::Seconds(25);  // agent.proto: 30
constexpr int kThreads = 8;
// After a restart all agents connect at once; those above the limit retry.
constexpr size_t kMaxWaiting = 1024;

// The result of the authentication. Shared by the stream and the pool's thread.
class AuthenticationResult {
 public:
  void Set(absl::StatusOr<JobId> job) {
    absl::MutexLock lock(&mutex_);
    job_ = std::move(job);
  }
  std::optional<absl::StatusOr<JobId>> Get() const {
    absl::MutexLock lock(&mutex_);
    return job_;
  }

 private:
  mutable absl::Mutex mutex_;
  std::optional<absl::StatusOr<JobId>> job_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace

// The newest stream of each job.
class WatchJobStreams::Newest {
 public:
  explicit Newest(const AgentAdmission* admission) : admission_(admission) {}
  // Stops the notifications about disconnected agents.
  void Close() {
    absl::MutexLock lock(&mutex_);
    admission_ = nullptr;
  }
  uint64_t Enter(const JobId& job) {
    absl::MutexLock lock(&mutex_);
    return newest_[job] = ++last_;
  }
  bool Is(const JobId& job, uint64_t number) const {
    absl::MutexLock lock(&mutex_);
    const auto found = newest_.find(job);
    return found != newest_.end() && found->second == number;
  }
  void Leave(const JobId& job, uint64_t number) {
    absl::MutexLock lock(&mutex_);
    const auto found = newest_.find(job);
    if (found == newest_.end() || found->second != number) return;
    newest_.erase(found);
    if (admission_ != nullptr) admission_->Left(job);
  }

 private:
  mutable absl::Mutex mutex_;
  std::map<JobId, uint64_t> newest_ ABSL_GUARDED_BY(mutex_);
  uint64_t last_ ABSL_GUARDED_BY(mutex_) = 0;
  const AgentAdmission* admission_ ABSL_GUARDED_BY(mutex_);
};

class WatchJobStreams::Source : public StreamSource<v1::WatchJobResponse> {
 public:
  Source(const Parts& parts, std::shared_ptr<Newest> newest,
         std::shared_ptr<AuthenticationResult> result)
      : parts_(parts), newest_(std::move(newest)), result_(std::move(result)) {}
  // May run after the service was destroyed.
  ~Source() override {
    if (job_) newest_->Leave(*job_, number_);
  }

  absl::Status Check() override {
    if (job_) {
      return newest_->Is(*job_, number_)
                 ? absl::OkStatus()
                 : MakeError(rpc_service_messages::kAgentStreamReplaced);
    }
    const std::optional<absl::StatusOr<JobId>> found = result_->Get();
    if (!found) return absl::OkStatus();
    if (!found->ok()) return found->status();
    job_ = **found;
    number_ = newest_->Enter(*job_);
    return absl::OkStatus();
  }

  absl::StatusOr<bool> Next(bool heartbeat,
                            v1::WatchJobResponse* message) override {
    if (!job_) return false;
    if (heartbeat && !parts_.admission->IsLive(*job_)) {
      return MakeError(rpc_service_messages::kAgentJobEnded);
    }
    const bool register_again = SetRegisterAgain(message);
    const bool trust = SetTrust(message);
    const bool linked_jobs = SetLinkedJobs(message);
    return register_again || trust || linked_jobs || heartbeat;
  }

 private:
  // Once a stream: an agent whose registration fails opens another one later.
  bool SetRegisterAgain(v1::WatchJobResponse* message) {
    if (std::exchange(asked_registration_, true)) return false;
    message->set_register_again(parts_.admission->LacksAgent(*job_));
    return message->register_again();
  }
  bool SetTrust(v1::WatchJobResponse* message) {
    const std::shared_ptr<const ClientAuthorities> trust =
        parts_.authorities->client_authorities();
    if (trust == sent_trust_) return false;
    message->mutable_proxy_trust()->set_ca_pem(trust->ca_pem);
    message->mutable_proxy_trust()->set_crl_pem(trust->crl_pem);
    sent_trust_ = trust;
    return true;
  }
  bool SetLinkedJobs(v1::WatchJobResponse* message) {
    const std::optional<LinkedJobs> linked =
        parts_.admission->LinkedJobsOf(*job_);
    if (!linked || linked == sent_linked_jobs_) return false;
    message->mutable_linked_jobs();  // empty: the linked job has ended
    for (const LinkedJob& job : linked->jobs) {
      *message->mutable_linked_jobs()->add_jobs() = *job;
    }
    sent_linked_jobs_ = linked;
    return true;
  }

  const Parts& parts_;
  const std::shared_ptr<Newest> newest_;
  const std::shared_ptr<AuthenticationResult> result_;
  std::optional<JobId> job_;  // set after authentication
  bool asked_registration_ = false;
  uint64_t number_ = 0;
  std::shared_ptr<const ClientAuthorities> sent_trust_;
  std::optional<LinkedJobs> sent_linked_jobs_;
};

WatchJobStreams::WatchJobStreams(const Parts& parts)
    : parts_(parts),
      newest_(std::make_shared<Newest>(parts_.admission)),
      pool_(kThreads, kMaxWaiting) {}

WatchJobStreams::~WatchJobStreams() { newest_->Close(); }

grpc::ServerWriteReactor<v1::WatchJobResponse>* WatchJobStreams::Open(
    grpc::CallbackServerContext* context, Admit admit) {
  return OpenStream<v1::WatchJobResponse>(
      parts_.dispatcher, context, kHeartbeat,
      [&](const StreamDispatcher::Wake& wake) {
        const auto result = std::make_shared<AuthenticationResult>();
        const bool taken = pool_.Add([result, wake, admit = std::move(admit)] {
          result->Set(admit());
          wake();
        });
        if (!taken) {
          result->Set(MakeError(rpc_service_messages::kAgentTooManyConnecting));
        }
        return std::make_unique<Source>(parts_, newest_, result);
      });
}

}  // namespace carme::backend
