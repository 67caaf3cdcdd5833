#include <grpcpp/server_context.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "backend/audit/audit_log.h"
#include "backend/jobs/model/job_proto.h"
#include "backend/notifications/delivery/notifications.h"
#include "backend/notifications/delivery/webhook_address.h"
#include "backend/rpc/access/audit_event.h"
#include "backend/rpc/access/caller.h"
#include "backend/rpc/access/client_error.h"
#include "backend/rpc/convert/paging.h"
#include "backend/rpc/services/messages.h"
#include "backend/rpc/services/services.h"
#include "carme/v1/notification.grpc.pb.h"
#include "common/encoding.h"
#include "common/grpc/grpc_status.h"
#include "common/protobuf/message_error.h"
#include "common/protobuf/text_code.h"
#include "common/random.h"
#include "common/status.h"

namespace carme::backend {
namespace {

constexpr int kListed = 50;
constexpr int kMaxListed = 100;
constexpr int kMaxMarked = 100;
constexpr size_t kSecretBytes = 32;

absl::StatusOr<Channel> ChannelOf(v1::Channel channel) {
  for (const Channel one : kChannels) {
    if (one == channel) return one;
  }
  return MakeError(rpc_service_messages::kNotificationChannelInvalid,
                   {{"channel", static_cast<int>(channel)}});
}

absl::StatusOr<KindSet> KindsOf(
    const v1::SetNotificationPreferencesRequest& request) {
  KindSet kinds;
  for (const int number : request.kinds()) {
    const auto found =
        std::find_if(kSelectableKinds.begin(), kSelectableKinds.end(),
                     [&](EventKind kind) { return kind == number; });
    if (found == kSelectableKinds.end()) {
      return MakeError(rpc_service_messages::kNotificationKindInvalid,
                       {{"kind", number}});
    }
    kinds.Add(*found);
  }
  return kinds;
}

void Fill(const InboxEvent& event, v1::Notification* row) {
  row->set_id(event.id);
  carme::backend::Fill(event.at, row->mutable_at());
  row->set_kind(event.kind);
  row->set_subject(event.subject);
  row->set_text(event.text.text);
  FillTextCode(event.text, &v1::Notification::mutable_text_code, row);
  row->set_read(event.read);
  for (const InboxDelivery& delivery : event.deliveries) {
    v1::Delivery* line = row->add_deliveries();
    line->set_channel(delivery.channel);
    line->set_state(delivery.state);
    line->set_problem(delivery.problem);
  }
}

void Fill(const Notifications::Health& health, v1::ChannelHealth* row) {
  row->set_waiting(health.outbox.waiting);
  row->set_given_up_day(health.outbox.given_up_day);
  if (health.outbox.last_sent) {
    carme::backend::Fill(*health.outbox.last_sent, row->mutable_last_sent());
  }
  if (health.last_problem.text.empty()) return;
  row->set_last_problem(health.last_problem.text);
  carme::backend::Fill(health.last_problem.at, row->mutable_last_problem_at());
}

absl::Status NotOffered() {
  return MakeError(rpc_service_messages::kNotificationChannelNotOffered);
}

class NotificationService : public v1::NotificationService::Service {
 public:
  NotificationService(Notifications* notifications, AuditLog* audit)
      : notifications_(*notifications), audit_(audit) {}

  grpc::Status ListNotifications(
      grpc::ServerContext* context, const v1::ListNotificationsRequest* request,
      v1::ListNotificationsResponse* response) override {
    const Caller caller = CallerOf(*context);
    PageQuery query = PageOf(*request, kListed);
    query.max_size = kMaxListed;
    const absl::StatusOr<int> size = PageSizeOf(query);
    if (!size.ok()) return ToGrpc(size.status());
    const absl::StatusOr<int64_t> before = PageNumberOf(query);
    if (!before.ok()) return ToGrpc(before.status());
    const absl::StatusOr<InboxPage> page =
        notifications_.inbox().List(caller.session.uid, *before, *size);
    if (!page.ok())
      return ToGrpc(ClientError(page.status(), caller, "notifications"));
    for (const InboxEvent& event : page->events) {
      Fill(event, response->add_notifications());
    }
    response->set_unread(static_cast<int>(page->unread));
    if (page->more && !page->events.empty()) {
      response->set_next_page_token(
          PageTokenOf(page->events.back().id, query.filter));
    }
    return grpc::Status::OK;
  }

