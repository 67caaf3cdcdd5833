#include "proxy/server/public_tls.h"

#include <utility>

#include "common/file.h"
#include "common/log.h"
#include "common/status.h"

namespace carme::proxy {

PublicTls::PublicTls(std::vector<Pair> pairs,
                     std::shared_ptr<net::TicketKeys> keys, bool http2,
                     int expiry_warn_days)
    : pairs_(std::move(pairs)),
      keys_(std::move(keys)),
      http2_(http2),
      expiry_warn_days_(expiry_warn_days) {}

absl::StatusOr<PublicTls> PublicTls::Open(const ProxyConfig& config,
                                          absl::Time now) {
  std::vector<PublicCertificate> all = {
      {config.certificate, config.key, config.ocsp_response}};
  all.insert(all.end(), config.more_certificates.begin(),
             config.more_certificates.end());
  std::vector<Pair> pairs;
  for (const PublicCertificate& one : all) {
    ASSIGN_OR_RETURN(TlsFiles files,
                     TlsFiles::Open({one.certificate, one.key}));
    Pair pair{one.ocsp_response, std::move(files),
              FileWatch({one.ocsp_response}), std::nullopt};
    ReadOcsp(&pair, now);
    pairs.push_back(std::move(pair));
  }
  ASSIGN_OR_RETURN(
      auto keys,
      net::TicketKeys::Open(config.state_directory + "/session.keys", now));
  PublicTls made(std::move(pairs), std::move(keys), config.http2,
                 config.expiry_warn_days);
  ASSIGN_OR_RETURN(made.context_, made.MakeContext());
  return made;
}

// Returns whether the stapled response changed.
bool PublicTls::ReadOcsp(Pair* pair, absl::Time now) {
  if (pair->ocsp_file.empty()) return false;
  absl::StatusOr<std::string> der = ReadFile(pair->ocsp_file);
  absl::StatusOr<OcspResponse> response =
      der.ok() ? ReadOcspResponse(*der, pair->files.material().certificate, now)
               : der.status();
  const std::string before = pair->ocsp ? pair->ocsp->der : "";
  if (response.ok()) {
    pair->ocsp = *std::move(response);
  } else {
    pair->ocsp.reset();
    LogWarning("OCSP response not stapled",
               {{"file", pair->ocsp_file},
                {"error", std::string(response.status().message())}});
  }
  return (pair->ocsp ? pair->ocsp->der : "") != before;
}

absl::StatusOr<std::shared_ptr<const net::TlsContext>> PublicTls::MakeContext()
    const {
  net::TlsContext::Others others;
  for (size_t i = pairs_.size(); i-- > 0;) {
    const Pair& pair = pairs_[i];
    net::TlsOptions options;
    options.certificate = pair.files.material().certificate;
    options.key = pair.files.material().key;
    options.tls12 = true;
    options.alpn = http2_ ? "h2,http/1.1" : "http/1.1";
    options.ticket_keys = keys_;
    if (pair.ocsp) options.ocsp_response = pair.ocsp->der;
    if (i == 0) return net::TlsContext::Server(options, std::move(others));
    ASSIGN_OR_RETURN(auto other, net::TlsContext::Server(options));
    others.insert(others.begin(), std::move(other));
  }
  return absl::InternalError("no certificate");
}

std::vector<CertificateHealth> PublicTls::Certificates(absl::Time now) const {
  std::vector<CertificateHealth> all;
  for (const Pair& pair : pairs_) {
    for (CertificateHealth& one :
         HealthOf("public", pair.files.material().certificate,
                  expiry_warn_days_, now)) {
      all.push_back(std::move(one));
    }
  }
  return all;
}

bool PublicTls::Refresh(absl::Time now) {
  const absl::Status renewed = keys_->Refresh(now);
  if (!renewed.ok() && !keys_failed_) {
    LogError("session keys not saved", {{"error", renewed.ToString()}});
  }
  keys_failed_ = !renewed.ok();
  bool changed = false;
  for (Pair& pair : pairs_) {
    const bool renewed_pair = pair.files.Refresh();
    const bool late = pair.ocsp && pair.ocsp->until <= now;
    if (pair.ocsp_watch.Changed() || renewed_pair || late) {
      changed = ReadOcsp(&pair, now) || changed;
    }
    changed = changed || renewed_pair;
  }
  warnings_.Check(Certificates(now), now);
  if (!changed) return false;
  auto context = MakeContext();
  if (!context.ok()) {
    LogError("invalid certificate ignored, keeping the old one",
             {{"error", context.status().ToString()}});
    return false;
  }
  context_ = *std::move(context);
  return true;
}

}  // namespace carme::proxy
