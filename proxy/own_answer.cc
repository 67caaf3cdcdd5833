#include "proxy/own_answer.h"

#include <openssl/evp.h>

#include "common/hash.h"

namespace carme::proxy {
namespace {

struct Words {
  int status;
  std::string_view reason;
  std::string_view title;
  std::string_view text;
  bool retries;
};

Words WordsOf(Notice notice) {
  switch (notice) {
    case Notice::kOpenFromPortal:
      return {401, "Unauthorized", "Open it from the portal",
              "This address needs a fresh pass, which the portal gives: find "
              "the job in your list and press Open.",
              false};
    case Notice::kTicketRefused:
      return {403, "Forbidden", "This link has been used",
              "A link from the portal opens an app once and within half a "
              "minute. Press Open again to get a new one.",
              false};
    case Notice::kForbidden:
      return {403, "Forbidden", "Not from here",
              "Another site sent this request. Open the app itself to go on.",
              false};
    case Notice::kBadForwarded:
      return {400, "Bad Request", "This request cannot be read",
              "What it says about where it comes from makes no sense.", false};
    case Notice::kBodyTooLarge:
      return {413, "Content Too Large", "Too much at once",
              "This site takes no upload of that size in one piece.", false};
    case Notice::kTooMany:
      return {429, "Too Many Requests", "Too much at once",
              "There were many requests from here within a short time. Wait a "
              "moment and try again.",
              true};
    case Notice::kJobEnded:
      return {404, "Not Found", "This job has ended",
              "Its files are where you saved them. Start a new job in the "
              "portal to go on working.",
              false};
    case Notice::kNotFound:
      return {404, "Not Found", "Nothing here", "There is no such page.",
              false};
    case Notice::kNoSuchHost:
      return {421, "Misdirected Request", "Nothing here",
              "This server does not know the host name it was asked for.",
              false};
    case Notice::kBadGateway:
      return {502, "Bad Gateway", "The app gave no proper answer",
              "What it sent was not HTTP, or it stopped in the middle.", false};
    case Notice::kNotReady:
      return {503, "Service Unavailable", "Just a moment",
              "The app is starting, or has just gone. This page tries again "
              "by itself.",
              true};
    case Notice::kPortalDown:
      return {503, "Service Unavailable", "The portal is away",
              "Apps that are open go on working. This page tries again by "
              "itself.",
              true};
  }
  return {500, "Internal Server Error", "", "", false};
}

constexpr std::string_view kStyle =
    ":root{color-scheme:light dark;--ground:#f3f4f0;--card:#fff;--ink:#15201d;"
    "--soft:#57635e;--line:#dde1da;--accent:#0b6b5d;--on:#fff}"
    "@media(prefers-color-scheme:dark){:root{--ground:#0d1312;--card:#151d1b;"
    "--ink:#e7eeeb;--soft:#9fb0a9;--line:#2a3532;--accent:#4fcdb1;--on:#04211b}"
    "}"
    "*{box-sizing:border-box}body{margin:0;min-height:100vh;display:grid;"
    "place-items:center;padding:24px;background:var(--ground);color:var(--ink);"
    "font:16px/1.55 system-ui,-apple-system,'Segoe UI',Roboto,sans-serif}"
    "main{max-width:27rem;width:100%;background:var(--card);padding:2.25rem;"
    "border:1px solid var(--line);border-radius:14px}"
    "p.name{margin:0 0 1.25rem;font-weight:650;letter-spacing:.02em;"
    "color:var(--accent)}h1{margin:0 0 .5rem;font-size:1.4rem;"
    "line-height:1.25;font-weight:650}p.text{margin:0;color:var(--soft)}"
    "a{display:inline-block;margin-top:1.5rem;padding:.55rem 1.1rem;"
    "border-radius:8px;background:var(--accent);color:var(--on);"
    "text-decoration:none;font-weight:600}a:focus-visible{outline:3px solid "
    "var(--accent);outline-offset:3px}small{display:block;margin-top:1.5rem;"
    "color:var(--soft);font-size:.8rem}";

// Only this style sheet, and nothing else: no script, no image, no frame.
const std::string& PagePolicy() {
  static const std::string policy = [] {
    const std::string digest = Sha256(kStyle);
    unsigned char text[64];
    EVP_EncodeBlock(text, reinterpret_cast<const unsigned char*>(digest.data()),
                    static_cast<int>(digest.size()));
    return "default-src 'none'; style-src 'sha256-" +
           std::string(reinterpret_cast<char*>(text)) +
           "'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
  }();
  return policy;
}

std::string Page(const Words& words, const AnswerOptions& options) {
  std::string page =
      "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\">"
      "<meta name=\"viewport\" content=\"width=device-width,"
      "initial-scale=1\">";
  if (words.retries) page += "<meta http-equiv=\"refresh\" content=\"2\">";
  page.append("<title>").append(words.title).append(" – Carme</title><style>");
  page.append(kStyle).append("</style></head><body><main>");
  page.append("<p class=\"name\">Carme</p><h1>").append(words.title);
  page.append("</h1><p class=\"text\">").append(words.text).append("</p>");
  if (!options.portal_url.empty()) {
    page.append("<a href=\"").append(options.portal_url);
    page.append("\">Go to the portal</a>");
  }
  page.append("<small>").append(options.request_id);
  page.append("</small></main></body></html>\n");
  return page;
}

void AppendHead(int status, std::string_view reason, bool close,
                std::string_view request_id, std::string_view hsts,
                std::string* out) {
  out->append("HTTP/1.1 ").append(std::to_string(status)).append(" ");
  out->append(reason).append("\r\n");
  out->append(
      "Cache-Control: no-store\r\n"
      "Referrer-Policy: no-referrer\r\n"
      "X-Content-Type-Options: nosniff\r\n");
  if (!hsts.empty()) {
    out->append("Strict-Transport-Security: ").append(hsts).append("\r\n");
  }
  if (!request_id.empty()) {
    out->append("X-Request-Id: ").append(request_id).append("\r\n");
  }
  if (close) out->append("Connection: close\r\n");
}

void AppendBody(std::string_view type, std::string_view body, bool head_only,
                std::string* out) {
  out->append("Content-Type: ").append(type);
  out->append("; charset=utf-8\r\nContent-Length: ");
  out->append(std::to_string(body.size())).append("\r\n\r\n");
  if (!head_only) out->append(body);
}

}  // namespace

int StatusOf(Notice notice) { return WordsOf(notice).status; }

void AppendNotice(Notice notice, const AnswerOptions& options,
                  std::string* out) {
  const Words words = WordsOf(notice);
  AppendHead(words.status, words.reason, options.close, options.request_id,
             options.hsts, out);
  // RFC 9110 section 15.5.2 wants a challenge; no browser asks a person for
  // this one.
  if (words.status == 401) {
    out->append("WWW-Authenticate: Carme realm=\"job\"\r\n");
  }
  if (words.retries) out->append("Retry-After: 2\r\n");
  if (options.page) {
    out->append("Content-Security-Policy: ").append(PagePolicy());
    out->append("\r\n");
    AppendBody("text/html", Page(words, options), options.head_only, out);
  } else {
    AppendBody("text/plain",
               std::string(words.title) + ". " + std::string(words.text) + "\n",
               options.head_only, out);
  }
}

void AppendRefusal(int status, std::string_view why, std::string* out) {
  AppendHead(status, status == 408 ? "Request Timeout" : "Refused", true, "",
             "", out);
  AppendBody("text/plain", std::string(why) + "\n", false, out);
}

void AppendOpened(std::string_view cookie_name, std::string_view cookie_value,
                  long max_age_s, const AnswerOptions& options,
                  std::string* out) {
  AppendHead(303, "See Other", options.close, options.request_id, options.hsts,
             out);
  out->append("Location: /\r\nSet-Cookie: ").append(cookie_name);
  out->append("=").append(cookie_value).append("; Max-Age=");
  out->append(std::to_string(max_age_s));
  out->append("; Path=/; Secure; HttpOnly; SameSite=Lax\r\n");
  out->append("Content-Length: 0\r\n\r\n");
}

}  // namespace carme::proxy
