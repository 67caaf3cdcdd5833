// What the user is told outside of the page, by which way.
import { useState } from "preact/hooks";
import {
  Channel,
  type ChannelSettings,
  type GetChannelsResponse,
  type NotificationKind,
} from "#proto/notification";
import { notificationClient } from "../../api/notification";
import { useAct } from "../../session/use_mutation";
import type { Loaded } from "../../session/use_query";
import { FailureNote } from "../../ui/failure_note";
import { LoadedView } from "../../ui/loaded_view";
import { News } from "../../ui/status_message";
import { Panel } from "../../ui/panel";
import { ChannelLine } from "./channel_line";
import { channelName, isFixed, kindWords, toggled } from "./notification_labels";
import { useNotificationsView } from "./use_notifications";

export function ChannelsPanel(props: { loaded: Loaded<GetChannelsResponse> }) {
  const { loaded } = props;
  const { list } = useNotificationsView();
  const act = useAct();
  const [news, setNews] = useState("");

  const choose = (settings: ChannelSettings, kind: NotificationKind) =>
    act.run(async () => {
      const kinds = toggled(settings.chosen, kind);
      await notificationClient.chooseKinds({
        channel: settings.channel,
        kinds,
      });
      setNews("");
      await loaded.reload();
    });
  const test = (channel: Channel) =>
    act.run(async () => {
      await notificationClient.testChannel({ channel });
      setNews(`${channelName(channel)}: a test is on its way; see the list.`);
      await list.reload();
    });
  return (
    <Panel
      title="Outside of this page"
      about="In this page you are told everything. What else you are told, and how, is your choice."
      testName="channels"
    >
      <News text={news} />
      {act.failure && (
        <FailureNote failure={act.failure} testName="channels-failure" />
      )}
      <LoadedView loaded={loaded}>
        {({ channels, kinds }) =>
          channels.length === 0 ? (
            <p class="muted" data-test="no-channels">
              Your site sends neither e-mails nor webhooks.
            </p>
          ) : (
            <>
              <ul class="rows">
                {channels.map((settings) => (
                  <ChannelLine
                    key={settings.channel}
                    settings={settings}
                    busy={act.busy}
                    onTest={() => void test(settings.channel)}
                  />
                ))}
              </ul>
              <table class="notify-table">
                <thead>
                  <tr>
                    <th scope="col">What</th>
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
                      <th scope="row">{kindWords(kind).text}</th>
                      {channels.map((settings) => (
                        <td key={settings.channel}>
                          <input
                            type="checkbox"
                            aria-label={`${kindWords(kind).text}: ${channelName(settings.channel)}`}
                            data-test={`choice-${settings.channel}-${kind}`}
                            checked={settings.chosen.includes(kind)}
                            disabled={
                              act.busy || isFixed(settings.channel, kind)
                            }
                            title={
                              isFixed(settings.channel, kind)
                                ? "You are always told this by e-mail"
                                : undefined
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
      </LoadedView>
    </Panel>
  );
}
