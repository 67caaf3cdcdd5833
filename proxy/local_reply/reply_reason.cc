#include "proxy/local_reply/reply_reason.h"

#include "carme/v1/jobs.pb.h"

namespace carme::proxy {
namespace {

struct Row {
  ReplyReason reason;
  ErrorText text;
};

// The texts that users read.
constexpr Row kTexts[] = {
    {ReplyReason::kReady,
     {200, "OK", "ready", "wait", "The app is ready",
      "The app answers requests."}},
    {ReplyReason::kOpenFromPortal,
     {401, "Unauthorized", "open-from-portal", "quiet",
      "Open this app from the portal",
      "Open this app from the portal: find your job and select Open."}},
    {ReplyReason::kSessionEnded,
     {401, "Unauthorized", "session-ended", "quiet", "You are logged out",
      "The session that opened this app has ended. Log in to the portal and "
      "open the app again. Your job keeps running."}},
    {ReplyReason::kGrantExpired,
     {401, "Unauthorized", "access-expired", "quiet", "Open this app again",
      "Your access to this app has expired. Open it again from the portal: "
      "find your job and select Open."}},
    {ReplyReason::kTicketRejected,
     {403, "Forbidden", "ticket-rejected", "quiet", "This link has expired",
      "A link from the portal works once and for half a minute. Select Open in "
      "the portal again to get a new link."}},
    {ReplyReason::kCrossOrigin,
     {403, "Forbidden", "cross-origin", "quiet", "Request blocked",
      "This request came from another site and was blocked for your security. "
      "Open the app directly."}},
    {ReplyReason::kBadForwarded,
     {400, "Bad Request", "bad-forwarded", "bad", "Invalid request",
      "The Forwarded header sent by the load balancer is invalid."}},
    {ReplyReason::kBodyTooLarge,
     {413, "Content Too Large", "body-too-large", "bad", "Upload too large",
      "This site does not accept an upload of this size in one request."}},
    {ReplyReason::kRateLimited,
     {429, "Too Many Requests", "rate-limited", "bad", "Too many requests",
      "Your network or session sent too many requests in a short time. This "
      "page retries automatically.",
      Refresh::kReload, true}},
    {ReplyReason::kJobPending,
     {503, "Service Unavailable", "job-pending", "wait",
      "Waiting for resources",
      "Your job is in the queue. The app opens here automatically when the job "
      "has started.",
      Refresh::kPollStatus}},
    {ReplyReason::kJobStarting,
     {503, "Service Unavailable", "job-starting", "wait", "The job is starting",
      "Your job has its nodes, and its environment is being prepared. The app "
      "opens here automatically.",
      Refresh::kPollStatus}},
    {ReplyReason::kJobStopping,
     {503, "Service Unavailable", "job-stopping", "quiet",
      "The job is stopping",
      "The apps of this job are closed, and Slurm is cleaning up.",
      Refresh::kPollStatus}},
    {ReplyReason::kJobEnded,
     {404, "Not Found", "job-ended", "quiet", "This job has ended",
      "Your files are where you saved them. To continue, start a new job in "
      "the portal."}},
    {ReplyReason::kAppStarting,
     {503, "Service Unavailable", "app-starting", "wait", "The app is starting",
      "The first start in a job can take a minute. The app opens here "
      "automatically.",
      Refresh::kPollStatus}},
    {ReplyReason::kAppFailed,
     {503, "Service Unavailable", "app-failed", "bad", "The app did not start",
      "The job keeps running. For details, see the log of the app in the "
      "portal.",
      Refresh::kNone, true}},
    {ReplyReason::kNodeUnreachable,
     {503, "Service Unavailable", "node-unreachable", "bad",
      "The node of the job does not respond",
      "The network to the node may be interrupted. If the node has failed, "
      "Slurm ends the job and this page shows it. This page retries "
      "automatically.",
      Refresh::kReload, true}},
    {ReplyReason::kAppUnreachable,
     {503, "Service Unavailable", "app-unreachable", "wait",
      "The app does not respond",
      "The app is starting or has just stopped. This page retries "
      "automatically.",
      Refresh::kReload, true}},
    {ReplyReason::kProxyStarting,
     {503, "Service Unavailable", "proxy-starting", "wait",
      "This site is starting",
      "The list of jobs is being loaded. This page retries automatically.",
      Refresh::kReload, true}},
    {ReplyReason::kNotFound,
     {404, "Not Found", "not-found", "quiet", "Page not found",
      "This page does not exist."}},
    {ReplyReason::kNoSuchHost,
     {421, "Misdirected Request", "unknown-host", "quiet", "Unknown host name",
      "This server does not serve the requested host name."}},
    {ReplyReason::kBadGateway,
     {502, "Bad Gateway", "bad-response", "bad",
      "Invalid response from the app",
      "The app sent an invalid or incomplete HTTP response.", Refresh::kNone,
      true}},
    {ReplyReason::kPortalUnavailable,
     {503, "Service Unavailable", "portal-unavailable", "bad",
      "The portal is unavailable",
      "Open apps keep working. This page retries automatically.",
      Refresh::kReload, true}},
    {ReplyReason::kPortalBusy,
     {503, "Service Unavailable", "portal-busy", "bad", "The portal is busy",
      "The portal cannot process this request now. This page retries "
      "automatically.",
      Refresh::kReload, true}},
};

ReplyDetails DetailsOfApp(UpstreamFailure failure,
                          const JobStatusEntry* job_status,
                          std::string_view app) {
  const AppStatus* found =
      job_status == nullptr ? nullptr : job_status->Find(app);
  const v1::JobAppState state =
      found == nullptr ? v1::JOB_APP_STATE_UNSPECIFIED : found->state;
  const bool job_starts =
      job_status != nullptr && job_status->state == v1::JOB_STATE_STARTING;
  const bool starts = state == v1::JOB_APP_STATE_STARTING ||
                      (job_starts && state == v1::JOB_APP_STATE_UNSPECIFIED);
  switch (failure) {
    case UpstreamFailure::kSlow:
      return {ReplyReason::kAppStarting};
    case UpstreamFailure::kNoAgent:
      return {job_starts ? ReplyReason::kJobStarting
                         : ReplyReason::kNodeUnreachable};
    case UpstreamFailure::kNoResponse:
    case UpstreamFailure::kNone:
      if (state == v1::JOB_APP_STATE_FAILED) {
        return {ReplyReason::kAppFailed, found->detail};
      }
      if (starts) return {ReplyReason::kAppStarting};
      return {failure == UpstreamFailure::kNone ? ReplyReason::kReady
                                                : ReplyReason::kAppUnreachable};
    case UpstreamFailure::kRoutesUnknown:
    case UpstreamFailure::kNoRoute:
      break;
  }
  return {ReplyReason::kAppUnreachable};
}

}  // namespace

const ErrorText& TextFor(ReplyReason reason) {
  for (const Row& row : kTexts) {
    if (row.reason == reason) return row.text;
  }
  static constexpr ErrorText kUnknown{
      500, "Internal Server Error", "", "bad", "", ""};
  return kUnknown;
}

ReplyDetails ReplyDetailsFor(UpstreamFailure failure,
                             const JobStatusEntry* job_status,
                             std::string_view app) {
  const bool no_route = failure == UpstreamFailure::kRoutesUnknown ||
                        failure == UpstreamFailure::kNoRoute;
  switch (job_status == nullptr ? v1::JOB_STATE_UNSPECIFIED
                                : job_status->state) {
    case v1::JOB_STATE_PENDING:
      return {ReplyReason::kJobPending, job_status->reason,
              job_status->expected_start};
    case v1::JOB_STATE_STOPPING:
      return {ReplyReason::kJobStopping, job_status->reason};
    case v1::JOB_STATE_ENDED:
      return {ReplyReason::kJobEnded, job_status->reason};
    case v1::JOB_STATE_STARTING:
    case v1::JOB_STATE_READY:
      // The agent has not registered yet, or registers again.
      if (no_route) return {ReplyReason::kJobStarting, job_status->reason};
      break;
    default:
      if (failure == UpstreamFailure::kRoutesUnknown) {
        return {ReplyReason::kProxyStarting};
      }
      if (failure == UpstreamFailure::kNoRoute) return {ReplyReason::kJobEnded};
      break;
  }
  return DetailsOfApp(failure, job_status, app);
}

bool MayStillStart(const JobStatusEntry* job_status, std::string_view app) {
  if (job_status == nullptr) return false;
  const AppStatus* found = job_status->Find(app);
  return found == nullptr || found->state != v1::JOB_APP_STATE_READY;
}

}  // namespace carme::proxy
