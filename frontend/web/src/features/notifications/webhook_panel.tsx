// The user's webhook.
import { useState } from "preact/hooks";
import type { ChannelSettings } from "#proto/notification";
import { notificationClient } from "../../api/notification";
import { useReauthentication } from "../../session/reauthentication_context";
import { useMutation } from "../../session/use_mutation";
import { FailureNote } from "../../ui/failure_note";
import { useConfirmation } from "../../ui/toasts";
import { Panel } from "../../ui/panel";
import { WebhookSecretDialog } from "./webhook_secret_dialog";
import { TextField } from "../../ui/form/field";
import { messages } from "#messages/notifications";

export function WebhookPanel(props: {
  settings: ChannelSettings;
  onChanged(): Promise<void>;
}) {
  const { settings, onChanged } = props;
  const withReauthentication = useReauthentication();
  const mutation = useMutation();
  const [url, setUrl] = useState("");
  const [secret, setSecret] = useState("");
  const confirm = useConfirmation();
  const typed = url.trim();

  const submit = (event: Event) => {
    event.preventDefault();
    if (!typed || mutation.busy) return;
    void mutation.run(async () => {
      const answer = await withReauthentication(() =>
        notificationClient.setWebhook({ url: typed }),
      );
      setSecret(answer.secret);
      setUrl("");
      await onChanged();
    });
  };
  const remove = () =>
    mutation.run(async () => {
      await notificationClient.removeWebhook({});
      confirm(messages.webhookRemoved);
      await onChanged();
    });
  return (
    <Panel
      title={messages.webhook}
      about={messages.carmeSendsTheSelectedEvents}
      testId="webhook"
      actions={
        settings.address && (
          <button
            class="button button-small"
            type="button"
            data-testid="webhook-remove"
            aria-disabled={mutation.busy}
            onClick={() => void remove()}
          >
            {messages.remove}
          </button>
        )
      }
    >
      <form class="narrow-form" data-testid="webhook-form" onSubmit={submit}>
        <TextField
          label={settings.address ? messages.changeAddress : messages.address}
          testId="webhook-url"
          type="url"
          maxLength={1024}
          placeholder={messages.webhookExample}
          value={url}
          onValue={setUrl}
        />
        {mutation.failure && (
          <FailureNote failure={mutation.failure} testId="webhook-failure" />
        )}
        <div class="button-row">
          <button
            class="button button-primary"
            type="submit"
            data-testid="webhook-save"
            aria-disabled={mutation.busy || !typed}
          >
            {mutation.busy ? messages.saving : messages.saveWebhook}
          </button>
        </div>
      </form>
      {secret && (
        <WebhookSecretDialog secret={secret} close={() => setSecret("")} />
      )}
    </Panel>
  );
}
