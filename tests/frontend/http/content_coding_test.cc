#include "frontend/http/content_coding.h"

#include <catch2/catch.hpp>

namespace carme::frontend {
namespace {

TEST_CASE("content coding: a table of Accept-Encoding", "[frontend]") {
  struct Row {
    const char* accept;
    bool br;
    bool gzip;
  };
  const Row rows[] = {
      {"", false, false},
      {"identity", false, false},
      {"br;q=0, gzip", false, true},
      {"gzip;q=0.000", false, false},
      {"gzip;q=x", false, false},
      {"gzip;level=9", false, false},
      {"brotli", false, false},
      {"*;q=0, gzip", false, true},
      {"gzip, *", true, true},
      {"gzip;q=0, *", true, false},
      {"gzip, deflate, br", true, true},
      {" BR ; q=0.5 ,gzip;q=1.0", true, true},
      {",,;,=", false, false},
  };
  for (const Row& row : rows) {
    CAPTURE(row.accept);
    CHECK(AcceptsCoding(row.accept, "br") == row.br);
    CHECK(AcceptsCoding(row.accept, "gzip") == row.gzip);
  }
}

}  // namespace
}  // namespace carme::frontend
