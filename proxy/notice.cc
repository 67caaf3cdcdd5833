#include "proxy/notice.h"

namespace carme::proxy {
namespace {

NoticeWords WordsOfAccess(Notice notice) {
  switch (notice) {
    case Notice::kOpenFromPortal:
      return {401,
              "Unauthorized",
              "open-from-portal",
              "quiet",
              "Open it from the portal",
              "This address needs a pass, which the portal gives to whom the "
              "job belongs: find the job in your list there and press Open."};
    case Notice::kSessionEnded:
      return {401,
              "Unauthorized",
              "session-ended",
              "quiet",
              "You are logged out",
              "The session in which this app was opened is over. Log in to the "
              "portal and open the app again: what runs in the job goes on."};
    case Notice::kPassExpired:
      return {401,
              "Unauthorized",
              "pass-expired",
              "quiet",
              "Open it once more",
              "The pass with which this app was opened is over. Get a new one "
              "in the portal: find the job in your list there and press Open."};
    case Notice::kTicketRefused:
      return {403,
              "Forbidden",
              "ticket-refused",
              "quiet",
              "This link has been used",
              "A link from the portal opens an app once and within half a "
              "minute. Press Open again to get a new one."};
    case Notice::kForbidden:
      return {403,
              "Forbidden",
              "another-site",
              "quiet",
              "Not from here",
              "Another site sent this request. Open the app itself to go on."};
    default:
      return {500, "Internal Server Error", "", "bad", "", ""};
  }
}

NoticeWords WordsOfJob(Notice notice) {
  switch (notice) {
    case Notice::kReady:
      return {
          200, "OK", "ready", "wait", "The app is ready", "It answers now."};
    case Notice::kJobWaits:
      return {503,
              "Service Unavailable",
              "job-waits",
              "wait",
              "Waiting for its turn",
              "The job is in Slurm's queue. Its app opens here by itself when "
              "it has started.",
              GoesOn::kAsks};
    case Notice::kJobStarting:
      return {503,
              "Service Unavailable",
              "job-starting",
              "wait",
              "The job is starting",
              "It has its nodes, and its environment is being made ready. The "
              "app opens here by itself.",
              GoesOn::kAsks};
    case Notice::kJobStopping:
      return {503,
              "Service Unavailable",
              "job-stopping",
              "quiet",
              "The job is stopping",
              "Its apps are closed, and Slurm is cleaning up.",
              GoesOn::kAsks};
    case Notice::kJobEnded:
      return {404,
              "Not Found",
              "job-ended",
              "quiet",
              "This job has ended",
              "Its files are where you saved them. Start a new job in the "
              "portal to go on working."};
    case Notice::kAppStarting:
      return {503,
              "Service Unavailable",
              "app-starting",
              "wait",
              "The app is starting",
              "The first time in a job can take a minute. The app opens here "
              "by itself.",
              GoesOn::kAsks};
    case Notice::kAppFailed:
      return {503,
              "Service Unavailable",
              "app-failed",
              "bad",
              "The app did not start",
              "The rest of the job goes on. The app's log in the portal may "
              "say more.",
              GoesOn::kNot,
              true};
    case Notice::kNodeSilent:
      return {503,
              "Service Unavailable",
              "node-silent",
              "bad",
              "The job's node does not answer",
              "The network to it may be down for a moment. Where the node has "
              "failed, Slurm ends the job, and this page says so. It tries "
              "again by itself.",
              GoesOn::kReloads,
              true};
    case Notice::kNotReady:
      return {503,
              "Service Unavailable",
              "app-silent",
              "wait",
              "Just a moment",
              "The app is starting, or has just gone. This page tries again "
              "by itself.",
              GoesOn::kReloads,
              true};
    case Notice::kNotKnownYet:
      return {503,
              "Service Unavailable",
              "not-known-yet",
              "wait",
              "Just a moment",
              "This site has just been started and does not know its jobs "
              "yet. This page tries again by itself.",
              GoesOn::kReloads,
              true};
    default:
      return WordsOfAccess(notice);
  }
}

}  // namespace

NoticeWords WordsOf(Notice notice) {
  switch (notice) {
    case Notice::kBadForwarded:
      return {400,
              "Bad Request",
              "bad-forwarded",
              "bad",
              "This request cannot be read",
              "What it says about where it comes from makes no sense."};
    case Notice::kBodyTooLarge:
      return {413,
              "Content Too Large",
              "body-too-large",
              "bad",
              "Too much at once",
              "This site takes no upload of that size in one piece."};
    case Notice::kTooMany:
      return {429,
              "Too Many Requests",
              "too-many",
              "bad",
              "Too much at once",
              "There were many requests from here within a short time. This "
              "page tries again by itself.",
              GoesOn::kReloads,
              true};
    case Notice::kNotFound:
      return {404,     "Not Found",    "not-found",
              "quiet", "Nothing here", "There is no such page."};
    case Notice::kNoSuchHost:
      return {421,
              "Misdirected Request",
              "no-such-host",
              "quiet",
              "Nothing here",
              "This server does not know the host name it was asked for."};
    case Notice::kBadGateway:
      return {502,
              "Bad Gateway",
              "bad-answer",
              "bad",
              "The app gave no proper answer",
              "What it sent was not HTTP, or it stopped in the middle.",
              GoesOn::kNot,
              true};
    case Notice::kPortalDown:
      return {503,
              "Service Unavailable",
              "portal-away",
              "bad",
              "The portal is away",
              "Apps that are open go on working. This page tries again by "
              "itself.",
              GoesOn::kReloads,
              true};
    case Notice::kPortalBusy:
      return {503,
              "Service Unavailable",
              "portal-busy",
              "bad",
              "The portal is busy",
              "It cannot take this request now. This page tries again by "
              "itself.",
              GoesOn::kReloads,
              true};
    default:
      return WordsOfJob(notice);
  }
}

}  // namespace carme::proxy
