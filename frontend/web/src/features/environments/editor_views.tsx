// Form and text of an environment: side by side where there is room, otherwise as
// tabs.
import type { ComponentChildren } from "preact";
import { useMedia } from "../../lib/use_media";
import { Tabs } from "../../ui/tabs";
import { messages } from "#messages/environments";

// As in environments.css.
const kWide = "(min-width: 64rem)";

export type View = "form" | "text";

export function EditorViews(props: {
  chosen: View; // in tabs
  onChoose(view: View): void;
  form: ComponentChildren;
  text: ComponentChildren;
}) {
  const { chosen, onChoose, form, text } = props;
  if (useMedia(kWide)) {
    return (
      <div class="environment-views">
        <section class="environment-view" aria-label={messages.form}>
          {form}
        </section>
        <section class="environment-view" aria-label={messages.toml}>
          {text}
        </section>
      </div>
    );
  }
  const tabs = [
    { id: "form", label: messages.form },
    { id: "text", label: messages.toml },
  ];
  // Both stay in the page: the editor can go to a line, the form keeps its state.
  return (
    <Tabs
      label={messages.views}
      tabs={tabs}
      chosen={chosen}
      onChoose={(id) => onChoose(id as View)}
    >
      <div class="environment-view" hidden={chosen !== "form"}>
        {form}
      </div>
      <div class="environment-view" hidden={chosen !== "text"}>
        {text}
      </div>
    </Tabs>
  );
}
