#include "backend/clusters/ended_session_watcher.h"

#include <grpcpp/client_context.h>
#include <grpcpp/create_channel.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/time/clock.h"
#include "carme/v1/routes.pb.h"
#include "carme/v1/session.grpc.pb.h"
#include "common/grpc/backend_credentials.h"
#include "common/grpc/grpc_status.h"
#include "common/log.h"
#include "common/status.h"

namespace carme::backend {
namespace {

constexpr absl::Duration kRetryDelay = absl::Seconds(2);
constexpr absl::Duration kWatchdogInterval = absl::Seconds(5);
// The next stream has a new connection, with the present certificates and
// revocation list.
constexpr absl::Duration kMaxStreamTime = absl::Hours(1);
constexpr int kMaxMessageBytes = 64 << 20;

absl::Time TimeOf(const v1::RevokedSession& session) {
  return session.has_forget_after()
             ? absl::FromUnixSeconds(session.forget_after().seconds() + 1)
             : absl::InfiniteFuture();
}

}  // namespace

EndedSessionWatcher::EndedSessionWatcher(
    const IdentityBackend* identity_backend,
    AssertionAuthenticator* authenticator, const Clock* clock,
    int expiry_warn_days)
    : identity_backend_(*identity_backend),
      authenticator_(*authenticator),
      clock_(*clock),
      expiry_warn_days_(expiry_warn_days) {
  reader_.Start("ended-sessions", [this] { return WatchNext(); });
  watchdog_.Start("ended-watchdog", kWatchdogInterval,
                  [this] { CancelSilentStream(); });
}

EndedSessionWatcher::~EndedSessionWatcher() {
  watchdog_.Stop();
  reader_.RequestStop();
  CancelStream();
  reader_.Stop();
}

void EndedSessionWatcher::CancelStream() {
  absl::MutexLock lock(&mutex_);
  if (stream_ != nullptr) stream_->TryCancel();
}

void EndedSessionWatcher::CancelSilentStream() {
  const absl::Time last = authenticator_.last_message_at();
  absl::MutexLock lock(&mutex_);
  if (stream_ != nullptr &&
      std::max(last, stream_began_at_) + kMaxSilence < clock_.Now()) {
    stream_->TryCancel();
  }
}

absl::Duration EndedSessionWatcher::WatchNext() {
  received_ = false;
  const absl::Status status = WatchOnce();
  if (reader_.stopping()) return absl::ZeroDuration();
  if (received_) loss_logged_ = false;
  if (received_ && absl::IsDeadlineExceeded(status)) {
    return absl::ZeroDuration();  // kMaxStreamTime
  }
  if (!std::exchange(loss_logged_, true)) {
    LogWarning(
        "connection to the identity backend lost; without it no app is opened",
        {{"backend", identity_backend_.address},
         {"error", StatusText(status)}});
  }
  return kRetryDelay;
}

absl::Status EndedSessionWatcher::WatchOnce() {
  ASSIGN_OR_RETURN(const TlsMaterial tls, ReadTlsFiles(identity_backend_.tls));
  // The system clock, which the TLS handshake uses, too.
  const absl::Time now = absl::Now();
  warnings_.Check(HealthOf("backend", tls.certificate, expiry_warn_days_, now),
                  now);
  warnings_.Check(HealthOfList(tls.revoked, tls.ca, now), now);
  grpc::ChannelArguments arguments;
  arguments.SetSslTargetNameOverride(identity_backend_.server_name);
  arguments.SetMaxReceiveMessageSize(kMaxMessageBytes);
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  const auto stub = v1::SessionService::NewStub(grpc::CreateCustomChannel(
      identity_backend_.address, BackendCredentials(tls), arguments));
  grpc::ClientContext context;
  context.set_deadline(absl::ToChronoTime(now + kMaxStreamTime));
  {
    absl::MutexLock lock(&mutex_);
    stream_ = &context;
    stream_began_at_ = clock_.Now();
  }
  // The destructor may have found no stream to cancel.
  if (reader_.stopping()) context.TryCancel();
  const auto stream = stub->WatchEndedSessions(&context, {});
  v1::WatchEndedSessionsResponse message;
  while (stream->Read(&message)) {
    std::vector<EndedSession> ended;
    for (const v1::RevokedSession& session : message.ended_sessions()) {
      ended.push_back({SessionId(session.session_id()), TimeOf(session)});
    }
    std::vector<SessionId> restored;
    for (const std::string& id : message.restored_sessions()) {
      restored.emplace_back(id);
    }
    authenticator_.Apply(ended, restored);
    if (!std::exchange(received_, true)) {
      LogInfo("connected to the identity backend",
              {{"backend", identity_backend_.address},
               {"ended_sessions", ended.size()}});
    }
  }
  const grpc::Status status = stream->Finish();
  absl::MutexLock lock(&mutex_);
  stream_ = nullptr;
  return FromGrpc(status);
}

}  // namespace carme::backend
