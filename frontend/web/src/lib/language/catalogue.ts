// The catalogue of the language in which the application is shown. It must be
// activated before a module with messages is loaded, because modules use
// messages in constants. Another language needs a reload of the page.
import {
  type Arguments,
  type Catalogue,
  formatMessage,
  type Messages,
} from "./message";
import { setActiveLocale } from "./locale";

let active: Catalogue | undefined;
let serverMessages: Messages | undefined;
let arrival: Promise<void> | undefined; // of the server's texts

const kLongestWaitMs = 3000;

export function activateCatalogue(catalogue: Catalogue, locale: string): void {
  active = catalogue;
  setActiveLocale(locale);
}

// Messages without arguments are strings, others functions. The modules in
// #messages give them types.
export function messagesOf<Typed>(name: string): Typed {
  const catalogue = active?.[name];
  if (!catalogue) throw new Error(`no active catalogue "${name}"`);
  return Object.fromEntries(
    Object.entries(catalogue).map(([key, message]) => [
      key,
      typeof message === "string"
        ? message
        : (args: Arguments) => formatMessage(message, args),
    ]),
  ) as Typed;
}

// English has none: the server's own texts are shown.
export function hasServerMessages(): boolean {
  return arrival !== undefined;
}

// Texts of the server that arrive later, so that the first paint does not wait
// for them. A failure leaves the server's own texts.
export function expectServerMessages(texts: Promise<Messages>): void {
  const add = texts.then((messages) => {
    serverMessages = messages;
  });
  arrival = Promise.race([add, afterMs(kLongestWaitMs)]).catch(() => undefined);
}

// Resolves when the texts are there, or are no longer waited for.
export async function serverMessagesArrived(): Promise<void> {
  if (!serverMessages) await arrival;
}

function afterMs(delayMs: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, delayMs));
}

// The text for the reason of a server's error, or the code of another text.
// undefined: the language has none, it has not arrived, or an argument is missing;
// then the server's English text is shown.
export function serverMessage(
  reason: string,
  args: Readonly<Record<string, string>>,
): string | undefined {
  const message =
    serverMessages && Object.hasOwn(serverMessages, reason)
      ? serverMessages[reason]
      : undefined;
  if (message === undefined || typeof message === "string") return message;
  const isComplete = message.every(
    (part) => typeof part === "string" || part[0] in args,
  );
  return isComplete ? formatMessage(message, args) : undefined;
}
