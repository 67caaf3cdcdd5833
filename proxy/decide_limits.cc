// The part of Decider that knows limits and load balancers.
#include <algorithm>
#include <optional>
#include <utility>

#include "proxy/decide.h"
#include "proxy/forwarded.h"

namespace carme::proxy {
namespace {

bool IsBelieved(const Services& services, const std::string& client) {
  if (!services.load_balancers.forwarded) return false;
  const auto address = net::Address::FromIp(client, 0);
  return address.ok() && services.balancer_networks.Contains(*address);
}

}  // namespace

Decider::Decider(Worker& worker, std::string client_address)
    : worker_(worker),
      client_address_(std::move(client_address)),
      behind_balancer_(IsBelieved(worker.services(), client_address_)),
      client_(client_address_) {}

Decider::~Decider() {
  if (!seat_.empty()) worker_.services().sessions.Leave(seat_);
}

bool Decider::Admit(const RequestHead& head) {
  bool readable = true;
  if (behind_balancer_) {
    client_ = client_address_;
    const absl::StatusOr<std::optional<net::Address>> told =
        ForwardedClient(head, worker_.services().balancer_networks);
    readable = told.ok();
    if (readable && told->has_value()) client_ = (*told)->Ip();
  }
  *record_ = worker_.request_log().Begin(head, client_, request_id_, protocol_);
  if (!readable) {
    Notify(head, Notice::kBadForwarded);
    return false;
  }
  const auto most_mib =
      static_cast<uint64_t>(worker_.services().limits.most_body_mib);
  if (head.body.kind == BodyKind::kLength &&
      head.body.length > most_mib * 1024 * 1024) {
    worker_.counters().Of(Limit::kBody).Add();
    Notify(head, Notice::kBodyTooLarge);
    return false;
  }
  return true;
}

bool Decider::AdmitLogin(const RequestHead& head) {
  if (head.method != "POST") return true;
  Services& services = worker_.services();
  const std::string_view path = head.target.substr(0, head.target.find('?'));
  if (std::find(services.login_paths.begin(), services.login_paths.end(),
                path) == services.login_paths.end()) {
    return true;
  }
  const auto address = net::Address::FromIp(client_, 0);
  const std::string place =
      address.ok() ? Admission::PlaceOf(*address) : client_;
  if (services.logins.Take(place, services.clock.Now())) return true;
  worker_.counters().Of(Limit::kLogins).Add();
  return false;
}

const std::string& Decider::PortalPlace() {
  if (placed_ == client_) return place_;
  placed_ = client_;
  const auto address = net::Address::FromIp(client_, 0);
  const bool unnamed =
      address.ok() && worker_.services().balancer_networks.Contains(*address);
  place_ = unnamed          ? ""
           : address.ok()   ? Admission::PlaceOf(*address)
                            : client_;
  return place_;
}

bool Decider::TakeSeat(const Access& access) {
  const std::string& session = access.session.value();
  if (session == seat_) return true;
  Admission& sessions = worker_.services().sessions;
  if (!sessions.Enter(session)) {
    worker_.counters().Of(Limit::kPerSession).Add();
    return false;
  }
  if (!seat_.empty()) sessions.Leave(seat_);
  seat_ = session;
  return true;
}

}  // namespace carme::proxy
