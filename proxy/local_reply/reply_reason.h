// Why the proxy replies itself instead of an app or the portal, and the text of
// the reply. A request without access gets 401 and a page, never a redirect,
// which would turn a failed background request into the portal's page. Programs
// read the codes of error pages, so a code keeps its meaning.
#ifndef CARME_PROXY_LOCAL_REPLY_REPLY_REASON_H_
#define CARME_PROXY_LOCAL_REPLY_REPLY_REASON_H_

#include <optional>
#include <string>
#include <string_view>

#include "absl/time/time.h"
#include "proxy/control/job_status.h"

namespace carme::proxy {

enum class ReplyReason {
  kReady,              // 200: the app may be requested
  kOpenFromPortal,     // 401: no cookie, or an invalid one
  kSessionEnded,       // 401: the session that opened the app has ended
  kGrantExpired,       // 401
  kTicketRejected,     // 403: the link was used before, or has expired
  kCrossOrigin,        // 403: a request of another site
  kBadForwarded,       // 400: invalid Forwarded field of a load balancer
  kBodyTooLarge,       // 413
  kRateLimited,        // 429: log-ins, or connections of one session
  kJobPending,         // 503: in Slurm's queue
  kJobStarting,        // 503: has its nodes, but no registered agent
  kJobStopping,        // 503
  kJobEnded,           // 404
  kAppStarting,        // 503
  kAppFailed,          // 503
  kNodeUnreachable,    // 503: the agent does not respond
  kAppUnreachable,     // 503: the app does not respond
  kProxyStarting,      // 503: no routes were received since the start
  kNotFound,           // 404: below /.carme/
  kNoSuchHost,         // 421
  kBadGateway,         // 502: the app's response was not valid HTTP
  kPortalUnavailable,  // 503: the frontend does not respond
  kPortalBusy,         // 503: no memory for the request's body
};

// How the error page refreshes itself.
enum class Refresh {
  kNone,
  kPollStatus,  // polls the app's status and loads the app when it is ready
  kReload       // reloads after some seconds
};

struct ErrorText {
  int status;
  std::string_view phrase;  // of the status
  std::string_view code;    // for programs; never changes its meaning
  std::string_view tone;    // "wait", "quiet", "bad": how the page looks
  std::string_view title;
  std::string_view text;
  Refresh refresh = Refresh::kNone;
  bool retry = false;  // the page has a link that loads the app again
};

const ErrorText& TextFor(ReplyReason reason);
inline int StatusOf(ReplyReason reason) { return TextFor(reason).status; }

// The status of an app, on its origin and below its prefix. Error pages and the
// overlay poll it.
inline constexpr std::string_view kStatusPath = "/.carme/status";

// Why an app did not answer a request.
enum class UpstreamFailure {
  kNone,           // only its status was requested
  kRoutesUnknown,  // the backend has not sent its jobs yet
  kNoRoute,
  kNoAgent,     // the node does not respond
  kNoResponse,  // the agent closed the connection before a response
  kSlow,        // the app is still starting, and a user waits for a page
};

struct ReplyDetails {
  ReplyReason reply_reason = ReplyReason::kAppUnreachable;
  std::string reason{};  // why the job waits, how it ended; may be empty
  std::optional<absl::Time> expected_start{};
};

// `job_status` may be null. `app` is the requested app.
ReplyDetails ReplyDetailsFor(UpstreamFailure failure,
                             const JobStatusEntry* job_status,
                             std::string_view app);

// Whether the app may still be starting: a user who waits for a page then gets
// an error page that says so.
bool MayStillStart(const JobStatusEntry* job_status, std::string_view app);

}  // namespace carme::proxy

#endif  // CARME_PROXY_LOCAL_REPLY_REPLY_REASON_H_
