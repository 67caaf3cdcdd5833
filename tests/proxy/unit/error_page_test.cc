// Texts, pages and JSON of local replies.
#include "proxy/local_reply/error_page.h"

#include <openssl/evp.h>

#include <catch2/catch.hpp>

#include "carme/v1/job_status.pb.h"
#include "common/crypto/hash.h"
#include "common/http1/head.h"
#include "proxy/control/job_status.h"
#include "proxy/local_reply/local_reply.h"
#include "proxy/local_reply/reply_reason.h"

namespace carme::proxy {
namespace {

bool Has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

std::vector<ReplyReason> AllNotices() {
  std::vector<ReplyReason> all;
  for (int i = 0; i <= static_cast<int>(ReplyReason::kPortalBusy); ++i) {
    all.push_back(static_cast<ReplyReason>(i));
  }
  return all;
}

// 'sha256-…' of the text between the tags, as browsers compute it.
std::string DigestOfElement(const std::string& page, const std::string& name) {
  const size_t begin = page.find("<" + name + ">") + name.size() + 2;
  const std::string digest =
      Sha256(page.substr(begin, page.find("</" + name + ">") - begin));
  unsigned char text[64];
  EVP_EncodeBlock(text, reinterpret_cast<const unsigned char*>(digest.data()),
                  static_cast<int>(digest.size()));
  return "'sha256-" + std::string(reinterpret_cast<char*>(text)) + "'";
}

TEST_CASE("error page: each reason has a text and its own code", "[proxy]") {
  std::vector<std::string> codes;
  for (const ReplyReason reply_reason : AllNotices()) {
    const ErrorText& text = TextFor(reply_reason);
    INFO(text.title);
    CHECK(text.status >= 200);
    CHECK(text.status != 500);
    CHECK_FALSE(text.title.empty());
    CHECK_FALSE(text.text.empty());
    for (const std::string& other : codes) CHECK(text.code != other);
    codes.emplace_back(text.code);
  }
}

TEST_CASE("error page: the policy allows its own script only", "[proxy]") {
  LocalReplyOptions options;
  options.page = true;
  options.request_id = "request-1";
  options.portal_url = "https://carme.example/";
  options.status_path = "/.carme/status";
  for (const ReplyReason reply_reason : AllNotices()) {
    std::string out;
    AppendLocalReply(reply_reason, options, &out);
    ResponseHead head;
    const ScanResult scan = ScanResponse(out, HeadLimits(), &head);
    REQUIRE(scan.state == ScanState::kDone);
    CHECK(head.status == StatusOf(reply_reason));
    CHECK(head.length == out.size() - scan.head_bytes);
    const std::string fields = out.substr(0, scan.head_bytes);
    const std::string page = out.substr(scan.head_bytes);
    CHECK(Has(fields, "Content-Security-Policy: default-src 'none'; "));
    CHECK(Has(fields, "frame-ancestors 'none'"));
    CHECK(Has(fields, "style-src " + DigestOfElement(page, "style") + ";"));
    CHECK(Has(fields, "Strict-Transport-Security"));
    CHECK(Has(fields, "Cache-Control: no-store"));
    CHECK(Has(fields, "\r\nDate: "));
    const bool refresh = TextFor(reply_reason).refresh != Refresh::kNone;
    CHECK(Has(fields, "Retry-After") == refresh);
    CHECK(Has(page, "http-equiv=\"refresh\"") == refresh);
    CHECK(Has(page, "data-status=\"/.carme/status\"") == refresh);
    REQUIRE(Has(page, "<script") == refresh);
    if (!refresh) continue;
    CHECK(Has(fields, "script-src " + DigestOfElement(page, "script") + ";"));
  }
}

TEST_CASE("error page: untrusted text is escaped in HTML and JSON", "[proxy]") {
  const std::string harm = "</p><script>\"'&\\\n\x01</script>";
  ErrorPageContext facts;
  facts.reason = harm;
  facts.portal_url = "https://carme.example/\"><i>";
  const std::string page = ErrorPageHtml(ReplyReason::kJobEnded, facts);
  CHECK_FALSE(Has(page, "<script>"));
  CHECK_FALSE(Has(page, "<i>"));
  CHECK(Has(page, "&lt;/p&gt;&lt;script&gt;&quot;&#39;&amp;"));
  const std::string json = ErrorPageJson(ReplyReason::kJobEnded, facts);
  CHECK(Has(json,
            "\"reason\":\"\\u003c/p>\\u003cscript>\\\"'&\\\\\\u000a\\u0001"
            "\\u003c/script>\""));
}

TEST_CASE("error page: programs get JSON", "[proxy]") {
  LocalReplyOptions options;
  options.reason = "other jobs are ahead";
  options.expected_start = absl::FromUnixSeconds(1795345445);
  options.request_id = "request-1";
  std::string out;
  AppendLocalReply(ReplyReason::kJobPending, options, &out);
  CHECK(Has(out, "HTTP/1.1 503 "));
  CHECK(Has(out, "Content-Type: application/problem+json\r\n"));
  CHECK(Has(out, "Retry-After: 2\r\n"));
  CHECK(Has(out, "{\"status\":503,\"code\":\"job-pending\",\"title\":\""));
  CHECK(Has(out, "\"reason\":\"other jobs are ahead\""));
  CHECK(Has(out, "\"expected_start\":\"2026-11-22T11:04:05Z\""));
  CHECK(Has(out, "\"refresh\":true"));
  out.clear();
  AppendAppStatus(ReplyReason::kReady, options, &out);
  CHECK(Has(out, "HTTP/1.1 200 OK\r\n"));
  CHECK(Has(out, "Content-Type: application/json\r\n"));
  CHECK(Has(out, "\"code\":\"ready\""));
}

TEST_CASE("reply details: follow failure, job status and app status",
          "[proxy]") {
  struct Row {
    UpstreamFailure failure;
    v1::JobState state;   // UNSPECIFIED: unknown job
    v1::JobAppState app;  // the requested app
    ReplyReason reply_reason;
  };
  const std::vector<Row> rows = {
      {UpstreamFailure::kRoutesUnknown, v1::JOB_STATE_UNSPECIFIED,
       v1::JOB_APP_STATE_UNSPECIFIED, ReplyReason::kProxyStarting},
      {UpstreamFailure::kNoRoute, v1::JOB_STATE_UNSPECIFIED,
       v1::JOB_APP_STATE_UNSPECIFIED, ReplyReason::kJobEnded},
      {UpstreamFailure::kNoAgent, v1::JOB_STATE_UNSPECIFIED,
       v1::JOB_APP_STATE_UNSPECIFIED, ReplyReason::kNodeUnreachable},
      {UpstreamFailure::kNoResponse, v1::JOB_STATE_UNSPECIFIED,
       v1::JOB_APP_STATE_UNSPECIFIED, ReplyReason::kAppUnreachable},
      {UpstreamFailure::kNone, v1::JOB_STATE_UNSPECIFIED,
       v1::JOB_APP_STATE_UNSPECIFIED, ReplyReason::kReady},
      {UpstreamFailure::kNoRoute, v1::JOB_STATE_PENDING,
       v1::JOB_APP_STATE_UNSPECIFIED, ReplyReason::kJobPending},
      // The loss of the route is noticed a moment later.
      {UpstreamFailure::kNone, v1::JOB_STATE_PENDING, v1::JOB_APP_STATE_READY,
       ReplyReason::kJobPending},
      {UpstreamFailure::kNoRoute, v1::JOB_STATE_STARTING,
       v1::JOB_APP_STATE_UNSPECIFIED, ReplyReason::kJobStarting},
      {UpstreamFailure::kNoRoute, v1::JOB_STATE_READY, v1::JOB_APP_STATE_READY,
       ReplyReason::kJobStarting},
      {UpstreamFailure::kNoAgent, v1::JOB_STATE_STARTING,
       v1::JOB_APP_STATE_UNSPECIFIED, ReplyReason::kJobStarting},
      {UpstreamFailure::kNone, v1::JOB_STATE_STARTING,
       v1::JOB_APP_STATE_UNSPECIFIED, ReplyReason::kAppStarting},
      {UpstreamFailure::kNone, v1::JOB_STATE_STARTING,
       v1::JOB_APP_STATE_STARTING, ReplyReason::kAppStarting},
      {UpstreamFailure::kNone, v1::JOB_STATE_STARTING, v1::JOB_APP_STATE_READY,
       ReplyReason::kReady},
      {UpstreamFailure::kNoResponse, v1::JOB_STATE_STARTING,
       v1::JOB_APP_STATE_UNSPECIFIED, ReplyReason::kAppStarting},
      {UpstreamFailure::kSlow, v1::JOB_STATE_READY,
       v1::JOB_APP_STATE_UNSPECIFIED, ReplyReason::kAppStarting},
      {UpstreamFailure::kNone, v1::JOB_STATE_READY,
       v1::JOB_APP_STATE_UNSPECIFIED, ReplyReason::kReady},
      {UpstreamFailure::kNone, v1::JOB_STATE_READY, v1::JOB_APP_STATE_STARTING,
       ReplyReason::kAppStarting},
      {UpstreamFailure::kNone, v1::JOB_STATE_READY, v1::JOB_APP_STATE_READY,
       ReplyReason::kReady},
      {UpstreamFailure::kNone, v1::JOB_STATE_READY, v1::JOB_APP_STATE_FAILED,
       ReplyReason::kAppFailed},
      {UpstreamFailure::kNoResponse, v1::JOB_STATE_READY,
       v1::JOB_APP_STATE_FAILED, ReplyReason::kAppFailed},
      {UpstreamFailure::kNoResponse, v1::JOB_STATE_READY,
       v1::JOB_APP_STATE_READY, ReplyReason::kAppUnreachable},
      {UpstreamFailure::kNoAgent, v1::JOB_STATE_READY, v1::JOB_APP_STATE_READY,
       ReplyReason::kNodeUnreachable},
      {UpstreamFailure::kNoResponse, v1::JOB_STATE_STOPPING,
       v1::JOB_APP_STATE_READY, ReplyReason::kJobStopping},
      {UpstreamFailure::kNoResponse, v1::JOB_STATE_ENDED,
       v1::JOB_APP_STATE_UNSPECIFIED, ReplyReason::kJobEnded},
      {UpstreamFailure::kRoutesUnknown, v1::JOB_STATE_ENDED,
       v1::JOB_APP_STATE_UNSPECIFIED, ReplyReason::kJobEnded},
  };
  for (const Row& row : rows) {
    JobStatusEntry job_status;
    job_status.state = row.state;
    job_status.reason = "why";
    job_status.apps = {{"other", v1::JOB_APP_STATE_FAILED, "not this one"},
                       {"jupyter", row.app, "a detail"}};
    const JobStatusEntry* const said =
        row.state == v1::JOB_STATE_UNSPECIFIED ? nullptr : &job_status;
    const ReplyDetails found = ReplyDetailsFor(row.failure, said, "jupyter");
    INFO(TextFor(row.reply_reason).code << ", found "
                                        << TextFor(found.reply_reason).code);
    CHECK(found.reply_reason == row.reply_reason);
    if (found.reply_reason == ReplyReason::kAppFailed)
      CHECK(found.reason == "a detail");
    if (found.reply_reason == ReplyReason::kJobPending)
      CHECK(found.reason == "why");
    if (found.reply_reason == ReplyReason::kJobEnded && said != nullptr) {
      CHECK(found.reason == "why");
    }
  }
}

TEST_CASE("job status: texts are sanitized and bounded", "[proxy]") {
  v1::JobStatus message;
  CHECK(ToJobStatus(message) == nullptr);
  message.set_state(static_cast<v1::JobState>(77));
  CHECK(ToJobStatus(message) == nullptr);
  message.set_state(v1::JOB_STATE_ENDED);
  message.set_reason("a\nb" + std::string(5000, 'x'));
  for (int i = 0; i < 100; ++i) {
    v1::JobApp* app = message.add_apps();
    app->set_app("app" + std::to_string(i));
    app->set_state(static_cast<v1::JobAppState>(99));
    app->set_detail(std::string(5000, 'y'));
  }
  const JobStatusEntryPtr job_status = ToJobStatus(message);
  REQUIRE(job_status != nullptr);
  CHECK(job_status->reason.size() == 400);
  CHECK(job_status->reason.substr(0, 3) == "a?b");
  CHECK(job_status->apps.size() == 32);
  CHECK(job_status->apps[0].state == v1::JOB_APP_STATE_UNSPECIFIED);
  CHECK(job_status->apps[0].detail.size() == 400);
}

}  // namespace
}  // namespace carme::proxy
