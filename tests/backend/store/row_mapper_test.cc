#include "backend/store/row_mapper.h"

#include <catch2/catch.hpp>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "backend/store/database_error.h"
#include "common/status.h"
#include "tests/support/status_matchers.h"

namespace carme::backend {
namespace {

enum class Colour { kRed = 0, kBlue = 7 };

struct Size {
  int64_t bytes = 0;
};
struct Item {
  Uid owner;
  std::string name;
  Colour colour = Colour::kRed;
  bool is_open = false;
  uint16_t port = 0;
  absl::Time at;
  std::optional<absl::Time> until;
  std::optional<std::string> note;
  std::string key;
  Size size;
  absl::Duration time;
  std::vector<std::string> words;
  std::string letters;  // stored in lower case, one or more
};

const RowMapper<Item>& Items() {
  static const auto* const items = new RowMapper<Item>({
      {"owner", &Item::owner},
      {"name", &Item::name},
      {"colour", &Item::colour},
      {"open", &Item::is_open},
      {"port", &Item::port},
      {"at", &Item::at},
      {"until", &Item::until},
      {"note", &Item::note},
      BlobColumn<Item>("key", &Item::key),
      {"size", Member(&Item::size, &Size::bytes)},
      DurationColumn<Item>("time", &Item::time),
      ListColumn<Item>("words", &Item::words, ' '),
      ConvertedColumn<Item, std::optional<std::string>>(
          "letters",
          [](const Item& item) {
            return item.letters.empty() ? std::nullopt
                                        : std::optional(item.letters);
          },
          [](const std::optional<std::string>& text,
             Item* item) -> absl::Status {
            item->letters = text.value_or("");
            return item->letters == "?" ? absl::DataLossError("no letters")
                                        : absl::OkStatus();
          }),
  });
  return *items;
}

// Without STRICT, so that a column may have any value.
constexpr std::string_view kTable =
    "CREATE TABLE items (owner, name, colour, open, port, at, until, note, "
    "key, size, time, words, letters)";

class ItemTable {
 public:
  ItemTable() : database_(Database::Open(":memory:", {kTable}).value()) {}

  absl::Status Insert(const Item& item) {
    return database_->Transact([&](Database& db) -> absl::Status {
      ASSIGN_OR_RETURN(Statement write,
                       db.Prepare(Items().InsertInto("items")));
      CHECK(Items().Bind(write, item) == Items().size() + 1);
      return write.Run();
    });
  }
  // Sets a column to an SQL expression.
  void Set(const std::string& column, const std::string& value) {
    REQUIRE_THAT(database_->Query([&](Database& db) {
      return db
          .Prepare(absl::StrCat("UPDATE items SET ", column, " = ", value))
          ->Run();
    }),
                 IsOk());
  }
  absl::StatusOr<std::vector<Item>> Read() {
    std::vector<Item> items;
    RETURN_IF_ERROR(database_->Query([&](Database& db) -> absl::Status {
      ASSIGN_OR_RETURN(
          Statement rows,
          db.Prepare(absl::StrCat("SELECT ", Items().list(), " FROM items")));
      ASSIGN_OR_RETURN(items, Items().ReadAll(rows));
      return absl::OkStatus();
    }));
    return items;
  }

