// What the backend would sign.
#ifndef CARME_TESTS_PROXY_GRANTS_H_
#define CARME_TESTS_PROXY_GRANTS_H_

#include <string>

#include "absl/time/time.h"
#include "carme/v1/routes.pb.h"
#include "common/encoding.h"
#include "common/ids.h"
#include "common/random.h"
#include "common/signature.h"
#include "proxy/site.h"

namespace carme::testing {

class GrantMaker {
 public:
  std::string public_key() const { return key_.PublicKey(); }

  // A serialized Signed with a Grant, for the job's own app.
  std::string Grant(const JobId& job, const std::string& session,
                    absl::Time expires,
                    const std::string& right = "use") const {
    return Grant(proxy::JobHost{job, job.value()}, session, expires, right);
  }
  std::string Grant(const proxy::JobHost& host, const std::string& session,
                    absl::Time expires, const std::string& right = "use",
                    bool whole_path = false) const {
    v1::Grant grant;
    grant.set_job_id(host.job.value());
    grant.set_host_label(host.label);
    grant.set_app("jupyter");
    grant.set_whole_path(whole_path);
    grant.set_session_id(session);
    grant.set_user("ada");
    grant.add_rights(right);
    grant.mutable_expires_at()->set_seconds(absl::ToUnixSeconds(expires));
    return Sign(kGrantDomain, grant.SerializeAsString());
  }
  // As it stands in an address.
  std::string Ticket(const std::string& grant, absl::Time issued,
                     absl::Time expires) const {
    v1::Ticket ticket;
    ticket.set_id(RandomBytes(16));
    ticket.mutable_issued_at()->set_seconds(absl::ToUnixSeconds(issued));
    ticket.mutable_issued_at()->set_nanos(
        static_cast<int32_t>(absl::ToInt64Nanoseconds(
            issued - absl::FromUnixSeconds(absl::ToUnixSeconds(issued)))));
    ticket.mutable_expires_at()->set_seconds(absl::ToUnixSeconds(expires));
    ticket.set_grant(grant);
    return Base64UrlEncode(Sign(kTicketDomain, ticket.SerializeAsString()));
  }

 private:
  std::string Sign(std::string_view domain, std::string payload) const {
    v1::Signed envelope;
    envelope.set_signature(key_.Sign(domain, payload));
    envelope.set_payload(std::move(payload));
    return envelope.SerializeAsString();
  }
  SigningKey key_ = *SigningKey::FromSeed(RandomBytes(32));
};

}  // namespace carme::testing

#endif  // CARME_TESTS_PROXY_GRANTS_H_
