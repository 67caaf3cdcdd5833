#include "proxy/local_reply/error_page.h"

#include <openssl/evp.h>

#include "common/crypto/hash.h"

namespace carme::proxy {
namespace {

constexpr std::string_view kStyle =
#include "proxy/local_reply/error_page.css.inc"
    ;
constexpr std::string_view kScript =
#include "proxy/local_reply/error_page.js.inc"
    ;
// Carme, a moon of Jupiter, on its tilted orbit.
constexpr std::string_view kBrand = R"html(
<p class="brand"><svg class="moon" viewBox="0 0 32 32" aria-hidden="true">
<g transform="rotate(-30 16 16)">
<ellipse class="orbit" cx="16" cy="16" rx="14" ry="6.6"/>
<circle class="planet" cx="16" cy="16" r="5.4"/>
<circle class="carme" r="2.6"/>
</g></svg>Carme</p>
)html";

std::string DigestOf(std::string_view text) {
  const std::string digest = Sha256(text);
  unsigned char base64[64];
  EVP_EncodeBlock(base64, reinterpret_cast<const unsigned char*>(digest.data()),
                  static_cast<int>(digest.size()));
  return "'sha256-" + std::string(reinterpret_cast<char*>(base64)) + "'";
}

void AppendHtml(std::string_view text, std::string* page) {
  for (const char c : text) {
    switch (c) {
      case '&':
        page->append("&amp;");
        break;
      case '<':
        page->append("&lt;");
        break;
      case '>':
        page->append("&gt;");
        break;
      case '"':
        page->append("&quot;");
        break;
      case '\'':
        page->append("&#39;");
        break;
      default:
        page->push_back(c);
    }
  }
}

void AppendData(std::string_view name, std::string_view value,
                std::string* page) {
  if (value.empty()) return;
  page->append(" data-").append(name).append("=\"");
  AppendHtml(value, page);
  page->append("\"");
}

// Empty paragraphs are hidden; the script fills them.
void AppendParagraph(std::string_view id, std::string_view text,
                     std::string* page) {
  page->append("<p id=\"").append(id).append("\"");
  page->append(text.empty() ? " hidden>" : ">");
  AppendHtml(text, page);
  page->append("</p>");
}

void AppendJson(std::string_view name, std::string_view value,
                std::string* json) {
  if (value.empty()) return;
  json->append(",\"").append(name).append("\":\"");
  for (const char c : value) {
    constexpr char kHex[] = "0123456789abcdef";
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      json->push_back('\\');
      json->push_back(c);
    } else if (byte < 0x20 || c == '<') {
      json->append("\\u00");
      json->push_back(kHex[byte >> 4]);
      json->push_back(kHex[byte & 15]);
    } else {
      json->push_back(c);
    }
  }
  json->push_back('"');
}

std::string FormatUtc(const std::optional<absl::Time>& time) {
  if (!time) return "";
  return absl::FormatTime("%Y-%m-%d%ET%H:%M:%SZ", *time, absl::UTCTimeZone());
}

}  // namespace

const std::string& ErrorPagePolicy() {
  static const std::string policy =
      "default-src 'none'; style-src " + DigestOf(kStyle) + "; script-src " +
      DigestOf(kScript) +
      "; connect-src 'self'; base-uri 'none'; form-action 'none'; "
      "frame-ancestors 'none'";
  return policy;
}

std::string ErrorPageHtml(ReplyReason reply_reason,
                          const ErrorPageContext& facts) {
  const ErrorText& text = TextFor(reply_reason);
  const bool refresh = text.refresh != Refresh::kNone;
  std::string page = "<!doctype html><html lang=\"en\"";
  page.reserve(kStyle.size() + kScript.size() + 2048);
  AppendData("code", text.code, &page);
  AppendData("tone", text.tone, &page);
  AppendData("start", FormatUtc(facts.expected_start), &page);
  if (refresh) {
    const bool asks = text.refresh == Refresh::kPollStatus;
    AppendData("status", facts.status_path, &page);
    AppendData("wait", asks ? "1000" : "4000", &page);
  }
  page.append(
      "><head><meta charset=\"utf-8\"><meta name=\"viewport\" "
      "content=\"width=device-width,initial-scale=1\"><meta name=\"robots\" "
      "content=\"noindex\">");
  if (refresh) {
    page.append(
        "<noscript><meta http-equiv=\"refresh\" content=\"4\"></noscript>");
  }
  page.append("<title>").append(text.title).append(" · Carme</title><style>");
  page.append(kStyle);
  page.append("</style></head><body><main>");
  page.append(kBrand).append("<div role=\"status\"><h1 id=\"title\">");
  page.append(text.title).append("</h1>");
  AppendParagraph("text", text.text, &page);
  AppendParagraph("reason", facts.reason, &page);
  AppendParagraph("start", "", &page);
  page.append("</div><nav>");
  if (!facts.portal_url.empty()) {
    page.append("<a class=\"first\" href=\"");
    AppendHtml(facts.portal_url, &page);
    page.append("\">Go to the portal</a>");
  }
  page.append("<a id=\"again\" href=\"\"");
  page.append(text.retry ? ">" : " hidden>").append("Try again</a></nav>");
  if (!facts.request_id.empty()) {
    page.append("<p class=\"id\">Request ");
    AppendHtml(facts.request_id, &page);
    page.append("</p>");
  }
  page.append("</main>");
  if (refresh || facts.expected_start) {
    page.append("<script>").append(kScript).append("</script>");
  }
  page.append("</body></html>\n");
  return page;
}

std::string ErrorPageJson(ReplyReason reply_reason,
                          const ErrorPageContext& facts) {
  const ErrorText& text = TextFor(reply_reason);
  std::string json = "{\"status\":" + std::to_string(text.status);
  AppendJson("code", text.code, &json);
  AppendJson("title", text.title, &json);
  AppendJson("detail", text.text, &json);
  AppendJson("reason", facts.reason, &json);
  AppendJson("expected_start", FormatUtc(facts.expected_start), &json);
  AppendJson("ends_at", FormatUtc(facts.ends_at), &json);
  AppendJson("tone", text.tone, &json);
  json.append(text.refresh != Refresh::kNone ? ",\"refresh\":true"
                                             : ",\"refresh\":false");
  if (text.retry) json.append(",\"retry\":true");
  AppendJson("portal", facts.portal_url, &json);
  AppendJson("job", facts.job_url, &json);
  AppendJson("request_id", facts.request_id, &json);
  json.append("}\n");
  return json;
}

}  // namespace carme::proxy
