#include "slurm-hooks/gssr/analyze/pdf_report.h"

#include <hpdf.h>

#include <algorithm>
#include <memory>
#include <type_traits>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "slurm-hooks/gssr/analyze/messages.h"
#include "slurm-hooks/gssr/analyze/report.h"

namespace carme::gssr {
namespace {

// A4, in points.
constexpr float kWidth = 595;
constexpr float kHeight = 842;
constexpr float kMargin = 45;
constexpr float kTextSize = 8.5F;
constexpr float kLineHeight = 11;
constexpr float kSmallSize = 7;
constexpr size_t kLineLength = 98;
constexpr float kPlotWidth = 235;
constexpr float kPlotHeight = 125;
constexpr float kPlotGap = 35;
constexpr double kHeadroom = 1.05;  // above the highest value
constexpr int kPlotColumns = 2;
constexpr int kPlotRows = 4;

struct Plot {
  const char* metric;
  const char* title;
  double factor;
};
constexpr Plot kPlots[] = {
    {"gpu_utilization", "GPU utilization, %", 1},
    {"fb_used", "GPU memory used, GiB", 1.0 / 1024},
    {"sm_active", "SM active, %", 100},
    {"sm_occupancy", "SM occupancy, %", 100},
    {"tensor_active", "Tensor pipes, %", 100},
    {"hmma_active", "Tensor pipe HMMA, %", 100},
    {"fp64_active", "FP64, %", 100},
    {"fp32_active", "FP32, %", 100},
    {"fp16_active", "FP16, %", 100},
    {"dram_active", "DRAM active, %", 100},
    {"power_usage", "Power, W", 1},
    {"nvlink_tx_bytes", "NVLink sent, MB/s", 1e-6},
    {"nvlink_rx_bytes", "NVLink received, MB/s", 1e-6},
    {"pcie_tx_bytes", "PCIe sent, MB/s", 1e-6},
    {"pcie_rx_bytes", "PCIe received, MB/s", 1e-6},
};

// The standard fonts of PDF have no more.
std::string AsciiOf(absl::string_view text) {
  std::string ascii;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if ((byte & 0xC0) == 0x80) continue;  // the rest of a character
    ascii.push_back(byte >= 0x20 && byte < 0x7F ? c : '?');
  }
  return ascii;
}

// The library's first error.
struct PdfError {
  HPDF_STATUS code = HPDF_OK;
};

extern "C" void KeepPdfError(HPDF_STATUS code, HPDF_STATUS, void* kept) {
  auto* const error = static_cast<PdfError*>(kept);
  if (error->code == HPDF_OK) error->code = code;
}

class PdfWriter {
 public:
  PdfWriter() : document_(HPDF_New(KeepPdfError, &error_), HPDF_Free) {
    if (document_ == nullptr) return;
    HPDF_SetCompressionMode(document_.get(), HPDF_COMP_ALL);
    HPDF_SetInfoAttr(document_.get(), HPDF_INFO_TITLE, "GPU saturation report");
    mono_ = HPDF_GetFont(document_.get(), "Courier", "WinAnsiEncoding");
    sans_ = HPDF_GetFont(document_.get(), "Helvetica", "WinAnsiEncoding");
    bold_ = HPDF_GetFont(document_.get(), "Helvetica-Bold", "WinAnsiEncoding");
  }

  void AddText(absl::string_view text) {
    for (const absl::string_view line : absl::StrSplit(text, '\n')) {
      std::string rest = AsciiOf(line);
      do {
        if (y_ < kMargin + kLineHeight) StartPage();
        Write(mono_, kTextSize, kMargin, y_, rest.substr(0, kLineLength));
        y_ -= kLineHeight;
        rest.erase(0, kLineLength);
      } while (!rest.empty());
    }
  }

  void AddPlots(const StepTimeline& timeline) {
    int place = 0;
    for (const Plot& plot : kPlots) {
      const auto found = timeline.metrics.find(plot.metric);
      if (found == timeline.metrics.end() || found->second.empty()) continue;
      if (place == 0) StartPlots(timeline);
      const auto column = static_cast<float>(place % kPlotColumns);
      const auto row = static_cast<float>(place / kPlotColumns);
      Draw(plot, found->second, kMargin + column * (kPlotWidth + kPlotGap),
           y_ - (row + 1) * kPlotHeight - row * kPlotGap);
      place = (place + 1) % (kPlotColumns * kPlotRows);
    }
    y_ = 0;  // the next text is on a page of its own
  }

  void StartPage() {
    page_ = HPDF_AddPage(document_.get());
    HPDF_Page_SetWidth(page_, kWidth);
    HPDF_Page_SetHeight(page_, kHeight);
    Write(sans_, kSmallSize, kWidth - kMargin, kMargin / 2,
          absl::StrCat(++pages_));
    y_ = kHeight - kMargin;
  }

  void AddTitle(absl::string_view title) {
    StartPage();
    Write(bold_, 16, kMargin, y_ - 10, AsciiOf(title));
    y_ -= 32;
  }

