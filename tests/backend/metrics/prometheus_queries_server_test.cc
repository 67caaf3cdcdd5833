// Prometheus' HTTP API over the jobs of one person, on both real databases.
#include <httplib.h>

#include <atomic>
#include <catch2/catch.hpp>
#include <limits>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "backend/metrics/ingest/sample_ingest.h"
#include "backend/metrics/query/database_reader.h"
#include "backend/metrics/query/prometheus_queries.h"
#include "common/clock.h"
#include "tests/backend/metrics/samples.h"
#include "tests/support/servers/tsdb_server.h"
#include "tests/support/status_matchers.h"
#include "tests/support/wait_for.h"

namespace carme::metrics {
namespace {

using Kind = TsdbServer::Kind;
using Request = v1::QueryPrometheusRequest;
using Jobs = std::vector<v1::MeasuredJob>;

constexpr char kHiddenNode[] = "hidden7";
constexpr char kHiddenSeries[] = "carme_hidden_watts";

bool Has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

v1::MeasuredJob JobOf(const std::string& id, absl::Time started_at) {
  v1::MeasuredJob job;
  job.set_job_id(id);
  job.set_started_at_ms(absl::ToUnixMillis(started_at));
  return job;
}

// kJob has 41 on n1; kOtherJob, another user's, has 42 on another node and a
// series and a label of its own.
class Setup {
 public:
  explicit Setup(Kind kind)
      : database_(kind),
        writer_({.address = {.url = database_.url()}}),
        ingest_({.writer = &writer_, .jobs = &known_, .clock = &clock_}, {}),
        reader_({.url = database_.url()}, absl::Seconds(20)),
        queries_(&reader_, {}) {
    const absl::Time now = absl::Now();
    REQUIRE_THAT(ingest_.Write(kJob, Encoded(OneSeries(kJob, now, {40, 41}))),
                 IsOk());
    v1::WriteSamplesRequest hidden = OneSeries(kOtherJob, now, {42, 42});
    hidden.mutable_nodes(0)->set_node(kHiddenNode);
    v1::SampleSeries* series = AddSeries(kHiddenSeries, now, absl::Seconds(1),
                                         {42}, hidden.mutable_nodes(0));
    (*series->mutable_labels())["secret"] = "word";
    REQUIRE_THAT(ingest_.Write(kOtherJob, Encoded(hidden)), IsOk());
    // Both are there, so that what is not shown is hidden.
    REQUIRE(Has(database_.Get("/api/v1/label/job/values", kOtherJob), kJob));
    REQUIRE(Has(database_.Get("/api/v1/label/secret/values", "word"), "word"));
  }

  absl::StatusOr<std::string> Answer(const Request& request, const Jobs& jobs) {
    return queries_.Answer("ada", jobs, request);
  }
  absl::StatusOr<std::string> Answer(const Request& request) {
    return Answer(request, {JobOf(kJob, absl::Now() - absl::Minutes(5))});
  }

