// What the proxy says for itself, in words.
#ifndef CARME_PROXY_NOTICE_H_
#define CARME_PROXY_NOTICE_H_

#include <string_view>

namespace carme::proxy {

enum class Notice {
  kReady,           // 200: the app may be asked
  kOpenFromPortal,  // 401: no cookie, or one that is not ours
  kSessionEnded,    // 401: the session that opened it is over
  kPassExpired,     // 401: the grant is over
  kTicketRefused,   // 403: a link that was used, or is too old
  kForbidden,       // 403: another site's request
  kBadForwarded,    // 400: what a load balancer said cannot be read
  kBodyTooLarge,    // 413
  kTooMany,         // 429: log-ins, or connections of one session
  kJobWaits,        // 503: in Slurm's queue
  kJobStarting,     // 503: it has its nodes, its agent is not there yet
  kJobStopping,     // 503
  kJobEnded,        // 404
  kAppStarting,     // 503
  kAppFailed,       // 503
  kNodeSilent,      // 503: the agent does not answer
  kNotReady,        // 503: the app does not answer
  kNotKnownYet,     // 503: the proxy has just begun
  kNotFound,        // 404: below /.carme/
  kNoSuchHost,      // 421
  kBadGateway,      // 502: the app's answer was not HTTP
  kPortalDown,      // 503: the frontend does not answer
  kPortalBusy,      // 503: no memory left for the request's body
};

// What the page does by itself.
enum class GoesOn {
  kNot,
  kAsks,    // how it is, and loads the app when it is ready
  kReloads  // after some seconds
};

struct NoticeWords {
  int status;
  std::string_view phrase;  // of the status
  std::string_view code;    // for programs; never changes its meaning
  std::string_view tone;    // "wait", "quiet", "bad": how the page looks
  std::string_view title;
  std::string_view text;
  GoesOn goes_on = GoesOn::kNot;
  bool retry = false;  // the page offers to load the app again
};

NoticeWords WordsOf(Notice notice);

// For the log.
inline int StatusOf(Notice notice) { return WordsOf(notice).status; }

}  // namespace carme::proxy

#endif  // CARME_PROXY_NOTICE_H_
