#include "backend/rpc/shown_certificate.h"

#include <openssl/pem.h>
#include <openssl/x509.h>

#include <array>
#include <ctime>
#include <memory>

#include "common/file.h"

namespace carme {
namespace {

using Bio = std::unique_ptr<BIO, decltype(&BIO_free)>;
using Certificate = std::unique_ptr<X509, decltype(&X509_free)>;

Certificate Read(const std::string& pem) {
  const Bio reader(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())),
                   BIO_free);
  return Certificate(PEM_read_bio_X509(reader.get(), nullptr, nullptr, nullptr),
                     X509_free);
}

std::string NameOf(const X509& certificate) {
  std::array<char, 256> name{};
  X509_NAME_get_text_by_NID(X509_get_subject_name(&certificate), NID_commonName,
                            name.data(), name.size());
  return name.data();
}

absl::Time EndOf(const X509& certificate) {
  std::tm end{};
  if (ASN1_TIME_to_tm(X509_get0_notAfter(&certificate), &end) != 1) {
    return absl::InfinitePast();
  }
  return absl::FromTM(end, absl::UTCTimeZone());
}

}  // namespace

ShownCertificate ShowCertificate(const std::string& program,
                                 const std::string& path,
                                 absl::Duration warning, absl::Time now) {
  const absl::StatusOr<std::string> pem = ReadFile(path);
  const Certificate certificate = Read(pem.ok() ? *pem : "");
  if (certificate == nullptr) {
    return {program, "unreadable: " + path, absl::UnixEpoch(), true};
  }
  const absl::Time end = EndOf(*certificate);
  return {program, NameOf(*certificate), end, end - now < warning};
}

}  // namespace carme