 private:
  TsdbServer database_;
  SystemClock clock_;
  KnownJobs known_;
  RemoteWriter writer_;
  SampleIngest ingest_;
  DatabaseReader reader_;
  PrometheusQueries queries_;
};

Request Instant(const std::string& query) {
  Request request;
  request.mutable_instant()->set_query(query);
  request.mutable_instant()->set_time_ms(absl::ToUnixMillis(absl::Now()));
  return request;
}

Request Range(const std::string& query) {
  Request request;
  const int64_t now_ms = absl::ToUnixMillis(absl::Now());
  request.mutable_range()->set_query(query);
  request.mutable_range()->set_from_ms(now_ms - 60'000);
  request.mutable_range()->set_to_ms(now_ms);
  request.mutable_range()->set_step_ms(1000);
  return request;
}

Request Search(const std::string& what,
               const std::vector<std::string>& matches) {
  Request request;
  Request::Search* search = what == "series"   ? request.mutable_series()
                            : what == "labels" ? request.mutable_labels()
                                               : request.mutable_label_values();
  if (what != "series" && what != "labels") search->set_label(what);
  for (const std::string& match : matches) search->add_matches(match);
  return request;
}

TEST_CASE("prometheus queries: nothing of other jobs is shown", "[metrics]") {
  const Kind kind = GENERATE(Kind::kVictoriaMetrics, Kind::kPrometheus);
  Setup setup(kind);
  const std::string other = absl::StrCat("{job=\"", kOtherJob, "\"}");
  const std::vector<std::string> selectors = {
      "{job=~\".+\"}",
      "{}",
      "{__name__=~\".*\"}",
      other,
      kHiddenSeries,
      absl::StrCat("{node=\"", kHiddenNode, "\"}"),
      "{secret=\"word\"}",
      "{job!=\"x\"}",
      absl::StrCat("{job!~\"", kJob, "\"}")};
  std::vector<Request> requests;
  for (const std::string& selector : selectors) {
    requests.push_back(Instant(selector));
    requests.push_back(Instant(absl::StrCat(selector, "[5m]")));
    requests.push_back(
        Instant(absl::StrCat("count(", selector, ") by (node)")));
    requests.push_back(Range(selector));
    for (const char* what :
         {"series", "labels", "node", "job", "__name__", "secret"}) {
      requests.push_back(Search(what, {selector}));
      requests.push_back(Search(what, {"carme_job_memory_bytes", selector}));
    }
  }
  for (const char* what : {"labels", "node", "job", "__name__", "secret"}) {
    requests.push_back(Search(what, {}));
  }
  requests.push_back(Instant("count_values(\"secret\", {job=~\".+\"})"));
  for (const Request& request : requests) {
    CAPTURE(request.ShortDebugString());
    for (const bool has_jobs : {true, false}) {
      const auto answer =
          has_jobs ? setup.Answer(request) : setup.Answer(request, {});
      // A database may refuse what selects nothing by itself.
      if (!answer.ok()) {
        CHECK(absl::IsInvalidArgument(answer.status()));
        continue;
      }
      for (const char* hidden :
           {kHiddenNode, kHiddenSeries, kOtherJob, "\"42\"", "word"}) {
        CHECK_FALSE(Has(*answer, hidden));
      }
      if (!has_jobs) CHECK_FALSE(Has(*answer, kJob));
    }
  }
}

TEST_CASE("prometheus queries: refuses invalid and unbounded requests",
          "[metrics]") {
  DatabaseReader reader({.url = "http://127.0.0.1:1"}, absl::Seconds(1));
  PrometheusQueries queries(&reader, {});
  const auto refuses = [&](const Request& request, const std::string& part) {
    CAPTURE(request.ShortDebugString().substr(0, 200), part);
    CHECK_THAT(queries.Answer("ada", {}, request),
               StatusIs(absl::StatusCode::kInvalidArgument, part));
  };
  refuses({}, "kind");
  refuses(Instant(""), "character");
  refuses(Instant(std::string(5000, 'a')), "too long");
  refuses(Instant(std::string(100, '(') + "1" + std::string(100, ')')),
          "parentheses");
  refuses(Instant("a @ end()"), "character");
  refuses(Range("a[5m:1s]"), "character");
  Request no_time = Instant("1");
  no_time.mutable_instant()->set_time_ms(0);
  refuses(no_time, "time");
  no_time.mutable_instant()->set_time_ms(std::numeric_limits<int64_t>::max());
  refuses(no_time, "time");
  Request backwards = Range("a");
  backwards.mutable_range()->set_to_ms(1);
  refuses(backwards, "not before the start");
  Request many_points = Range("a");
  many_points.mutable_range()->set_step_ms(5);
  refuses(many_points, "11000 points");
  for (const int64_t step_ms :
       {int64_t{0}, int64_t{-1}, std::numeric_limits<int64_t>::max()}) {
    many_points.mutable_range()->set_step_ms(step_ms);
    refuses(many_points, "points");
  }
  refuses(Search("labels", std::vector<std::string>(17, "a")), "at most 16");
  refuses(Search("series", {std::string(3000, 'a'), std::string(3000, 'b')}),
          "4096 bytes");
  refuses(Search("series", {"a[5m]"}), "character");
  refuses(Search("labels", {"a", "up} or {x=\""}), "character");
  for (const char* label : {"../query?x=", "a/b", "__graphite__", "a b"}) {
    refuses(Search(label, {}), "label");
  }
  refuses(Search("", {}), "label");
}

TEST_CASE("prometheus queries: shows the caller's jobs", "[metrics]") {
  const Kind kind = GENERATE(Kind::kVictoriaMetrics, Kind::kPrometheus);
  Setup setup(kind);
  const auto answer = [&](const Request& request) {
    const auto data = setup.Answer(request);
    REQUIRE_THAT(data, IsOk());
    return *data;
  };
  REQUIRE(testing::WaitFor([&] {
    return Has(answer(Instant("carme_job_memory_bytes")), "\"41\"");
  }));
  CHECK(Has(answer(Instant("sum(carme_job_memory_bytes)")), "\"41\""));
  CHECK(Has(answer(Instant("carme_job_memory_bytes[1m]")), "\"40\""));
  CHECK(Has(answer(Range("max_over_time(carme_job_memory_bytes[30s])")),
            "\"matrix\""));
  CHECK(answer(Search("job", {})) == absl::StrCat("[\"", kJob, "\"]"));
  CHECK(answer(Search("node", {"carme_job_memory_bytes"})) == "[\"n1\"]");
  CHECK(Has(answer(Search("__name__", {})), "carme_job_memory_bytes"));
  CHECK(Has(answer(Search("labels", {})), "\"node\""));
  CHECK(Has(answer(Search("series", {"{node=\"n1\"}"})),
            "\"__name__\":\"carme_job_memory_bytes\""));
  CHECK(answer(Search("series", {"{node=\"n2\"}"})) == "[]");
}

TEST_CASE("prometheus queries: constants need no jobs", "[metrics]") {
  const Kind kind = GENERATE(Kind::kVictoriaMetrics, Kind::kPrometheus);
  Setup setup(kind);
  for (const bool has_jobs : {true, false}) {
    const auto answer = [&](const Request& request) {
      const auto data =
          has_jobs ? setup.Answer(request) : setup.Answer(request, {});
      REQUIRE_THAT(data, IsOk());
      return *data;
    };
    CHECK(Has(answer(Instant("1+1")), "\"2\""));
    CHECK(Has(answer(Instant("vector(1)")), "\"1\""));
    CHECK(Has(answer(Instant("time()")), "\"result\""));
    CHECK(Has(answer(Range("vector(7)")), "\"7\""));
    Request check;
    check.mutable_check();
    CHECK(answer(check) == "{}");
  }
  CHECK(Has(setup.Answer(Instant("absent(carme_job_memory_bytes)"), {}).value(),
            "\"1\""));
}

TEST_CASE("prometheus queries: what the database refuses is said",
          "[metrics]") {
  const Kind kind = GENERATE(Kind::kVictoriaMetrics, Kind::kPrometheus);
  Setup setup(kind);
  CHECK_THAT(setup.Answer(Instant("label_replace(carme_job_memory_bytes, "
                                  "\"x\", \"y\", \"node\", \"(\")")),
             StatusIs(absl::StatusCode::kInvalidArgument, "reg"));
}

TEST_CASE("prometheus queries: asks for jobs that can have samples only",
          "[metrics]") {
  const absl::Time now = absl::Now();
  v1::MeasuredJob old = JobOf("jccccccccccccccc", now - absl::Hours(9));
  old.set_ended_at_ms(absl::ToUnixMillis(now - absl::Hours(5)));
  const Jobs jobs = {JobOf(kJob, now - absl::Hours(1)), old,
                     JobOf("not-an-id", now)};
  const auto between = [&](absl::Time from, absl::Time to) {
    return JobsBetween(jobs, absl::ToUnixMillis(from), absl::ToUnixMillis(to));
  };
  using Ids = std::vector<std::string>;
  CHECK(between(now, now) == Ids{kJob});
  CHECK(between(now - absl::Hours(6), now) == Ids{kJob, "jccccccccccccccc"});
  CHECK(between(now - absl::Hours(6), now - absl::Hours(4)) ==
        Ids{"jccccccccccccccc"});
  CHECK(between(now - absl::Hours(4), now - absl::Hours(3)).empty());
}

// Answers after it may, with as much as is asked for.
class SlowDatabase {
 public:
  SlowDatabase() {
    server_.new_task_queue = [] { return new httplib::ThreadPool(16); };
    server_.Post(".*", [this](const httplib::Request&,
                              httplib::Response& response) {
      ++asked;
      testing::WaitFor([this] { return may_answer.load(); });
      response.set_content(absl::StrCat("{\"status\":\"success\",\"data\":\"",
                                        std::string(bytes.load(), 'x'), "\"}"),
                           "application/json");
    });
    port_ = server_.bind_to_any_port("127.0.0.1");
    thread_ = std::thread([this] { server_.listen_after_bind(); });
    REQUIRE(testing::WaitFor([this] { return server_.is_running(); }));
  }
  ~SlowDatabase() {
    server_.stop();
    thread_.join();
  }
  std::string url() const { return absl::StrCat("http://127.0.0.1:", port_); }

  std::atomic<int> asked = 0;
  std::atomic<bool> may_answer = false;
  std::atomic<size_t> bytes = 1;

 private:
  httplib::Server server_;
  int port_ = 0;
  std::thread thread_;
};

TEST_CASE("prometheus queries: a dashboard's queries wait, a flood is refused",
          "[metrics]") {
  SlowDatabase database;
  DatabaseReader reader({.url = database.url()}, absl::Seconds(20));
  PrometheusQueries queries(&reader, {.running = 3,
                                      .running_per_user = 2,
                                      .pending = 6,
                                      .pending_per_user = 4,
                                      .wait = absl::Seconds(20)});
  std::atomic<int> answered = 0;
  std::vector<std::thread> panels;
  for (int i = 0; i < 4; ++i) {
    panels.emplace_back([&] {
      if (queries.Answer("ada", {}, Instant("1")).ok()) ++answered;
    });
  }
  REQUIRE(testing::WaitFor([&] { return database.asked == 2; }));
  REQUIRE(testing::WaitFor([&] { return queries.pending() == 4; }));
  CHECK_THAT(queries.Answer("ada", {}, Instant("1")),
             StatusIs(absl::StatusCode::kResourceExhausted, "too many"));
  CHECK(database.asked == 2);
  // Another user has a place.
  std::atomic<bool> other_answered = false;
  std::thread other(
      [&] { other_answered = queries.Answer("bob", {}, Instant("1")).ok(); });
  CHECK(testing::WaitFor([&] { return database.asked == 3; }));
  database.may_answer = true;
  for (std::thread& panel : panels) panel.join();
  other.join();
  CHECK(other_answered);
  CHECK(answered == 4);
  CHECK(database.asked == 5);
}

TEST_CASE("prometheus queries: who waits too long is refused", "[metrics]") {
  SlowDatabase database;
  DatabaseReader reader({.url = database.url()}, absl::Seconds(20));
  PrometheusQueries queries(
      &reader, {.running_per_user = 1, .wait = absl::Milliseconds(50)});
  std::atomic<bool> first_answered = false;
  std::thread first(
      [&] { first_answered = queries.Answer("ada", {}, Instant("1")).ok(); });
  REQUIRE(testing::WaitFor([&] { return database.asked == 1; }));
  CHECK_THAT(queries.Answer("ada", {}, Instant("1")),
             StatusIs(absl::StatusCode::kResourceExhausted, "try again"));
  database.may_answer = true;
  first.join();
  CHECK(first_answered);
}

TEST_CASE("prometheus queries: refuses too large an answer", "[metrics]") {
  SlowDatabase database;
  database.may_answer = true;
  database.bytes = PrometheusQueries::kMaxAnswerBytes + 1;
  DatabaseReader reader({.url = database.url()}, absl::Seconds(20));
  PrometheusQueries queries(&reader, {});
  CHECK_THAT(queries.Answer("ada", {}, Instant("1")),
             StatusIs(absl::StatusCode::kResourceExhausted, "32 MiB"));
}

}  // namespace
}  // namespace carme::metrics