  const std::unique_ptr<Database> database_;
};

const Item kItem{.owner = Uid(4294967294),
                 .name = "n\xc3\xa4me",
                 .colour = Colour::kBlue,
                 .is_open = true,
                 .port = 65535,
                 .at = absl::FromUnixMicros(1'800'000'000'000'001),
                 .until = absl::FromUnixSeconds(-1),
                 .note = "",
                 .key = std::string("\0\xff", 2),
                 .size = {.bytes = INT64_MIN},
                 .time = absl::Minutes(90),
                 .words = {"a", "bc"},
                 .letters = "abc"};

TEST_CASE("row mapper: refuses a value that its member cannot have",
          "[backend]") {
  ItemTable table;
  REQUIRE_THAT(table.Insert(kItem), IsOk());
  struct Case {
    const char* column;
    const char* value;
    const char* error;
  };
  const Case row = GENERATE(
      Case{"owner", "NULL", "\"owner\" has a value of NULL"},
      Case{"owner", "-1", "out of range"},
      Case{"owner", "4294967296", "out of range"},
      Case{"owner", "1.5", "\"owner\" has a value of REAL"},
      Case{"owner", "'7'", "\"owner\" has a value of TEXT"},
      Case{"name", "NULL", "expected a text"},
      Case{"name", "7", "\"name\" has a value of INTEGER"},
      Case{"name", "x'41'", "\"name\" has a value of BLOB"},
      Case{"colour", "2147483648", "out of range"},
      Case{"open", "2", "expected 0 or 1"},
      Case{"open", "NULL", "expected an integer"},
      Case{"port", "65536", "out of range"}, Case{"port", "-1", "out of range"},
      Case{"at", "NULL", "\"at\" has a value of NULL"},
      Case{"until", "'soon'", "\"until\" has a value of TEXT"},
      Case{"note", "0", "\"note\" has a value of INTEGER"},
      Case{"key", "NULL", "expected a blob"},
      Case{"key", "'text'", "\"key\" has a value of TEXT"},
      Case{"size", "9e18", "\"size\" has a value of REAL"},
      Case{"time", "NULL", "\"time\" has a value of NULL"},
      Case{"letters", "1", "\"letters\" has a value of INTEGER"});
  INFO(row.column << " = " << row.value);
  table.Set(row.column, row.value);
  const auto items = table.Read();
  CHECK_THAT(items, StatusIs(absl::StatusCode::kInternal, row.error));
  CHECK(IsDatabaseError(items.status()));
}

TEST_CASE("row mapper: returns the error of a conversion", "[backend]") {
  ItemTable table;
  REQUIRE_THAT(table.Insert(kItem), IsOk());
  table.Set("letters", "'?'");
  CHECK_THAT(table.Read(), StatusIs(absl::StatusCode::kDataLoss, "no letters"));
}

TEST_CASE("row mapper: reads the written values", "[backend]") {
  ItemTable table;
  REQUIRE_THAT(table.Insert(kItem), IsOk());
  const auto items = table.Read();
  REQUIRE_THAT(items, IsOk());
  REQUIRE(items->size() == 1);
  const Item& item = items->front();
  CHECK(item.owner == kItem.owner);
  CHECK(item.name == kItem.name);
  CHECK(item.colour == kItem.colour);
  CHECK(item.is_open);
  CHECK(item.port == kItem.port);
  CHECK(item.at == kItem.at);
  CHECK(item.until == kItem.until);
  CHECK(item.note == kItem.note);
  CHECK(item.key == kItem.key);
  CHECK(item.size.bytes == kItem.size.bytes);
  CHECK(item.time == kItem.time);
  CHECK(item.words == kItem.words);
  CHECK(item.letters == kItem.letters);
}

TEST_CASE("row mapper: an empty optional is NULL", "[backend]") {
  ItemTable table;
  REQUIRE_THAT(table.Insert({}), IsOk());
  const auto items = table.Read();
  REQUIRE_THAT(items, IsOk());
  REQUIRE(items->size() == 1);
  CHECK_FALSE(items->front().until.has_value());
  CHECK_FALSE(items->front().note.has_value());
  CHECK(items->front().letters.empty());
  CHECK(items->front().words.empty());
  CHECK(items->front().key.empty());
}

TEST_CASE("row mapper: lists some columns in the order asked for",
          "[backend]") {
  const RowMapper<Item> some = Items().Only({"port", "name"});
  CHECK(some.size() == 2);
  CHECK(some.list() == "port, name");
  CHECK(some.parameters() == "?, ?");
  CHECK(some.assignments() == "port = ?, name = ?");
  CHECK(some.updates() == "port = excluded.port, name = excluded.name");
  CHECK(some.InsertInto("items") ==
        "INSERT INTO items (port, name) VALUES (?, ?)");
}

TEST_CASE("row mapper: updates some columns of a row", "[backend]") {
  ItemTable table;
  REQUIRE_THAT(table.Insert(kItem), IsOk());
  const RowMapper<Item> some = Items().Only({"port", "until"});
  Item changed;
  changed.port = 80;
  REQUIRE_THAT(table.database_->Transact([&](Database& db) -> absl::Status {
    ASSIGN_OR_RETURN(
        Statement write,
        db.Prepare(absl::StrCat("UPDATE items SET ", some.assignments(),
                                " WHERE name = ?")));
    const int next = some.Bind(write, changed);
    return write.Bind(next, kItem.name).Run();
  }),
               IsOk());
  const auto items = table.Read();
  REQUIRE_THAT(items, IsOk());
  CHECK(items->front().port == 80);
  CHECK_FALSE(items->front().until.has_value());
  CHECK(items->front().owner == kItem.owner);
}

TEST_CASE("row mapper: returns the first row, or nullopt", "[backend]") {
  ItemTable table;
  const auto first = [&] {
    std::optional<Item> item;
    REQUIRE_THAT(table.database_->Query([&](Database& db) -> absl::Status {
      ASSIGN_OR_RETURN(
          Statement rows,
          db.Prepare(absl::StrCat("SELECT ", Items().list(), " FROM items")));
      ASSIGN_OR_RETURN(item, Items().ReadFirst(rows));
      return absl::OkStatus();
    }),
                 IsOk());
    return item;
  };
  CHECK_FALSE(first().has_value());
  REQUIRE_THAT(table.Insert(kItem), IsOk());
  REQUIRE(first().has_value());
  CHECK(first()->name == kItem.name);
}

}  // namespace
}  // namespace carme::backend
