#include "backend/metrics/server/portal_callers.h"

#include <google/protobuf/descriptor.h>
#include <grpc/grpc_security_constants.h>
#include <grpcpp/server_context.h>

#include <algorithm>
#include <utility>

#include "absl/time/clock.h"
#include "backend/metrics/server/messages.h"
#include "backend/rpc/access/access_rule.h"
#include "backend/rpc/access/caller_metadata.h"
#include "backend/rpc/access/method_registry.h"
#include "carme/v1/metrics.pb.h"
#include "common/crypto/signature.h"
#include "common/ids.h"
#include "common/protobuf/message_error.h"
#include "common/status.h"

namespace carme::metrics {
namespace {

absl::Status CheckFrontend(const grpc::ServerContextBase& context,
                           backend::ClientCertificates* certificates) {
  const auto peer = context.auth_context();
  const std::vector<grpc::string_ref> leaf =
      peer->FindPropertyValues(GRPC_X509_PEM_CERT_PROPERTY_NAME);
  if (peer->IsPeerAuthenticated() && leaf.size() == 1) {
    // The system clock, which the TLS handshake uses, too.
    const absl::StatusOr<MachineRole> role = certificates->RoleOf(
        std::string(leaf.front().data(), leaf.front().size()), absl::Now());
    if (role.ok() && *role == MachineRole::kFrontend) return absl::OkStatus();
  }
  return MakeError(server_messages::kNotTheFrontend);
}

std::string AssertionOf(const grpc::ServerContextBase& context) {
  const auto range =
      context.client_metadata().equal_range(backend::kAssertionKey);
  if (range.first == range.second || std::next(range.first) != range.second) {
    return "";
  }
  return std::string(range.first->second.data(), range.first->second.size());
}

const v1::Access& AccessOf(const std::string& method) {
  static const backend::AccessTable table = backend::ReadAccessTable(
      {v1::GetJobMetricsRequest::descriptor()->file()});
  return table.at(method);
}

}  // namespace

PortalCallers::PortalCallers(std::string frontend_name,
                             MetricsAccessClient* link)
    : link_(link),
      certificates_(backend::MachineNames{.frontend = std::move(frontend_name),
                                          .proxy = ""}) {}

void PortalCallers::SetAssertionKey(const std::string& key) {
  const absl::StatusOr<VerifyingKey> parsed = VerifyingKey::FromRaw(key);
  absl::MutexLock lock(&mutex_);
  verifier_.reset();
  if (parsed.ok()) verifier_.emplace(*parsed, backend::kMetricsAudience);
}

absl::StatusOr<backend::Session> PortalCallers::SessionOf(
    const grpc::ServerContextBase& context, const std::string& method) {
  RETURN_IF_ERROR(CheckFrontend(context, &certificates_));
  const absl::Time now = absl::Now();
  const std::string assertion = AssertionOf(context);
  absl::StatusOr<backend::Session> session =
      MakeError(server_messages::kNotReady);
  {
    absl::MutexLock lock(&mutex_);
    if (verifier_) session = verifier_->Verify(assertion, now);
  }
  RETURN_IF_ERROR(session.status());
  RETURN_IF_ERROR(backend::CheckPerson(AccessOf(method), *session, now));
  return session;
}

absl::StatusOr<v1::AuthorizeMetricsResponse> PortalCallers::Authorize(
    const grpc::ServerContextBase& context, const std::string& method,
    const std::string& job) {
  ASSIGN_OR_RETURN(const backend::Session session, SessionOf(context, method));
  v1::AuthorizeMetricsRequest request;
  request.set_username(session.username);
  request.set_session_id(session.id.value());
  request.set_job_id(job);
  return link_->Authorize(request);
}

absl::StatusOr<v1::MeasuredJob> PortalCallers::JobFor(
    const grpc::ServerContextBase& context, const std::string& method,
    const std::string& job) {
  // The backend reads no id as all jobs.
  if (!IsJobId(job)) {
    RETURN_IF_ERROR(SessionOf(context, method).status());
    return MakeError(server_messages::kJobUnknown);
  }
  ASSIGN_OR_RETURN(v1::AuthorizeMetricsResponse response,
                   Authorize(context, method, job));
  if (response.jobs_size() != 1 || response.jobs(0).job_id() != job) {
    return MakeError(server_messages::kJobUnknown);
  }
  return std::move(*response.mutable_jobs(0));
}

absl::StatusOr<v1::MeasuredJob> PortalCallers::OwnJobFor(
    const grpc::ServerContextBase& context, const std::string& method,
    const std::string& job) {
  ASSIGN_OR_RETURN(const backend::Session session, SessionOf(context, method));
  ASSIGN_OR_RETURN(v1::MeasuredJob record, JobFor(context, method, job));
  if (record.owner() == session.username) return record;
  return MakeError(server_messages::kNotTheOwner);
}

absl::StatusOr<std::vector<v1::MeasuredJob>> PortalCallers::JobsAmong(
    const grpc::ServerContextBase& context, const std::string& method,
    const std::set<std::string>& ids) {
  ASSIGN_OR_RETURN(const backend::Session session, SessionOf(context, method));
  if (ids.empty() || ids.size() > size_t{kMaxIds} ||
      !std::all_of(ids.begin(), ids.end(), IsJobId)) {
    return MakeError(server_messages::kIdsInvalid, {{"max", kMaxIds}});
  }
  v1::AuthorizeMetricsRequest request;
  request.set_username(session.username);
  request.set_session_id(session.id.value());
  *request.mutable_job_ids() = {ids.begin(), ids.end()};
  ASSIGN_OR_RETURN(const v1::AuthorizeMetricsResponse response,
                   link_->Authorize(request));
  std::vector<v1::MeasuredJob> visible;
  for (const v1::MeasuredJob& job : response.jobs()) {
    // An older backend returns all jobs of the person.
    if (ids.contains(job.job_id())) visible.push_back(job);
  }
  return visible;
}

absl::StatusOr<std::string> PortalCallers::NameOf(
    const grpc::ServerContextBase& context, const std::string& method) {
  ASSIGN_OR_RETURN(const backend::Session session, SessionOf(context, method));
  return session.username;
}

absl::StatusOr<std::vector<v1::MeasuredJob>> PortalCallers::JobsOf(
    const grpc::ServerContextBase& context, const std::string& method) {
  ASSIGN_OR_RETURN(v1::AuthorizeMetricsResponse response,
                   Authorize(context, method, ""));
  return std::vector<v1::MeasuredJob>(response.jobs().begin(),
                                      response.jobs().end());
}

}  // namespace carme::metrics