  absl::StatusOr<std::string> Finish() {
    std::string content;
    if (document_ != nullptr && error_.code == HPDF_OK) {
      HPDF_SaveToStream(document_.get());
      content.resize(HPDF_GetStreamSize(document_.get()));
      HPDF_ResetStream(document_.get());
      auto size = static_cast<HPDF_UINT32>(content.size());
      HPDF_ReadFromStream(document_.get(),
                          reinterpret_cast<HPDF_BYTE*>(content.data()), &size);
      if (size == content.size() && error_.code == HPDF_OK) return content;
    }
    return MakePlainError(gssr_analyze_messages::kPdf,
                          {{"code", absl::StrFormat("0x%x", error_.code)}});
  }

 private:
  void Write(HPDF_Font font, float size, float x, float y,
             const std::string& text) {
    HPDF_Page_BeginText(page_);
    HPDF_Page_SetFontAndSize(page_, font, size);
    HPDF_Page_TextOut(page_, x, y, text.c_str());
    HPDF_Page_EndText(page_);
  }

  void StartPlots(const StepTimeline& timeline) {
    AddTitle(absl::StrCat("Step ", timeline.job_id, ".", timeline.step_id));
    Write(sans_, kTextSize, kMargin, y_ + 6,
          absl::StrCat("Median of ", timeline.gpus,
                       " GPUs; the area is between their quantiles 10 % and "
                       "90 %."));
    y_ -= 20;
  }

  // With its lower left corner at x and y.
  void Draw(const Plot& plot, const std::vector<QuantilePoint>& points, float x,
            float y) {
    double top = 0;
    for (const QuantilePoint& point : points) {
      top = std::max(top, point.q90 * plot.factor);
    }
    top = top > 0 ? top * kHeadroom : 1;
    const double start_s = points.front().time_s;
    const double length_s = std::max(points.back().time_s - start_s, 1e-9);
    const auto at_x = [&](const QuantilePoint& point) {
      return x + static_cast<float>((point.time_s - start_s) / length_s) *
                     kPlotWidth;
    };
    const auto at_y = [&](double value) {
      return y + static_cast<float>(
                     std::clamp(value * plot.factor / top, 0.0, 1.0)) *
                     kPlotHeight;
    };
    DrawFrame(plot.title, top, start_s, points.back().time_s, x, y);
    // the area, there and back
    HPDF_Page_SetRGBFill(page_, 0.75F, 0.84F, 0.95F);
    HPDF_Page_MoveTo(page_, at_x(points.front()), at_y(points.front().q10));
    for (const QuantilePoint& point : points) {
      HPDF_Page_LineTo(page_, at_x(point), at_y(point.q90));
    }
    for (auto point = points.rbegin(); point != points.rend(); ++point) {
      HPDF_Page_LineTo(page_, at_x(*point), at_y(point->q10));
    }
    HPDF_Page_ClosePath(page_);
    HPDF_Page_Fill(page_);
    HPDF_Page_SetRGBFill(page_, 0, 0, 0);
    HPDF_Page_SetLineWidth(page_, 0.8F);
    HPDF_Page_SetRGBStroke(page_, 0.1F, 0.3F, 0.6F);
    HPDF_Page_MoveTo(page_, at_x(points.front()), at_y(points.front().q50));
    for (const QuantilePoint& point : points) {
      HPDF_Page_LineTo(page_, at_x(point), at_y(point.q50));
    }
    HPDF_Page_Stroke(page_);
  }

  void DrawFrame(const char* title, double top, double start_s, double end_s,
                 float x, float y) {
    HPDF_Page_SetRGBStroke(page_, 0.5F, 0.5F, 0.5F);
    HPDF_Page_SetLineWidth(page_, 0.5F);
    HPDF_Page_Rectangle(page_, x, y, kPlotWidth, kPlotHeight);
    HPDF_Page_Stroke(page_);
    Write(bold_, kSmallSize + 1, x, y + kPlotHeight + 4, title);
    const float label_x = x - 26;
    Write(sans_, kSmallSize, label_x, y + kPlotHeight - 6,
          absl::StrFormat("%.4g", top));
    Write(sans_, kSmallSize, label_x, y, "0");
    Write(sans_, kSmallSize, x, y - 9, absl::StrFormat("%.4g s", start_s));
    Write(sans_, kSmallSize, x + kPlotWidth - 28, y - 9,
          absl::StrFormat("%.6g s", end_s));
  }

  PdfError error_;
  std::unique_ptr<std::remove_pointer_t<HPDF_Doc>, decltype(&HPDF_Free)>
      document_;
  HPDF_Font mono_ = nullptr;
  HPDF_Font sans_ = nullptr;
  HPDF_Font bold_ = nullptr;
  HPDF_Page page_ = nullptr;
  float y_ = 0;  // of the next line
  int pages_ = 0;
};

}  // namespace

absl::StatusOr<std::string> FormatPdf(
    const std::vector<JobSummary>& jobs,
    const std::vector<StepTimeline>& timelines) {
  PdfWriter writer;
  for (const JobSummary& job : jobs) {
    writer.AddTitle("GPU saturation report");
    writer.AddText(FormatJob(job));
    writer.AddText(
        "The score is indicative: it does not compare two "
        "algorithms.");
    for (const StepTimeline& timeline : timelines) {
      if (absl::StrCat("job ", timeline.job_id) == job.job.scope) {
        writer.AddPlots(timeline);
      }
    }
  }
  return writer.Finish();
}

}  // namespace carme::gssr