  grpc::Status MarkRead(grpc::ServerContext* context,
                        const v1::MarkReadRequest* request,
                        v1::MarkReadResponse* response) override {
    const Caller caller = CallerOf(*context);
    if (request->ids_size() > kMaxMarked || request->up_to() < 0) {
      return ToGrpc(
          MakeError(rpc_service_messages::kNotificationMarkReadInvalid,
                    {{"entries", request->ids_size()},
                     {"up_to", request->up_to()},
                     {"max", kMaxMarked}}));
    }
    const absl::StatusOr<int64_t> unread = notifications_.inbox().MarkRead(
        caller.session.uid, {request->ids().begin(), request->ids().end()},
        request->up_to());
    if (!unread.ok())
      return ToGrpc(ClientError(unread.status(), caller, "notifications"));
    response->set_unread(static_cast<int>(*unread));
    return grpc::Status::OK;
  }

  grpc::Status GetChannels(grpc::ServerContext* context,
                           const v1::GetChannelsRequest* /*request*/,
                           v1::GetChannelsResponse* response) override {
    const Caller caller = CallerOf(*context);
    for (const Channel channel : kChannels) {
      if (!notifications_.Offers(channel)) continue;
      const absl::Status filled =
          FillChannel(channel, caller, response->add_channels());
      if (!filled.ok())
        return ToGrpc(ClientError(filled, caller, "notifications"));
    }
    for (const EventKind kind : kSelectableKinds) {
      // Only administrators get these.
      if (kind == v1::NOTIFICATION_KIND_NODE &&
          caller.session.role != Role::kAdmin) {
        continue;
      }
      response->add_kinds(kind);
    }
    return grpc::Status::OK;
  }

  grpc::Status SetNotificationPreferences(
      grpc::ServerContext* context,
      const v1::SetNotificationPreferencesRequest* request,
      v1::SetNotificationPreferencesResponse* /*response*/) override {
    const Caller caller = CallerOf(*context);
    return ToGrpc(ClientError(Choose(*request, caller.session.uid), caller,
                              "notifications"));
  }

  grpc::Status SetWebhook(grpc::ServerContext* context,
                          const v1::SetWebhookRequest* request,
                          v1::SetWebhookResponse* response) override {
    const Caller caller = CallerOf(*context);
    const std::string secret =
        "carme_" + Base64UrlEncode(RandomBytes(kSecretBytes));
    const absl::Status set = Set(request->url(), secret, caller);
    // Records the host of the webhook only: the path usually contains a secret.
    const absl::Status recorded = RecordChange(
        audit_, Outcome(EventOf(*context, caller, "set-webhook"), set));
    if (!set.ok()) return ToGrpc(ClientError(set, caller, "notifications"));
    if (!recorded.ok()) return ToGrpc(recorded);
    response->set_secret(secret);
    return grpc::Status::OK;
  }

  grpc::Status RemoveWebhook(grpc::ServerContext* context,
                             const v1::RemoveWebhookRequest* /*request*/,
                             v1::RemoveWebhookResponse* /*response*/) override {
    const Caller caller = CallerOf(*context);
    const absl::Status removed =
        notifications_.preferences().RemoveWebhook(caller.session.uid);
    const absl::Status recorded = RecordChange(
        audit_, Outcome(EventOf(*context, caller, "remove-webhook"), removed));
    return ToGrpc(removed.ok() ? recorded
                               : ClientError(removed, caller, "notifications"));
  }

