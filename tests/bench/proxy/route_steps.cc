#include "tests/bench/proxy/route_steps.h"

#include <array>
#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/synchronization/blocking_counter.h"
#include "absl/time/clock.h"
#include "common/net/socket.h"
#include "proxy/control/route_table.h"
#include "proxy/control/route_watcher.h"
#include "tests/bench/proxy/load/load.h"
#include "tests/bench/proxy/load/report.h"

namespace carme::bench {
namespace {

constexpr int kTimes = 1000;

std::shared_ptr<const proxy::RouteUpdate> UpdateOf(
    const v1::WatchRoutesResponse& message) {
  auto update = proxy::ToRouteUpdate(message, "", "");
  if (!update.ok()) GiveUp(update.status().ToString());
  return *std::move(update);
}

// A loop with a table, as a worker of carme-proxy has them.
class TableLoop {
 public:
  TableLoop() : loop_(*net::EventLoop::Create()) {
    thread_ = std::thread([this] { loop_->Run(); });
  }
  ~TableLoop() {
    loop_->Stop();
    thread_.join();
  }
  void Apply(std::shared_ptr<const proxy::RouteUpdate> update) {
    loop_->Post([this, update] { table_.Apply(*update, absl::Now()); });
  }
  // Counts down once the table has it.
  void Look(const JobId& job, absl::BlockingCounter* found) {
    loop_->Post([this, job, found] {
      if (table_.Find(job) == nullptr) GiveUp("a route is not there");
      found->DecrementCount();
    });
  }

 private:
  std::unique_ptr<net::EventLoop> loop_;
  proxy::RouteTable table_;
  std::thread thread_;
};

// Runs a task of the loop's and waits for its end.
template <typename Make>
void RunOnLoop(Neighbours& neighbours, const Make& make) {
  absl::BlockingCounter ended(1);
  const auto run = [&]() -> net::Task<void> {
    co_await make();
    ended.DecrementCount();
  };
  neighbours.OnLoop([&] { neighbours.loop().Spawn(run()); });
  ended.Wait();
}

}  // namespace

double TableAddsUs(const Neighbours& neighbours, int routes) {
  std::array<TableLoop, 2> loops;
  v1::WatchRoutesResponse all;
  for (int i = 0; i < routes; ++i) {
    *all.add_routes() = neighbours.RouteTo(Neighbours::JobAt(i));
  }
  for (TableLoop& loop : loops) loop.Apply(UpdateOf(all));
  std::vector<double> times;
  for (int i = 0; i < kTimes; ++i) {
    const JobId job = Neighbours::JobAt(routes + i);
    v1::WatchRoutesResponse one;
    *one.add_routes() = neighbours.RouteTo(job);
    absl::BlockingCounter found(2);
    const int64_t start = NowNs();
    const auto update = UpdateOf(one);
    for (TableLoop& loop : loops) loop.Apply(update);
    for (TableLoop& loop : loops) loop.Look(job, &found);
    found.Wait();
    times.push_back(static_cast<double>(NowNs() - start) / 1000);
  }
  return Median(std::move(times));
}

float BackendToRequestMs(Neighbours& neighbours, Subject& carme, int n) {
  const JobId job = Neighbours::JobAt(n);
  Target target = carme.target();
  target.host = Neighbours::HostOf(job);
  target.cookie = carme.Open(job);
  const std::string request = RequestFor(target, "/1k");
  v1::WatchRoutesResponse message;
  *message.add_routes() = neighbours.RouteTo(job);
  int64_t start = 0, end = 0;
  RunOnLoop(neighbours, [&]() -> net::Task<void> {
    auto stream = co_await ConnectTo(neighbours.loop(), target);
    if (stream == nullptr) GiveUp("no connection to carme");
    Answer answer = co_await Ask(*stream, request);
    if (answer.status != 404) GiveUp("a route is there too early");
    start = NowNs();
    carme.backend().Push(message);
    while (answer.status == 404) answer = co_await Ask(*stream, request);
    end = NowNs();
  });
  return static_cast<float>(end - start) / 1e6F;
}

RestApi::RestApi(Neighbours& neighbours, const Subject& chp)
    : neighbours_(neighbours), chp_(chp) {
  RunOnLoop(neighbours_, [&] { return Connect(); });
}

RestApi::~RestApi() {
  neighbours_.OnLoop([&] { stream_.reset(); });
}

net::Task<void> RestApi::Connect() {
  const auto address =
      net::Address::FromIp("127.0.0.1", static_cast<uint32_t>(chp_.api_port()));
  auto fd =
      co_await net::Connect(neighbours_.loop(), *address, absl::Seconds(10));
  if (!fd.ok()) GiveUp(fd.status().ToString());
  auto stream = net::NewSocketStream(neighbours_.loop(), *std::move(fd));
  if (!stream.ok()) GiveUp(stream.status().ToString());
  stream_ = *std::move(stream);
}

net::Task<void> RestApi::Add(int n) {
  const std::string body = absl::StrCat(
      "{\"target\":\"https://localhost:", neighbours_.app_port(), "\"}");
  const std::string request = absl::StrCat(
      "POST /api/routes/", Neighbours::HostOf(Neighbours::JobAt(n)),
      " HTTP/1.1\r\nHost: localhost\r\nAuthorization: token bench\r\n"
      "Content-Type: application/json\r\nContent-Length: ",
      body.size(), "\r\n\r\n", body);
  Answer answer = co_await Ask(*stream_, request);
  // Its answer has no body but chunks of nothing.
  if (answer.status != 201) GiveUp("chp takes no route:\n" + answer.head);
}

double RestApi::AddUs(int n) {
  int64_t start = 0, end = 0;
  RunOnLoop(neighbours_, [&]() -> net::Task<void> {
    start = NowNs();
    co_await Add(n);
    end = NowNs();
  });
  return static_cast<double>(end - start) / 1000;
}

float RestApi::ToRequestMs(int n) {
  Target target = chp_.target();
  target.host = Neighbours::HostOf(Neighbours::JobAt(n));
  const std::string request = RequestFor(target, "/1k");
  int64_t start = 0, end = 0;
  RunOnLoop(neighbours_, [&]() -> net::Task<void> {
    auto stream = co_await ConnectTo(neighbours_.loop(), target);
    if (stream == nullptr) GiveUp("no connection to chp");
    start = NowNs();
    co_await Add(n);
    Answer answer = co_await Ask(*stream, request);
    // The app's certificate is of another name: that the request was passed on
    // is all that is asked here.
    if (answer.status == 0) GiveUp("chp hung up");
    end = NowNs();
  });
  return static_cast<float>(end - start) / 1e6F;
}

}  // namespace carme::bench
