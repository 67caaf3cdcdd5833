// What is said in an app's place: pure functions.
#ifndef CARME_PROXY_SITUATION_H_
#define CARME_PROXY_SITUATION_H_

#include <optional>
#include <string>
#include <string_view>

#include "absl/time/time.h"
#include "proxy/notice.h"
#include "proxy/standing.h"

namespace carme::proxy {

// On an app's origin, below its prefix: how it is, for the page that waits.
inline constexpr std::string_view kStatePath = "/.carme/state";

// Why a request for an app was not answered by it.
enum class Trouble {
  kNone,          // none yet: it is only asked how the app is
  kNothingKnown,  // the backend has not said yet which jobs there are
  kNoRoute,
  kNoAgent,   // the node does not answer
  kNoAnswer,  // the agent hung up before an answer
  kSlow,      // a person has waited, and the app starts
};

struct Situation {
  Notice notice = Notice::kNotReady;
  std::string reason{};  // why it waits, how it ended; may be empty
  std::optional<absl::Time> expected_start{};
};

// `standing` may be null; `app` is the one that is asked for.
Situation SituationOf(Trouble trouble, const Standing* standing,
                      std::string_view app);

// Whether a request may come before the app answers: who waits for a page is
// then told so.
bool MayStillStart(const Standing* standing, std::string_view app);

}  // namespace carme::proxy

#endif  // CARME_PROXY_SITUATION_H_
