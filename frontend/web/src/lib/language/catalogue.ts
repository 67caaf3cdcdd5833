// The catalogue of the language in which the application is shown. It must be
// activated before a module with messages is loaded, because modules use
// messages in constants. Another language needs a reload of the page.
import { type Arguments, type Catalogue, formatMessage } from "./message";
import { setActiveLocale } from "./locale";

let active: Catalogue | undefined;

export function activateCatalogue(catalogue: Catalogue, locale: string): void {
  active = catalogue;
  setActiveLocale(locale);
}

// Messages without arguments are strings, others functions. The modules in
// #messages give them types.
export function messagesOf<Messages>(name: string): Messages {
  const catalogue = active?.[name];
  if (!catalogue) throw new Error(`no active catalogue "${name}"`);
  return Object.fromEntries(
    Object.entries(catalogue).map(([key, message]) => [
      key,
      typeof message === "string"
        ? message
        : (args: Arguments) => formatMessage(message, args),
    ]),
  ) as Messages;
}

// English has none: the server's own texts are shown.
export function hasServerMessages(): boolean {
  return active?.["server"] !== undefined;
}

// The text for the reason of a server's error, or the code of another text.
// undefined: the language has none, or an argument is missing; then the server's
// English text is shown.
export function serverMessage(
  reason: string,
  args: Readonly<Record<string, string>>,
): string | undefined {
  const message = active?.["server"]?.[reason];
  if (message === undefined || typeof message === "string") return message;
  const isComplete = message.every(
    (part) => typeof part === "string" || part[0] in args,
  );
  return isComplete ? formatMessage(message, args) : undefined;
}
