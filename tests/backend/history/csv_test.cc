#include "backend/history/csv.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <string>

namespace carme::backend {
namespace {

TEST_CASE("csv: escapes formulas of spreadsheets", "[backend]") {
  CHECK(CsvCell("=1+1") == "\"'=1+1\"");
  for (const char* formula :
       {"=cmd|'/C calc'!A0", "+1", "-1", "@SUM(A1)", "  =1", "|x", "\uff1d1+1",
        "\uff0b1", "\uff0d1", "\uff20x", "\u00a0=1", "\u3000 \uff1d1"}) {
    const std::string cell = CsvCell(formula);
    CHECK((cell.starts_with("'") || cell.starts_with("\"'")));
  }
  // Ends of lines and tabs do not even stay.
  CHECK(CsvCell("\t=1") == "?=1");
  CHECK(CsvCell("a\r\n=1") == std::string("a?") + "?=1");
}

TEST_CASE("csv: commas and quotes stay within their cell", "[backend]") {
  CHECK(CsvCell("plain") == "plain");
  CHECK(CsvCell("") == "");
  CHECK(CsvCell("a,b") == "\"a,b\"");
  CHECK(CsvCell("say \"hi\"") == "\"say \"\"hi\"\"\"");
  CHECK(CsvCell("Grüße") == "Grüße");
  CHECK(CsvCell("x\xff") == "x?");
}

TEST_CASE("csv: a row has as many cells as the header", "[backend]") {
  HistoryEntry entry{.id = JobId("j234567890123456"),
                     .owner = "ada",
                     .end = v1::JOB_END_TIME_LIMIT,
                     .slurm_id = SlurmJobId(7),
                     .nodes = {"n1", "n2"},
                     .created_at = absl::UnixEpoch(),
                     .started_at = absl::UnixEpoch() + absl::Seconds(1),
                     .ended_at = absl::UnixEpoch() + absl::Seconds(3601),
                     .gpu_type = "h200",
                     .gpus = 2,
                     .gpu_seconds = 7200,
                     .cpu_seconds = 1800,
                     .accounted = true,
                     .account = "site"};
  entry.spec.name = "=name";
  const std::string row = CsvRow(entry);
  CHECK(row ==
        "j234567890123456,7,ada,,\"'=name\",\"time limit\",,0,"
        "1970-01-01T00:00:00Z,1970-01-01T00:00:01Z,1970-01-01T01:00:01Z,"
        "\"n1 n2\",2,h200,2.000,0.500,Slurm,site,,\r\n");
  const std::string header = CsvHeader();
  CHECK(std::count(header.begin(), header.end(), ',') ==
        std::count(row.begin(), row.end(), ','));
}

}  // namespace
}  // namespace carme::backend
