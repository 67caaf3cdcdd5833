import { languages } from "#languages";
import { chooseLanguage, shownLanguage } from "../lib/language/language";
import { messages } from "#messages/ui";

// Each language has its own name, so that its speakers find it.
export function LanguageSwitch() {
  return (
    <select
      class="language-switch"
      aria-label={messages.language}
      data-testid="language"
      value={shownLanguage().code}
      onChange={(event) => chooseLanguage(event.currentTarget.value)}
    >
      {languages.map(({ code, name }) => (
        <option key={code} value={code} lang={code}>
          {name}
        </option>
      ))}
    </select>
  );
}
