// Turns notifications of this browser on and off.
import { useState } from "preact/hooks";
import {
  type BrowserState,
  browserState,
  turnOff,
  turnOn,
} from "./browser_notifications";
import { messages } from "#messages/notifications";

export function BrowserLine() {
  const [state, setState] = useState(browserState);
  return (
    <li class="row" data-testid="browser-notifications" data-state={state}>
      <div class="row-what">
        <p class="row-title">{messages.thisBrowser}</p>
        <p class="muted small">{aboutOf(state)}</p>
      </div>
      {state === "on" && (
        <button
          class="button button-small"
          type="button"
          onClick={() => setState(turnOff())}
        >
          {messages.turnOff}
        </button>
      )}
      {state === "off" && (
        <button
          class="button button-small"
          type="button"
          onClick={() => void turnOn().then(setState)}
        >
          {messages.turnOn}
        </button>
      )}
    </li>
  );
}

function aboutOf(state: BrowserState): string {
  switch (state) {
    case "unsupported":
      return messages.browserUnsupported;
    case "denied":
      return messages.browserDenied;
    case "on":
      return messages.browserOn;
    case "off":
      return messages.browserOff;
  }
}
