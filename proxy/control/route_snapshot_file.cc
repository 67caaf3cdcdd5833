#include "proxy/control/route_snapshot_file.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "carme/v1/routes.pb.h"
#include "common/crypto/digest_header.h"
#include "common/file.h"
#include "common/log.h"
#include "common/status.h"
#include "proxy/control/messages.h"
#include "proxy/control/route_watcher.h"

namespace carme::proxy {
namespace {

constexpr std::string_view kMagic = "carme-routes 1";
constexpr size_t kMaxBytes = 64 << 20;
constexpr absl::Duration kBatchDelay = absl::Milliseconds(50);

// Only the proxy's user may be able to write or read the file.
absl::Status CheckOwner(const std::string& path) {
  struct stat info {};
  if (lstat(path.c_str(), &info) != 0) {
    return ErrnoError(errno, absl::StrCat("open \"", path, "\""));
  }
  if (!S_ISREG(info.st_mode) || info.st_uid != geteuid() ||
      (info.st_mode & (S_IRWXG | S_IRWXO)) != 0) {
    return MakePlainError(proxy_control_messages::kFileAccess,
                          {{"path", path}});
  }
  return absl::OkStatus();
}

absl::StatusOr<v1::WatchRoutesResponse> Read(const std::string& path) {
  RETURN_IF_ERROR(CheckOwner(path));
  ASSIGN_OR_RETURN(const std::string text, ReadFile(path, kMaxBytes));
  const auto damaged = [&](absl::string_view problem) {
    return MakePlainError(proxy_control_messages::kSnapshotDamaged,
                          {{"path", path}, {"problem", problem}});
  };
  const auto body = RemoveDigestHeader(kMagic, text);
  if (!body.ok()) return damaged(body.status().message());
  v1::WatchRoutesResponse message;
  if (!message.ParseFromArray(body->data(), static_cast<int>(body->size()))) {
    return damaged("malformed message");
  }
  return message;
}

}  // namespace

RouteSnapshotFile::RouteSnapshotFile(std::string path,
                                     absl::Duration stale_route_ttl,
                                     const Clock& clock)
    : path_(std::move(path)),
      clock_(clock),
      table_(stale_route_ttl),
      thread_("route-snapshot", [this] { return WriteNext(); }) {}

RouteSnapshotFile::~RouteSnapshotFile() {
  Flush().IgnoreError();  // errors were logged
  Stop();
}

absl::StatusOr<std::shared_ptr<const RouteUpdate>> RouteSnapshotFile::Load(
    const std::string& certificate, const std::string& key) {
  ASSIGN_OR_RETURN(const v1::WatchRoutesResponse message, Read(path_));
  ASSIGN_OR_RETURN(auto update, ToRouteUpdate(message, certificate, key));
  if (!update->snapshot) {
    return MakePlainError(proxy_control_messages::kNotASnapshot,
                          {{"path", path_}});
  }
  auto from_snapshot_file = std::make_shared<RouteUpdate>(*update);
  from_snapshot_file->from_snapshot_file = true;
  std::lock_guard lock(mutex_);
  table_.Apply(*from_snapshot_file, clock_.Now());
  return std::shared_ptr<const RouteUpdate>(std::move(from_snapshot_file));
}

void RouteSnapshotFile::Record(const RouteUpdate& update) {
  const bool changed = update.snapshot || !update.routes.empty() ||
                       !update.removed.empty() || !update.revoked.empty() ||
                       !update.restored.empty();
  std::lock_guard lock(mutex_);
  const size_t stale = table_.stale();
  const size_t before = table_.size();
  table_.Apply(update, clock_.Now());
  if (table_.stale() > stale) {
    LogWarning("backend no longer lists known routes, keeping them",
               {{"routes", table_.size()}, {"stale", table_.stale()}});
  }
  if ((!changed && table_.size() == before) || table_.trust() == nullptr)
    return;
  dirty_ = true;
  thread_.Wake();
}

absl::Status RouteSnapshotFile::Flush() { return WritePending(); }

void RouteSnapshotFile::Stop() {
  thread_.RequestStop();
  std::lock_guard writing(writing_mutex_);
  stopped_ = true;
}

std::string RouteSnapshotFile::Content() const {
  v1::WatchRoutesResponse message;
  message.set_snapshot(true);
  if (const TrustAnchors* trust = table_.trust()) {
    message.mutable_keys()->set_ticket_public_key(trust->ticket_public_key);
    message.mutable_keys()->set_job_ca_pem(trust->job_ca);
    message.mutable_keys()->set_cookie_key(trust->cookie_key);
  }
  table_.ForEachRoute([&](const std::string& job, const net::Address& agent) {
    v1::Route* route = message.add_routes();
    route->set_job_id(job);
    route->set_address(agent.Ip());
    route->set_port(agent.port());
  });
  table_.ForEachRevoked([&](const std::string& session, absl::Time until) {
    v1::RevokedSession* revoked = message.add_revoked_sessions();
    revoked->set_session_id(session);
    if (until == absl::InfiniteFuture()) return;
    revoked->mutable_forget_after()->set_seconds(absl::ToUnixSeconds(until));
  });
  return AddDigestHeader(kMagic, message.SerializeAsString());
}

absl::Status RouteSnapshotFile::WritePending() {
  std::lock_guard writing(writing_mutex_);
  std::string content;
  bool was_ok = true;
  {
    std::lock_guard lock(mutex_);
    if (stopped_ || !dirty_) return written_;
    content = Content();
    dirty_ = false;
    was_ok = written_.ok();
  }
  const absl::Status written = WriteFile(path_, content, 0600);
  if (!written.ok() && was_ok) {
    LogError("route snapshot not written", {{"error", written.ToString()}});
  }
  std::lock_guard lock(mutex_);
  written_ = written;
  if (!written.ok()) dirty_ = true;
  return written;
}

absl::Duration RouteSnapshotFile::WriteNext() {
  {
    std::lock_guard lock(mutex_);
    if (!dirty_) return absl::InfiniteDuration();
  }
  if (!thread_.SleepFor(kBatchDelay)) return absl::ZeroDuration();
  const absl::Time start = absl::Now();
  const absl::Status written = WritePending();
  const absl::Duration took = absl::Now() - start;
  // More updates do not shorten the pause.
  thread_.SleepFor(written.ok() ? std::clamp(9 * took, absl::ZeroDuration(),
                                             absl::Minutes(1))
                                : absl::Seconds(5));
  return absl::ZeroDuration();
}

}  // namespace carme::proxy
