#include "frontend/batch_handler.h"

#include <algorithm>
#include <deque>
#include <exception>
#include <memory>
#include <system_error>
#include <thread>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/strings/str_cat.h"
#include "absl/synchronization/mutex.h"
#include "common/crypto/hash.h"
#include "common/ids.h"
#include "common/log.h"
#include "common/protobuf/message_error.h"
#include "frontend/gateway/connect_error.h"
#include "frontend/gateway/envelope.h"
#include "frontend/gateway/json_codec.h"
#include "frontend/gateway/messages.h"

namespace carme::frontend {
namespace {

constexpr int kUnauthorized = 401;

// One batch while its calls run.
class RunningBatch {
 public:
  RunningBatch(const HttpRequest& request, const std::string& request_id,
               const std::vector<BatchedCall>& calls,
               const BatchHandler::AnswerCall& answer)
      : request_(request),
        request_id_(request_id),
        calls_(calls),
        answer_(answer) {}

  void Run(HttpStream* out) {
    // A session that is not valid costs the backend one call, as it does alone.
    const size_t proof = IndexOfProof();
    const HttpResponse proven = Answer(proof);
    out->Write(Message(proof, proven));
    if (proven.status == kUnauthorized) {
      for (size_t i = 0; i < calls_.size(); ++i) {
        if (i != proof) out->Write(Message(i, proven));
      }
    } else {
      RunOthers(proof, out);
    }
    out->Write(EndOfStream(absl::OkStatus(), request_id_));
  }

 private:
  size_t IndexOfProof() const {
    const auto proof = std::find_if(
        calls_.begin(), calls_.end(),
        [](const BatchedCall& call) { return call.method->needs_session; });
    return static_cast<size_t>(proof - calls_.begin());
  }

  HttpResponse Answer(size_t index) const {
    const std::string id = NewRequestId();
    HttpRequest call = request_;
    call.path = calls_[index].method->path;
    call.body = calls_[index].body;
    call.headers.Set("x-request-id", id);
    LogDebug("call of a batch", {{"request", id}, {"batch", request_id_}});
    return answer_(call);
  }

  static std::string Message(size_t index, const HttpResponse& response) {
    std::string id;
    for (const auto& [name, value] : response.headers) {
      if (name == "X-Request-Id") id = value;
    }
    return Envelope(kMessage, absl::StrCat("{\"index\":", index,
                                           ",\"status\":", response.status,
                                           ",\"requestId\":", JsonString(id),
                                           ",\"body\":", response.body, "}"));
  }

  // As the server's, an exception of a call is an error without its text.
  std::string Answered(size_t index) const {
    try {
      return Message(index, Answer(index));
    } catch (const std::exception& error) {
      LogError("exception in a call of a batch",
               {{"batch", request_id_}, {"error", error.what()}});
      return Message(index, ErrorResponse(absl::InternalError("internal error"),
                                          request_id_));
    }
  }

  void RunOthers(size_t proof, HttpStream* out) {
    std::vector<std::thread> threads;
    std::vector<size_t> without_thread;
    for (size_t i = 0; i < calls_.size(); ++i) {
      if (i == proof) continue;
      try {
        threads.emplace_back([this, i] { Finish(Answered(i)); });
      } catch (const std::system_error&) {
        without_thread.push_back(i);
      }
    }
    for (const size_t i : without_thread) Finish(Answered(i));
    for (size_t i = 1; i < calls_.size(); ++i) out->Write(NextFinished());
    for (std::thread& thread : threads) thread.join();
  }

  void Finish(std::string message) {
    absl::MutexLock lock(&mutex_);
    finished_.push_back(std::move(message));
  }

  std::string NextFinished() {
    absl::MutexLock lock(&mutex_);
    mutex_.Await(absl::Condition(this, &RunningBatch::HasFinished));
    std::string message = std::move(finished_.front());
    finished_.pop_front();
    return message;
  }
  bool HasFinished() const ABSL_SHARED_LOCKS_REQUIRED(mutex_) {
    return !finished_.empty();
  }

  const HttpRequest& request_;
  const std::string& request_id_;
  const std::vector<BatchedCall>& calls_;
  const BatchHandler::AnswerCall& answer_;
  absl::Mutex mutex_;
  std::deque<std::string> finished_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace

HttpResponse BatchHandler::Answer(const HttpRequest& request,
                                  const std::string& request_id,
                                  const std::string& session,
                                  std::vector<BatchedCall> calls,
                                  AnswerCall answer) const {
  auto slot = std::make_shared<ConcurrencyLimiter<std::string>::Slot>(
      batches_.TryAcquire(Sha256(session)));
  if (!slot->acquired()) {
    return ErrorResponse(MakeError(gateway_messages::kTooManyBatches),
                         request_id);
  }
  HttpResponse response;
  response.Set("Content-Type", "application/connect+json");
  response.Set("Cache-Control", "no-store");
  response.stream = [slot, request, request_id, calls = std::move(calls),
                     answer = std::move(answer)](HttpStream& out) {
    RunningBatch(request, request_id, calls, answer).Run(&out);
  };
  return response;
}

}  // namespace carme::frontend
