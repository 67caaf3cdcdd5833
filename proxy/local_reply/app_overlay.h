// The overlay of app pages: a script that the proxy adds to the documents of
// apps. It shows the time that is left, warns before the job ends, says when
// job or session have ended, and leads back to the portal.
//
//   app ── text/html ──► proxy ── the same, then <script src=…/overlay.js> ──►
//   browser
//                          ▲ │ └──────────────── /.carme/status, now and then
//                          ───────┘
//
// The script runs in the app's origin, whose code can change or remove it. It
// can therefore do nothing that the app could not: to extend or stop a job, it
// opens the portal.
#ifndef CARME_PROXY_LOCAL_REPLY_APP_OVERLAY_H_
#define CARME_PROXY_LOCAL_REPLY_APP_OVERLAY_H_

#include <string>
#include <string_view>

#include "common/http1/head.h"

namespace carme::proxy {

// The script, on the app's origin and below its prefix. It needs no access.
inline constexpr std::string_view kOverlayPath = "/.carme/overlay.js";

// Whether a browser loads a document into a tab, not into a frame.
bool WantsOverlay(const RequestHead& head);

// Whether the script can be added to the end of this response to
// WantsOverlay(): it is a complete, unencoded HTML document that is shown, not
// downloaded, and whose policy does not isolate it from its origin.
bool TakesOverlay(const ResponseHead& head);

// What is added to the document. `prefix`: "/<label>" with path-based routing.
std::string OverlayElement(std::string_view prefix);

std::string_view OverlayScript();

}  // namespace carme::proxy

#endif  // CARME_PROXY_LOCAL_REPLY_APP_OVERLAY_H_
