// The user's notifications and delivery settings.
import { Channel } from "#proto/notification";
import { notificationClient } from "../../api/notification";
import { PageTitle } from "../../routes/page_title";
import { useQuery } from "../../session/use_query";
import { ChannelsPanel } from "./channels_panel";
import { ListPanel } from "./list_panel";
import { WebhookPanel } from "./webhook_panel";
import "../../styles/notifications.css";
import { messages } from "#messages/notifications";

export function NotificationsPage() {
  const loaded = useQuery(() => notificationClient.getChannels({}));
  const webhook = loaded.value?.channels.find(
    ({ channel }) => channel === Channel.WEBHOOK,
  );
  return (
    <>
      <PageTitle text={messages.notifications} />
      <ListPanel />
      <ChannelsPanel loaded={loaded} />
      {webhook && <WebhookPanel settings={webhook} onChanged={loaded.reload} />}
    </>
  );
}
