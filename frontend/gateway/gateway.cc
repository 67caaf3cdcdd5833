#include "frontend/gateway/gateway.h"

#include <google/protobuf/message.h>

#include <memory>
#include <optional>
#include <utility>

#include "absl/time/clock.h"
#include "carme/v1/jobs.pb.h"
#include "common/log.h"
#include "common/protobuf/message_error.h"
#include "common/status.h"
#include "frontend/clusters/cluster_response.h"
#include "frontend/clusters/messages.h"
#include "frontend/gateway/bearer_token.h"
#include "frontend/gateway/connect_error.h"
#include "frontend/gateway/connect_request.h"
#include "frontend/gateway/envelope.h"
#include "frontend/gateway/json_codec.h"
#include "frontend/gateway/messages.h"
#include "frontend/gateway/request_checks.h"
#include "frontend/gateway/session_cookie.h"
#include "frontend/gateway/session_fields.h"

namespace carme::frontend {
namespace {

constexpr char kClusterHeader[] = "carme-cluster";

using MessagePtr = std::unique_ptr<google::protobuf::Message>;

// JSON to the message's bytes.
absl::StatusOr<std::string> Encode(const Method& method,
                                   const std::string& json) {
  const MessagePtr message(method.request->New());
  RETURN_IF_ERROR(ParseJson(json, message.get()));
  return message->SerializeAsString();
}

struct Decoded {
  std::string json;
  SessionFields session;
};

// The message's bytes to JSON, without the session. `cluster`: which one
// responded. INTERNAL.
absl::StatusOr<Decoded> Decode(const Method& method,
                               const PortalClusters& clusters,
                               const PortalCluster& cluster,
                               const std::string& bytes) {
  const MessagePtr message(method.response->New());
  if (!message->ParseFromString(bytes)) {
    return absl::InternalError("invalid response from the backend");
  }
  Decoded decoded;
  decoded.session = TakeSession(message.get());
  const std::string& token = decoded.session.token;
  if (!token.empty() && !IsSessionToken(token)) {
    return absl::InternalError("malformed session token from the backend");
  }
  if (clusters.IsFurther(cluster)) {
    RETURN_IF_ERROR(CheckFurther(cluster, !token.empty(), *message));
  }
  if (!cluster.name.empty()) SetCluster(cluster.name, message.get());
  ASSIGN_OR_RETURN(decoded.json, PrintJson(*message));
  return decoded;
}

// Logs a status that is the fault of the frontend or the backend; returns it.
absl::Status Logged(const absl::Status& fault, const BackendCall& call) {
  LogError("invalid response from the backend", {{"request", call.request_id},
                                                 {"method", call.method},
                                                 {"error", fault.ToString()}});
  return fault;
}

// Deletes the cookie after methods that end sessions and when the backend does
// not find the session. Scripts have no cookie.
std::optional<std::string> CookieFor(const Method& method,
                                     const absl::Status& status,
                                     const SessionFields& session) {
  const bool ended = status.ok() && method.ends_session;
  if (ended || (method.needs_session && absl::IsUnauthenticated(status))) {
    return DeletedSessionCookie();
  }
  if (session.token.empty()) return std::nullopt;
  std::optional<absl::Duration> lasts;
  if (session.expires_at) lasts = *session.expires_at - absl::Now();
  return SessionCookie(session.token, lasts);
}

}  // namespace

Gateway::Gateway(const PortalOrigin& portal, const MethodTable* methods,
                 ClusterCalls* calls, StreamLimiter* streams)
    : portal_(portal),
      methods_(methods),
      calls_(calls),
      merged_jobs_(calls->clusters().all().size() > 1
                       ? std::make_unique<MergedJobs>(calls)
                       : nullptr),
      streams_(streams) {}

std::optional<HttpError> Gateway::CheckSource(
    const HttpRequest& request, const std::string& request_id) const {
  std::optional<HttpError> error;
  if (!IsScript(request.headers)) error = CheckOrigin(portal_, request.headers);
  if (!error) error = CheckForwardedFor(request.headers);
  if (error) {
    LogInfo("call refused", {{"request", request_id},
                             {"client", request.peer},
                             {"path", request.path},
                             {"error", error->message}});
  }
  return error;
}

HttpResponse Gateway::Answer(const HttpRequest& request,
                             const std::string& request_id) const {
  std::optional<HttpError> error = CheckSource(request, request_id);
  if (error) return ErrorResponse(*error, request_id);
  const Method* method = methods_->Find(request.path);
  if (method == nullptr) {
    return ErrorResponse(HttpError{404, "method not found"}, request_id);
  }
  error = CheckContentType(*method, request.headers);
  if (error) return ErrorResponse(*error, request_id);
  return method->streams ? AnswerStream(*method, request, request_id)
                         : AnswerUnary(*method, request, request_id);
}

std::variant<CheckedBatch, HttpResponse> Gateway::CheckBatch(
    const HttpRequest& request, const std::string& request_id) const {
  std::optional<HttpError> error = CheckSource(request, request_id);
  if (!error) error = CheckContentType(Method(), request.headers);
  if (error) return ErrorResponse(*error, request_id);
  const auto check = [&]() -> absl::StatusOr<CheckedBatch> {
    if (IsScript(request.headers)) {
      return MakeError(gateway_messages::kBatchWithToken);
    }
    CheckedBatch batch;
    ASSIGN_OR_RETURN(batch.session, SessionTokenOf(request.headers));
    if (batch.session.empty()) {
      return MakeError(gateway_messages::kBatchWithoutSession);
    }
    ASSIGN_OR_RETURN(batch.calls, ParseBatch(*methods_, request.body));
    return batch;
  };
  absl::StatusOr<CheckedBatch> batch = check();
  if (!batch.ok()) return ErrorResponse(batch.status(), request_id);
  return *std::move(batch);
}

HttpResponse Gateway::AnswerUnary(const Method& method,
                                  const HttpRequest& request,
                                  const std::string& request_id) const {
  const auto call_backend = [&]() -> absl::StatusOr<Decoded> {
    RETURN_IF_ERROR(CheckConnectHeaders(method, request.headers));
    ASSIGN_OR_RETURN(const PortalCluster* cluster,
                     ClusterOf(method, request.headers));
    ASSIGN_OR_RETURN(const BackendCall call,
                     BackendCallFor(method, request, request_id, absl::Now()));
    ASSIGN_OR_RETURN(const std::string message, Encode(method, request.body));
    if (IsMerged(method, request.headers)) {
      v1::ListJobsRequest list;
      list.ParseFromString(message);
      const absl::StatusOr<v1::ListJobsResponse> merged =
          merged_jobs_->List(call, list);
      if (absl::IsUnauthenticated(merged.status())) {
        calls_->DropAssertions(call.credential);
      }
      RETURN_IF_ERROR(merged.status());
      Decoded decoded;
      ASSIGN_OR_RETURN(decoded.json, PrintJson(*merged));
      return decoded;
    }
    const absl::StatusOr<std::string> answer =
        calls_->Call(*cluster, call, message);
    if (method.identity || absl::IsUnauthenticated(answer.status())) {
      calls_->DropAssertions(call.credential);
    }
    RETURN_IF_ERROR(answer.status());
    absl::StatusOr<Decoded> decoded =
        Decode(method, calls_->clusters(), *cluster, *answer);
    return decoded.ok() ? decoded : Logged(decoded.status(), call);
  };
  absl::StatusOr<Decoded> decoded = call_backend();
  HttpResponse response;
  if (decoded.ok()) {
    response.body = std::move(decoded->json);
    response.Set("Content-Type", "application/json");
    response.Set("Cache-Control", "no-store");
  } else {
    response = ErrorResponse(decoded.status(), request_id);
  }
  std::optional<std::string> cookie;
  if (!IsScript(request.headers)) {
    cookie = CookieFor(method, decoded.status(),
                       decoded.ok() ? decoded->session : SessionFields());
  }
  if (cookie) response.Set("Set-Cookie", *cookie);
  LogDebug("call", {{"request", request_id},
                    {"method", method.path},
                    {"status", response.status}});
  return response;
}

bool Gateway::IsMerged(const Method& method, const HttpHeaders& headers) const {
  return merged_jobs_ != nullptr && headers.Find(kClusterHeader) == nullptr &&
         method.request->GetDescriptor() == v1::ListJobsRequest::descriptor();
}

absl::StatusOr<const PortalCluster*> Gateway::ClusterOf(
    const Method& method, const HttpHeaders& headers) const {
  const PortalClusters& clusters = calls_->clusters();
  const std::string* name = headers.Find(kClusterHeader);
  const PortalCluster* cluster = &clusters.identity();
  if (!method.identity && name != nullptr) {
    ASSIGN_OR_RETURN(cluster, clusters.Find(*name));
  }
  if (!method.metrics) return cluster;
  if (clusters.IsFurther(*cluster) || clusters.metrics() == nullptr) {
    return MakeError(clusters_messages::kMetricsNotOffered);
  }
  return clusters.metrics();
}

absl::StatusOr<std::shared_ptr<StreamLimiter::Slot>> Gateway::AcquireStreamSlot(
    const std::string& credential) const {
  auto slot =
      std::make_shared<StreamLimiter::Slot>(streams_->TryAcquire(credential));
  switch (slot->limit_reached()) {
    case LimitReached::kTotal:
      return MakeError(gateway_messages::kTooManyStreams);
    case LimitReached::kKey:
      return MakeError(gateway_messages::kTooManyStreamsOfSession,
                       {{"max", streams_->max_per_key()}});
    case LimitReached::kNone:
      break;
  }
  return slot;
}

// The response is always a stream; errors are in its last message.
HttpResponse Gateway::AnswerStream(const Method& method,
                                   const HttpRequest& request,
                                   const std::string& request_id) const {
  struct Start {
    const PortalCluster* cluster = nullptr;
    BackendCall call;
    std::string message;
    std::shared_ptr<StreamLimiter::Slot> slot;
  };
  const auto prepare = [&]() -> absl::StatusOr<Start> {
    Start start;
    RETURN_IF_ERROR(CheckConnectHeaders(method, request.headers));
    ASSIGN_OR_RETURN(start.cluster, ClusterOf(method, request.headers));
    ASSIGN_OR_RETURN(start.call,
                     BackendCallFor(method, request, request_id, absl::Now()));
    ASSIGN_OR_RETURN(const std::string json, OpenEnvelope(request.body));
    ASSIGN_OR_RETURN(start.message, Encode(method, json));
    ASSIGN_OR_RETURN(start.slot, AcquireStreamSlot(start.call.credential));
    return start;
  };
  HttpResponse response;
  response.Set("Content-Type", "application/connect+json");
  response.Set("Cache-Control", "no-store");
  response.stream = [this, &method, request_id,
                     start = prepare()](HttpStream& out) {
    const absl::Status status =
        start.ok() ? RunStream(method, *start->cluster, start->call,
                               start->message, &out)
                   : start.status();
    out.Write(EndOfStream(status, request_id));
  };
  return response;
}

absl::Status Gateway::RunStream(const Method& method,
                                const PortalCluster& cluster,
                                const BackendCall& call,
                                const std::string& message,
                                HttpStream* out) const {
  absl::Status broken;
  const absl::Status status = calls_->Stream(
      cluster, call, message,
      [&](const std::string& bytes) {
        absl::StatusOr<Decoded> decoded =
            Decode(method, calls_->clusters(), cluster, bytes);
        if (!decoded.ok()) broken = Logged(decoded.status(), call);
        return decoded.ok() && out->Write(Envelope(kMessage, decoded->json));
      },
      [out] { return out->Ended(); });
  if (!broken.ok()) return broken;
  // Only the gateway cancels: the client has disconnected or the server stops.
  if (absl::IsCancelled(status)) {
    return MakeError(gateway_messages::kStopping);
  }
  return status;
}

}  // namespace carme::frontend
