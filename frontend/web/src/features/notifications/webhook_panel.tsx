// Where the user's own program is called.
import { useState } from "preact/hooks";
import type { ChannelSettings } from "#proto/notification";
import { notificationClient } from "../../api/notification";
import { useFreshFactor } from "../../session/reauthentication_context";
import { useAct } from "../../session/use_mutation";
import { FailureNote } from "../../ui/failure_note";
import { News } from "../../ui/status_message";
import { Panel } from "../../ui/panel";
import { WebhookSecretDialog } from "./webhook_secret_dialog";

export function WebhookPanel(props: {
  settings: ChannelSettings;
  onChanged(): Promise<void>;
}) {
  const { settings, onChanged } = props;
  const withFreshFactor = useFreshFactor();
  const act = useAct();
  const [url, setUrl] = useState("");
  const [secret, setSecret] = useState("");
  const [news, setNews] = useState("");
  const typed = url.trim();

  const submit = (event: Event) => {
    event.preventDefault();
    if (!typed || act.busy) return;
    void act.run(async () => {
      const answer = await withFreshFactor(() =>
        notificationClient.setWebhook({ url: typed }),
      );
      setSecret(answer.secret);
      setUrl("");
      setNews("");
      await onChanged();
    });
  };
  const remove = () =>
    act.run(async () => {
      await notificationClient.removeWebhook({});
      setNews("Your webhook was removed.");
      await onChanged();
    });
  return (
    <Panel
      title="Your webhook"
      about="An address of yours on the internet that Carme calls with what you chose above, as JSON that is signed with a secret of yours."
      testName="webhook"
      actions={
        settings.address && (
          <button
            class="button button-small"
            type="button"
            data-test="webhook-remove"
            aria-disabled={act.busy}
            onClick={() => void remove()}
          >
            Remove it
          </button>
        )
      }
    >
      <News text={news} />
      <form class="narrow-form" data-test="webhook-form" onSubmit={submit}>
        <label class="stacked">
          <span>{settings.address ? "Call another address" : "Address"}</span>
          <input
            data-test="webhook-url"
            type="url"
            autocomplete="off"
            maxLength={1024}
            placeholder="https://hooks.example.org/…"
            value={url}
            onInput={(event) => setUrl(event.currentTarget.value)}
          />
        </label>
        {act.failure && (
          <FailureNote failure={act.failure} testName="webhook-failure" />
        )}
        <div class="button-row">
          <button
            class="button button-primary"
            type="submit"
            data-test="webhook-save"
            aria-disabled={act.busy || !typed}
          >
            {act.busy ? "One moment…" : "Call it from now on"}
          </button>
        </div>
      </form>
      {secret && (
        <WebhookSecretDialog secret={secret} close={() => setSecret("")} />
      )}
    </Panel>
  );
}
