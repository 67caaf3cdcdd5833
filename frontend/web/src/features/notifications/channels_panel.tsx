// The notification channels and their settings.
import {
  Channel,
  type ChannelSettings,
  type GetChannelsResponse,
  type NotificationKind,
} from "#proto/notification";
import { notificationClient } from "../../api/notification";
import { useMutation } from "../../session/use_mutation";
import type { Query } from "../../session/use_query";
import { FailureNote } from "../../ui/failure_note";
import { QueryView } from "../../ui/loaded_view";
import { useConfirmation } from "../../ui/toasts";
import { Panel } from "../../ui/panel";
import { BrowserLine } from "./browser_line";
import { ChannelLine } from "./channel_line";
import {
  channelName,
  isFixed,
  kindLabels,
  toggled,
} from "./notification_labels";
import { useNotificationsView } from "./use_notifications";
import { messages } from "#messages/notifications";

export function ChannelsPanel(props: { loaded: Query<GetChannelsResponse> }) {
  const { loaded } = props;
  const { list } = useNotificationsView();
  const mutation = useMutation();
  const confirm = useConfirmation();

  const choose = (settings: ChannelSettings, kind: NotificationKind) =>
    mutation.run(async () => {
      const kinds = toggled(settings.chosen, kind);
      await notificationClient.setNotificationPreferences({
        channel: settings.channel,
        kinds,
      });
      await loaded.reload();
    });
  const test = (channel: Channel) =>
    mutation.run(async () => {
      await notificationClient.testChannel({ channel });
      confirm(messages.testSent({ channel: channelName(channel) }));
      await list.reload();
    });
  return (
    <Panel
      title={messages.delivery}
      about={messages.allNotificationsAppearInThe}
      testId="channels"
    >
      {mutation.failure && (
        <FailureNote failure={mutation.failure} testId="channels-failure" />
      )}
      <ul class="rows">
        <BrowserLine />
      </ul>
      <QueryView loaded={loaded}>
        {({ channels, kinds }) =>
          channels.length === 0 ? (
            <p class="muted" data-testid="no-channels">
              {messages.thisSiteDoesNotSend}
            </p>
          ) : (
            <>
              <ul class="rows">
                {channels.map((settings) => (
                  <ChannelLine
                    key={settings.channel}
                    settings={settings}
                    busy={mutation.busy}
                    onTest={() => void test(settings.channel)}
                  />
                ))}
              </ul>
              <table class="notify-table">
                <thead>
                  <tr>
                    <th scope="col">{messages.event}</th>
                    {channels.map(({ channel }) => (
                      <th key={channel} scope="col">
                        {channelName(channel)}
                      </th>
                    ))}
                  </tr>
                </thead>
                <tbody>
                  {kinds.map((kind) => (
                    <tr key={kind}>
                      <th scope="row">{kindLabels(kind).text}</th>
                      {channels.map((settings) => (
                        <td key={settings.channel}>
                          <input
                            type="checkbox"
                            aria-label={messages.choiceOf({
                              kind: kindLabels(kind).text,
                              channel: channelName(settings.channel),
                            })}
                            data-testid={`choice-${settings.channel}-${kind}`}
                            checked={settings.chosen.includes(kind)}
                            disabled={
                              mutation.busy ||
                              !settings.address ||
                              isFixed(settings.channel, kind)
                            }
                            title={
                              settings.address
                                ? isFixed(settings.channel, kind)
                                  ? messages.alwaysSentByEmail
                                  : undefined
                                : messages.needsAnAddress
                            }
                            onChange={() => void choose(settings, kind)}
                          />
                        </td>
                      ))}
                    </tr>
                  ))}
                </tbody>
              </table>
            </>
          )
        }
      </QueryView>
    </Panel>
  );
}
