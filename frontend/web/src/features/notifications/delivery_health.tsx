// The state of the delivery channels, for administrators.
import { Channel, type ChannelHealth } from "#proto/notification";
import { notificationClient } from "../../api/notification";
import { useMutation } from "../../session/use_mutation";
import { useQuery } from "../../session/use_query";
import { FailureNote } from "../../ui/failure_note";
import { QueryView } from "../../ui/loaded_view";
import { Moment } from "../../ui/moment";
import { useConfirmation } from "../../ui/toasts";
import { Panel } from "../../ui/panel";
import { channelName } from "./notification_labels";
import { messages } from "#messages/notifications";

export function DeliveryHealth() {
  const loaded = useQuery(() => notificationClient.getDeliveryHealth({}));
  const mutation = useMutation();
  const confirm = useConfirmation();
  const test = () =>
    mutation.run(async () => {
      await notificationClient.testChannel({ channel: Channel.MAIL });
      confirm(messages.testEmailSentTheResult);
      await loaded.reload();
    });
  return (
    <Panel
      title={messages.notifications}
      about={messages.failedMessagesAreRetriedFor}
      testId="delivery-health"
    >
      {mutation.failure && <FailureNote failure={mutation.failure} />}
      <QueryView loaded={loaded}>
        {({ channels }) => (
          <ul class="rows">
            {channels.map((health) => (
              <HealthRow
                key={health.channel}
                health={health}
                busy={mutation.busy}
                onTest={
                  health.channel === Channel.MAIL && health.offered
                    ? () => void test()
                    : undefined
                }
              />
            ))}
          </ul>
        )}
      </QueryView>
    </Panel>
  );
}

function HealthRow(props: {
  health: ChannelHealth;
  busy: boolean;
  onTest: (() => void) | undefined;
}) {
  const { health, busy, onTest } = props;
  const { channel, offered, waiting, givenUpDay, lastSent } = health;
  return (
    <li class="row" data-testid={`delivery-health-${channel}`}>
      <div class="row-what">
        <p class="row-title">{channelName(channel)}</p>
        <p class="muted small facts-line">
          {!offered && <span>{messages.notConfigured}</span>}
          {offered && (
            <>
              <span>{messages.waitingToBeSent({ amount: waiting })}</span>
              <span>{messages.givenUpInADay({ amount: givenUpDay })}</span>
              <span>
                {messages.lastSent} <Moment at={lastSent} />
              </span>
            </>
          )}
          {health.lastProblem && (
            <span>
              {messages.lastError} <Moment at={health.lastProblemAt} />:{" "}
              {health.lastProblem}
            </span>
          )}
        </p>
      </div>
      {onTest && (
        <button
          class="button button-small"
          type="button"
          data-testid="test-mail"
          aria-disabled={busy}
          onClick={onTest}
        >
          {messages.sendTestToMe}
        </button>
      )}
    </li>
  );
}
