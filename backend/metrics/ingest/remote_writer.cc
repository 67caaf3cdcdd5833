#include "backend/metrics/ingest/remote_writer.h"

#include <httplib.h>
#include <snappy.h>

#include <utility>

#include "absl/time/clock.h"
#include "backend/metrics/ingest/messages.h"
#include "common/log.h"
#include "common/printable.h"
#include "common/protobuf/message_error.h"
#include "common/status.h"

namespace carme::metrics {
namespace {

constexpr char kPath[] = "/api/v1/write";
// After a failure writes fail at once for this long, so that agents do not wait
// for a database that is away.
constexpr absl::Duration kPause = absl::Seconds(1);
constexpr absl::Duration kLogInterval = absl::Minutes(1);
constexpr size_t kMaxErrorBytes = 200;

absl::Status Unavailable(const std::string& cause) {
  return MakeError(ingest_messages::kDatabaseAway, {{"cause", cause}});
}

}  // namespace

std::unique_ptr<httplib::Client> NewDatabaseClient(
    const DatabaseAddress& address, absl::Duration timeout) {
  auto client = std::make_unique<httplib::Client>(address.url);
  if (!client->is_valid()) return nullptr;
  const timeval wait = absl::ToTimeval(timeout);
  client->set_connection_timeout(wait.tv_sec, wait.tv_usec);
  client->set_read_timeout(wait.tv_sec, wait.tv_usec);
  client->set_write_timeout(wait.tv_sec, wait.tv_usec);
  client->set_keep_alive(true);
  // Head and body are two writes, of which the second would wait.
  client->set_tcp_nodelay(true);
  if (!address.username.empty()) {
    client->set_basic_auth(address.username.c_str(), address.password.c_str());
  }
  if (!address.ca.empty()) client->set_ca_cert_path(address.ca.c_str());
  return client;
}

RemoteWriter::RemoteWriter(Options options)
    : options_(std::move(options)),
      limiter_(options_.max_concurrent_writes,
               ConcurrencyLimiter<int>::kUnlimited) {}

RemoteWriter::~RemoteWriter() = default;

std::unique_ptr<httplib::Client> RemoteWriter::TakeIdle() {
  absl::MutexLock lock(&mutex_);
  if (idle_.empty()) return nullptr;
  std::unique_ptr<httplib::Client> client = std::move(idle_.back());
  idle_.pop_back();
  return client;
}

void RemoteWriter::Return(std::unique_ptr<httplib::Client> client) {
  absl::MutexLock lock(&mutex_);
  idle_.push_back(std::move(client));
}

absl::Status RemoteWriter::Post(const std::string& body) {
  std::string error;
  // The database may have closed an idle connection by now.
  if (std::unique_ptr<httplib::Client> idle = TakeIdle()) {
    if (const auto answer = PostOn(std::move(idle), body, &error)) {
      return *answer;
    }
  }
  if (auto client = NewDatabaseClient(options_.address, options_.timeout)) {
    if (const auto answer = PostOn(std::move(client), body, &error)) {
      return *answer;
    }
  }
  return Unavailable(
      FormatMessage(ingest_messages::kNoResponse, {{"cause", error}}));
}

std::optional<absl::Status> RemoteWriter::PostOn(
    std::unique_ptr<httplib::Client> client, const std::string& body,
    std::string* error) {
  const httplib::Headers headers = {
      {"Content-Encoding", "snappy"},
      {"X-Prometheus-Remote-Write-Version", "0.1.0"}};
  const httplib::Result result =
      client->Post(kPath, headers, body, "application/x-protobuf");
  if (!result) {
    *error = httplib::to_string(result.error());
    return std::nullopt;
  }
  const int status = result->status;
  const std::string cause = FormatMessage(
      ingest_messages::kRefused,
      {{"status", status}, {"text", PlainText(result->body, kMaxErrorBytes)}});
  Return(std::move(client));
  if (status >= 200 && status < 300) return absl::OkStatus();
  if (status == 400 || status == 422) return absl::InvalidArgumentError(cause);
  return Unavailable(cause);
}

absl::Status RemoteWriter::Write(std::string_view request) {
  const ConcurrencyLimiter<int>::Slot slot = limiter_.TryAcquire();
  if (!slot.acquired()) {
    writes_.CountWithoutDuration(0, kBusy);
    return MakeError(ingest_messages::kBusy);
  }
  {
    absl::MutexLock lock(&mutex_);
    if (absl::Now() - failed_at_ < kPause) {
      writes_.CountWithoutDuration(0, kFailed);
      return Unavailable(FormatMessage(ingest_messages::kRecentFailure));
    }
  }
  OperationMeter::Scope write(&writes_, 0, kFailed);
  std::string body;
  snappy::Compress(request.data(), request.size(), &body);
  const absl::Status status = Post(body);
  if (status.ok()) write.SetResult(kStored);
  if (absl::IsInvalidArgument(status)) write.SetResult(kRefused);
  Note(status);
  return status;
}

void RemoteWriter::Note(const absl::Status& status) {
  const absl::Time now = absl::Now();
  bool was_reachable = false;
  {
    absl::MutexLock lock(&mutex_);
    was_reachable = std::exchange(is_reachable_, !absl::IsUnavailable(status));
    if (absl::IsUnavailable(status)) failed_at_ = now;
    if (status.ok() && was_reachable) return;
    if (!status.ok() && now - logged_at_ < kLogInterval) return;
    logged_at_ = status.ok() ? absl::InfinitePast() : now;
  }
  if (status.ok()) {
    LogInfo("database stores samples again");
  } else {
    LogWarning("database did not store samples",
               {{"error", StatusText(status)}});
  }
}

bool RemoteWriter::is_reachable() const {
  absl::MutexLock lock(&mutex_);
  return is_reachable_;
}

}  // namespace carme::metrics