  grpc::Status TestChannel(grpc::ServerContext* context,
                           const v1::TestChannelRequest* request,
                           v1::TestChannelResponse* response) override {
    const Caller caller = CallerOf(*context);
    const absl::StatusOr<int64_t> id = Test(request->channel(), caller);
    if (!id.ok())
      return ToGrpc(ClientError(id.status(), caller, "notifications"));
    response->set_id(*id);
    return grpc::Status::OK;
  }

  grpc::Status GetDeliveryHealth(
      grpc::ServerContext* context,
      const v1::GetDeliveryHealthRequest* /*request*/,
      v1::GetDeliveryHealthResponse* response) override {
    const Caller caller = CallerOf(*context);
    for (const Channel channel : kChannels) {
      const auto health = notifications_.HealthOf(channel);
      if (!health.ok())
        return ToGrpc(ClientError(health.status(), caller, "notifications"));
      v1::ChannelHealth* row = response->add_channels();
      row->set_channel(channel);
      row->set_offered(notifications_.Offers(channel));
      Fill(*health, row);
    }
    return grpc::Status::OK;
  }

 private:
  absl::Status FillChannel(Channel channel, const Caller& caller,
                           v1::ChannelSettings* row) {
    const Uid uid = caller.session.uid;
    row->set_channel(channel);
    ASSIGN_OR_RETURN(const KindSet chosen,
                     notifications_.preferences().ChoiceOf(uid, channel));
    for (const EventKind kind : kSelectableKinds) {
      if (chosen.Has(kind) || IsAlwaysDelivered(kind, channel)) {
        row->add_chosen(kind);
      }
    }
    if (channel == v1::CHANNEL_MAIL) {
      const absl::StatusOr<std::string> address = notifications_.AddressOf(uid);
      if (address.ok()) {
        row->set_address(*address);
      } else {
        row->set_problem(std::string(address.status().message()));
      }
      return absl::OkStatus();
    }
    ASSIGN_OR_RETURN(const std::optional<Webhook> webhook, WebhookOf(caller));
    if (!webhook) return absl::OkStatus();
    row->set_address(webhook->url);
    if (webhook->paused) {
      row->set_problem(
          "it is paused because it failed too often: save it again");
    }
    return absl::OkStatus();
  }

  absl::Status Choose(const v1::SetNotificationPreferencesRequest& request,
                      Uid uid) {
    ASSIGN_OR_RETURN(const Channel channel, ChannelOf(request.channel()));
    ASSIGN_OR_RETURN(const KindSet kinds, KindsOf(request));
    if (!notifications_.Offers(channel)) return NotOffered();
    return notifications_.preferences().Choose(uid, channel, kinds);
  }

  absl::StatusOr<std::optional<Webhook>> WebhookOf(const Caller& caller) {
    return notifications_.preferences().WebhookOf(caller.session.uid,
                                                  caller.session.username);
  }

  absl::Status Set(const std::string& url, const std::string& secret,
                   const Caller& caller) {
    if (!notifications_.Offers(v1::CHANNEL_WEBHOOK)) return NotOffered();
    ASSIGN_OR_RETURN(
        const WebhookTarget target,
        ValidateWebhook(url, notifications_.config().webhooks.rules));
    return notifications_.SetWebhook(caller.session.uid,
                                     caller.session.username, target, secret);
  }

  absl::StatusOr<int64_t> Test(v1::Channel number, const Caller& caller) {
    ASSIGN_OR_RETURN(const Channel channel, ChannelOf(number));
    if (!notifications_.Offers(channel)) return NotOffered();
    if (channel == v1::CHANNEL_WEBHOOK) {
      ASSIGN_OR_RETURN(const std::optional<Webhook> webhook, WebhookOf(caller));
      if (!webhook) {
        return MakeError(rpc_service_messages::kNotificationWebhookMissing);
      }
    }
    return notifications_.Test(caller.session.uid, channel);
  }

  Notifications& notifications_;
  AuditLog* const audit_;
};

}  // namespace

std::unique_ptr<grpc::Service> NewNotificationService(
    Notifications* notifications, AuditLog* audit) {
  return std::make_unique<NotificationService>(notifications, audit);
}

}  // namespace carme::backend
