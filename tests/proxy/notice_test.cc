// What the proxy says for itself: words, pages, JSON.
#include <openssl/evp.h>

#include <catch2/catch.hpp>

#include "carme/v1/standing.pb.h"
#include "common/hash.h"
#include "proxy/http_head.h"
#include "proxy/notice_page.h"
#include "proxy/own_answer.h"
#include "proxy/situation.h"
#include "proxy/standing.h"

namespace carme::proxy {
namespace {

bool Has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

std::vector<Notice> AllNotices() {
  std::vector<Notice> all;
  for (int i = 0; i <= static_cast<int>(Notice::kPortalBusy); ++i) {
    all.push_back(static_cast<Notice>(i));
  }
  return all;
}

// What a browser compares: 'sha256-…' of the text between the tags.
std::string DigestOfElement(const std::string& page, const std::string& name) {
  const size_t begin = page.find("<" + name + ">") + name.size() + 2;
  const std::string digest =
      Sha256(page.substr(begin, page.find("</" + name + ">") - begin));
  unsigned char text[64];
  EVP_EncodeBlock(text, reinterpret_cast<const unsigned char*>(digest.data()),
                  static_cast<int>(digest.size()));
  return "'sha256-" + std::string(reinterpret_cast<char*>(text)) + "'";
}

TEST_CASE("notice: each has its words, and a code of its own", "[proxy]") {
  std::vector<std::string> codes;
  for (const Notice notice : AllNotices()) {
    const NoticeWords words = WordsOf(notice);
    INFO(words.title);
    CHECK(words.status >= 200);
    CHECK(words.status != 500);
    CHECK_FALSE(words.title.empty());
    CHECK_FALSE(words.text.empty());
    for (const std::string& other : codes) CHECK(words.code != other);
    codes.emplace_back(words.code);
  }
}

TEST_CASE("notice: a page runs its own script and no other", "[proxy]") {
  AnswerOptions options;
  options.page = true;
  options.request_id = "request-1";
  options.portal_url = "https://carme.example/";
  options.state_path = "/.carme/state";
  for (const Notice notice : AllNotices()) {
    std::string out;
    AppendNotice(notice, options, &out);
    ResponseHead head;
    const ScanResult scan = ScanResponse(out, HeadLimits(), &head);
    REQUIRE(scan.state == ScanState::kDone);
    CHECK(head.status == StatusOf(notice));
    CHECK(head.length == out.size() - scan.head_bytes);
    const std::string fields = out.substr(0, scan.head_bytes);
    const std::string page = out.substr(scan.head_bytes);
    CHECK(Has(fields, "Content-Security-Policy: default-src 'none'; "));
    CHECK(Has(fields, "frame-ancestors 'none'"));
    CHECK(Has(fields, "style-src " + DigestOfElement(page, "style") + ";"));
    CHECK(Has(fields, "Strict-Transport-Security"));
    CHECK(Has(fields, "Cache-Control: no-store"));
    const bool goes_on = WordsOf(notice).goes_on != GoesOn::kNot;
    CHECK(Has(fields, "Retry-After") == goes_on);
    CHECK(Has(page, "http-equiv=\"refresh\"") == goes_on);
    CHECK(Has(page, "data-state=\"/.carme/state\"") == goes_on);
    REQUIRE(Has(page, "<script") == goes_on);
    if (!goes_on) continue;
    CHECK(Has(fields, "script-src " + DigestOfElement(page, "script") + ";"));
  }
}

TEST_CASE("notice: what others wrote is text in a page, and in JSON",
          "[proxy]") {
  const std::string harm = "</p><script>\"'&\\\n\x01</script>";
  NoticeFacts facts;
  facts.reason = harm;
  facts.portal_url = "https://carme.example/\"><i>";
  const std::string page = NoticePage(Notice::kJobEnded, facts);
  CHECK_FALSE(Has(page, "<script>"));
  CHECK_FALSE(Has(page, "<i>"));
  CHECK(Has(page, "&lt;/p&gt;&lt;script&gt;&quot;&#39;&amp;"));
  const std::string json = NoticeJson(Notice::kJobEnded, facts);
  CHECK(Has(json,
            "\"reason\":\"\\u003c/p>\\u003cscript>\\\"'&\\\\\\u000a\\u0001"
            "\\u003c/script>\""));
}

TEST_CASE("notice: a program is told in JSON", "[proxy]") {
  AnswerOptions options;
  options.reason = "other jobs are ahead";
  options.expected_start = absl::FromUnixSeconds(1795345445);
  options.request_id = "request-1";
  std::string out;
  AppendNotice(Notice::kJobWaits, options, &out);
  CHECK(Has(out, "HTTP/1.1 503 "));
  CHECK(Has(out, "Content-Type: application/problem+json\r\n"));
  CHECK(Has(out, "Retry-After: 2\r\n"));
  CHECK(Has(out, "{\"status\":503,\"code\":\"job-waits\",\"title\":\""));
  CHECK(Has(out, "\"reason\":\"other jobs are ahead\""));
  CHECK(Has(out, "\"expected_start\":\"2026-11-22T11:04:05Z\""));
  CHECK(Has(out, "\"goes_on\":true"));
  out.clear();
  AppendState(Notice::kReady, options, &out);
  CHECK(Has(out, "HTTP/1.1 200 OK\r\n"));
  CHECK(Has(out, "Content-Type: application/json\r\n"));
  CHECK(Has(out, "\"code\":\"ready\""));
}

TEST_CASE("situation: what is said in an app's place", "[proxy]") {
  struct Row {
    Trouble trouble;
    JobPhase phase;  // kUnknown: nothing is said of the job
    AppPhase app;    // of the one that is asked for
    Notice notice;
  };
  const std::vector<Row> rows = {
      {Trouble::kNothingKnown, JobPhase::kUnknown, AppPhase::kStopped,
       Notice::kNotKnownYet},
      {Trouble::kNoRoute, JobPhase::kUnknown, AppPhase::kStopped,
       Notice::kJobEnded},
      {Trouble::kNoAgent, JobPhase::kUnknown, AppPhase::kStopped,
       Notice::kNodeSilent},
      {Trouble::kNoAnswer, JobPhase::kUnknown, AppPhase::kStopped,
       Notice::kNotReady},
      {Trouble::kNone, JobPhase::kUnknown, AppPhase::kStopped, Notice::kReady},
      {Trouble::kNoRoute, JobPhase::kWaits, AppPhase::kStopped,
       Notice::kJobWaits},
      // The route is known to have gone a moment later.
      {Trouble::kNone, JobPhase::kWaits, AppPhase::kReady, Notice::kJobWaits},
      {Trouble::kNoRoute, JobPhase::kStarts, AppPhase::kStopped,
       Notice::kJobStarting},
      {Trouble::kNoRoute, JobPhase::kRuns, AppPhase::kReady,
       Notice::kJobStarting},
      {Trouble::kNoAgent, JobPhase::kStarts, AppPhase::kStopped,
       Notice::kJobStarting},
      {Trouble::kNone, JobPhase::kStarts, AppPhase::kStopped,
       Notice::kAppStarting},
      {Trouble::kNone, JobPhase::kStarts, AppPhase::kStarting,
       Notice::kAppStarting},
      {Trouble::kNone, JobPhase::kStarts, AppPhase::kReady, Notice::kReady},
      {Trouble::kNoAnswer, JobPhase::kStarts, AppPhase::kStopped,
       Notice::kAppStarting},
      {Trouble::kSlow, JobPhase::kRuns, AppPhase::kStopped,
       Notice::kAppStarting},
      {Trouble::kNone, JobPhase::kRuns, AppPhase::kStopped, Notice::kReady},
      {Trouble::kNone, JobPhase::kRuns, AppPhase::kStarting,
       Notice::kAppStarting},
      {Trouble::kNone, JobPhase::kRuns, AppPhase::kReady, Notice::kReady},
      {Trouble::kNone, JobPhase::kRuns, AppPhase::kFailed, Notice::kAppFailed},
      {Trouble::kNoAnswer, JobPhase::kRuns, AppPhase::kFailed,
       Notice::kAppFailed},
      {Trouble::kNoAnswer, JobPhase::kRuns, AppPhase::kReady,
       Notice::kNotReady},
      {Trouble::kNoAgent, JobPhase::kRuns, AppPhase::kReady,
       Notice::kNodeSilent},
      {Trouble::kNoAnswer, JobPhase::kStops, AppPhase::kReady,
       Notice::kJobStopping},
      {Trouble::kNoAnswer, JobPhase::kEnded, AppPhase::kStopped,
       Notice::kJobEnded},
      {Trouble::kNothingKnown, JobPhase::kEnded, AppPhase::kStopped,
       Notice::kJobEnded},
  };
  for (const Row& row : rows) {
    Standing standing;
    standing.phase = row.phase;
    standing.reason = "why";
    standing.apps = {{"other", AppPhase::kFailed, "not this one"},
                     {"jupyter", row.app, "a detail"}};
    const Standing* const said =
        row.phase == JobPhase::kUnknown ? nullptr : &standing;
    const Situation found = SituationOf(row.trouble, said, "jupyter");
    INFO(WordsOf(row.notice).code << ", found " << WordsOf(found.notice).code);
    CHECK(found.notice == row.notice);
    if (found.notice == Notice::kAppFailed) CHECK(found.reason == "a detail");
    if (found.notice == Notice::kJobWaits) CHECK(found.reason == "why");
    if (found.notice == Notice::kJobEnded && said != nullptr) {
      CHECK(found.reason == "why");
    }
  }
}

TEST_CASE("standing: nothing in it can deceive a page, or grow", "[proxy]") {
  v1::JobStanding message;
  CHECK(ToStanding(message) == nullptr);
  message.set_phase(static_cast<v1::JobPhase>(77));
  CHECK(ToStanding(message) == nullptr);
  message.set_phase(v1::JOB_PHASE_ENDED);
  message.set_reason("a\nb" + std::string(5000, 'x'));
  for (int i = 0; i < 100; ++i) {
    v1::JobApp* app = message.add_apps();
    app->set_app("app" + std::to_string(i));
    app->set_state(static_cast<v1::JobAppState>(99));
    app->set_detail(std::string(5000, 'y'));
  }
  const StandingPtr standing = ToStanding(message);
  REQUIRE(standing != nullptr);
  CHECK(standing->reason.size() == 400);
  CHECK(standing->reason.substr(0, 3) == "a?b");
  CHECK(standing->apps.size() == 32);
  CHECK(standing->apps[0].phase == AppPhase::kStopped);
  CHECK(standing->apps[0].detail.size() == 400);
}

}  // namespace
}  // namespace carme::proxy
