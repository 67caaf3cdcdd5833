// The parts of the backend that check who somebody is, wired.
#ifndef CARME_BACKEND_FACTORS_H_
#define CARME_BACKEND_FACTORS_H_

#include <memory>
#include <optional>
#include <vector>

#include "backend/audit/audit_log.h"
#include "backend/config.h"
#include "backend/identity/fresh_factor.h"
#include "backend/identity/log_in.h"
#include "backend/ticker.h"

namespace grpc {
class Service;
}

namespace carme::backend {

// What it stands on; all outlive it.
struct FactorsBase {
  Database* database;
  const Clock* clock;
  Directory* directory;
  SqliteSessions* sessions;  // where they begin
  Sessions* credentials;     // where they are known
  const BackendConfig* config;
  AuditLog* audit;
};

// Log-in and second factors. Not to be moved: the parts know each other.
class Factors {
 public:
  explicit Factors(const FactorsBase& base);
  Factors(const Factors&) = delete;
  Factors& operator=(const Factors&) = delete;

  // Writes what was counted since the last call.
  ~Factors();

  // Reads who has failed lately, and writes it every five seconds from now on.
  // Call once, before serving.
  absl::Status Load();

  // AuthService and FactorService.
  void AddServices(std::vector<std::unique_ptr<grpc::Service>>* services);

  // For those who show, reset, and slow down.
  FactorStore* store() { return &store_; }
  RecoveryCodes* codes() { return &codes_; }
  People* people() { return &people_; }
  Throttle* throttle() { return &throttle_; }

 private:
  void SaveFailures();

  const FactorsBase base_;
  FactorStore store_;
  RecoveryCodes codes_;
  People people_;
  SecondFactor second_factor_;
  SessionOffers offers_;
  Throttle throttle_;
  LogIn log_in_;
  FreshFactor fresh_;
  std::optional<Ticker> saver_;  // last: it uses the others
};

}  // namespace carme::backend

#endif  // CARME_BACKEND_FACTORS_H_
