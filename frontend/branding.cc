#include "frontend/branding.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <string_view>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "common/file.h"
#include "common/name_rules.h"
#include "common/printable.h"
#include "common/status.h"
#include "frontend/gateway/json_codec.h"
#include "frontend/help_links.h"

namespace carme::frontend {
namespace {

const std::string kDefaultName = Branding().name;
constexpr char kLogoPath[] = "/branding/logo";
constexpr std::array<const char*, 3> kLogoTypes = {".svg", ".png", ".webp"};

// WCAG 2.2: of text.
constexpr double kMinContrast = 4.5;

struct Color {
  double red, green, blue;  // 0 to 1
};

// The surfaces of tokens.css, on which the colour is text, and the text on the
// colour itself.
struct Scheme {
  Color surface;
  Color text;
  double soft;  // part of the colour in its soft background
};
constexpr Scheme kLight = {
    .surface = {1, 1, 1}, .text = {1, 1, 1}, .soft = 0.12};
constexpr Scheme kDark = {.surface = {0x15 / 255.0, 0x1d / 255.0, 0x1b / 255.0},
                          .text = {0x04 / 255.0, 0x21 / 255.0, 0x1b / 255.0},
                          .soft = 0.16};

std::optional<Color> ParseColor(std::string_view text) {
  if (text.size() != 7 || text[0] != '#' ||
      !(kDecimalDigits | "abcdefABCDEF").ContainsAll(text.substr(1))) {
    return std::nullopt;
  }
  const long number =
      std::strtol(std::string(text.substr(1)).c_str(), nullptr, 16);
  return Color{static_cast<double>(number >> 16) / 255,
               static_cast<double>(number >> 8 & 0xff) / 255,
               static_cast<double>(number & 0xff) / 255};
}

// WCAG 2.2, relative luminance.
double LuminanceOf(const Color& color) {
  const auto linear = [](double part) {
    return part <= 0.04045 ? part / 12.92
                           : std::pow((part + 0.055) / 1.055, 2.4);
  };
  return 0.2126 * linear(color.red) + 0.7152 * linear(color.green) +
         0.0722 * linear(color.blue);
}

double ContrastOf(const Color& a, const Color& b) {
  const auto [low, high] = std::minmax({LuminanceOf(a), LuminanceOf(b)});
  return (high + 0.05) / (low + 0.05);
}

Color Mixed(const Color& color, double part, const Color& rest) {
  const auto mix = [part](double a, double b) {
    return a * part + b * (1 - part);
  };
  return {mix(color.red, rest.red), mix(color.green, rest.green),
          mix(color.blue, rest.blue)};
}

bool IsReadable(const Color& color, const Scheme& scheme) {
  const Color soft = Mixed(color, scheme.soft, scheme.surface);
  return ContrastOf(color, scheme.text) >= kMinContrast &&
         ContrastOf(color, soft) >= kMinContrast;
}

void ReadColor(ConfigTable table, const char* key, const Scheme& scheme,
               std::string* color) {
  table.Read(key, color);
  if (color->empty()) return;
  const std::optional<Color> parsed = ParseColor(*color);
  if (!parsed) {
    table.Refuse(key, absl::StrCat("\"", *color, "\": expected #rrggbb"));
  } else if (!IsReadable(*parsed, scheme)) {
    table.Refuse(key, absl::StrCat("\"", *color,
                                   "\": text in this colour is hard to read: "
                                   "expected a ",
                                   &scheme == &kLight ? "darker" : "lighter",
                                   " colour (contrast of 4.5 to 1)"));
  }
}

void ReadText(ConfigTable table, const char* key, size_t max_characters,
              std::string* text) {
  table.Read(key, text);
  const std::optional<size_t> length = PrintableLength(*text);
  if (!length || *length > max_characters) {
    table.Refuse(key, absl::StrCat("expected at most ", max_characters,
                                   " printable characters"));
  }
}

// As ReadText, with line ends.
void ReadLines(ConfigTable table, const char* key, size_t max_characters,
               std::string* text) {
  table.Read(key, text);
  size_t all = 0;
  bool is_printable = true;
  for (const std::string& line :
       std::vector<std::string>(absl::StrSplit(*text, '\n'))) {
    const std::optional<size_t> length = PrintableLength(line);
    is_printable = is_printable && length.has_value();
    all += length.value_or(0) + 1;
  }
  if (!is_printable || all > max_characters + 1) {
    table.Refuse(key, absl::StrCat("expected at most ", max_characters,
                                   " printable characters"));
  }
}

const char* TypeOfLogo(const std::string& file) {
  for (const char* type : kLogoTypes) {
    if (absl::EndsWithIgnoreCase(file, type)) return type;
  }
  return "";
}

void ReadLinks(ConfigTable table, std::vector<Branding::Link>* links) {
  for (ConfigTable row : table.Tables("links")) {
    Branding::Link link;
    row.Read("label", &link.label, Required());
    ReadText(row, "label", Branding::kMaxLabel, &link.label);
    row.Read("url", &link.url, Required());
    if (!link.url.empty() && !IsDocumentationUrl(link.url)) {
      row.Refuse("url", "expected https://HOST/…");
    }
    links->push_back(std::move(link));
  }
  if (links->size() > Branding::kMaxLinks) {
    table.Refuse("links",
                 absl::StrCat("expected at most ", Branding::kMaxLinks));
  }
}

std::string LogoPathOf(const Branding& branding) {
  return branding.logo.empty()
             ? ""
             : absl::StrCat(kLogoPath, TypeOfLogo(branding.logo));
}

// Label and URL have no line end and no tab.
std::string LinesOf(const std::vector<Branding::Link>& links) {
  std::string lines;
  for (const Branding::Link& link : links) {
    absl::StrAppend(&lines, lines.empty() ? "" : "\n", link.label, "\t",
                    link.url);
  }
  return lines;
}

std::string ManifestOf(const Branding& branding) {
  const std::string name = JsonString(branding.name);
  return absl::StrCat(
      "{\"name\":", name, ",\"short_name\":", name,
      ",\"id\":\"/\",\"start_url\":\"/\",\"scope\":\"/\","
      "\"display\":\"standalone\",\"background_color\":\"#f3f4f0\","
      "\"theme_color\":",
      JsonString(branding.color.empty() ? "#0b6b5d" : branding.color),
      ",\"icons\":["
      "{\"src\":\"/icon-192.png\",\"sizes\":\"192x192\",\"type\":\"image/"
      "png\"},"
      "{\"src\":\"/icon-512.png\",\"sizes\":\"512x512\",\"type\":\"image/"
      "png\"},"
      "{\"src\":\"/icon-maskable-512.png\",\"sizes\":\"512x512\",\"type\":\""
      "image/png\",\"purpose\":\"maskable\"}]}\n");
}

}  // namespace

void ReadBranding(ConfigTable table, Branding* branding) {
  ReadText(table, "name", Branding::kMaxName, &branding->name);
  if (branding->name.empty()) table.Refuse("name", "expected a name");
  table.Read("logo", &branding->logo);
  if (!branding->logo.empty() && (*TypeOfLogo(branding->logo) == '\0' ||
                                  !branding->logo.starts_with('/'))) {
    table.Refuse("logo",
                 "expected the absolute path of an .svg, .png or .webp file");
  }
  ReadColor(table, "color", kLight, &branding->color);
  ReadColor(table, "color_dark", kDark, &branding->color_dark);
  if (branding->color.empty() != branding->color_dark.empty()) {
    table.Refuse(branding->color.empty() ? "color_dark" : "color",
                 "expected both \"color\" and \"color_dark\", or neither");
  }
  ReadLines(table, "login_message", Branding::kMaxLoginMessage,
            &branding->login_message);
  ReadLinks(table, &branding->links);
}

std::vector<PageField> BrandingFields(const Branding& branding) {
  return {{"carme-name", branding.name == kDefaultName ? "" : branding.name},
          {"carme-logo", LogoPathOf(branding)},
          {"carme-color", branding.color},
          {"carme-color-dark", branding.color_dark},
          {"carme-login-message", branding.login_message},
          {"carme-links", LinesOf(branding.links)}};
}

absl::StatusOr<std::vector<SiteAddition>> BrandingFiles(
    const Branding& branding) {
  std::vector<SiteAddition> files = {
      {"/manifest.webmanifest", ManifestOf(branding)}};
  if (!branding.logo.empty()) {
    ASSIGN_OR_RETURN(std::string bytes,
                     ReadFile(branding.logo, Branding::kMaxLogoBytes));
    files.push_back({LogoPathOf(branding), std::move(bytes)});
  }
  return files;
}

}  // namespace carme::frontend
