import { useState } from "preact/hooks";
import { Icon, type IconName } from "./icon";
import { chooseTheme, kThemes, storedTheme, type Theme } from "./theme";
import { messages } from "#messages/ui";

const kStyles: Record<Theme, { icon: IconName; label: string }> = {
  auto: { icon: "contrast", label: messages.systemTheme },
  light: { icon: "sun", label: messages.lightTheme },
  dark: { icon: "moon", label: messages.darkTheme },
};

export function ThemeSwitch() {
  const [theme, setTheme] = useState(storedTheme);
  const choose = (next: Theme) => {
    chooseTheme(next);
    setTheme(next);
  };
  return (
    <fieldset class="theme-switch">
      <legend class="sr-only">{messages.theme}</legend>
      {kThemes.map((each) => (
        <label key={each} title={kStyles[each].label}>
          <input
            type="radio"
            name="theme"
            class="sr-only"
            checked={each === theme}
            onChange={() => choose(each)}
          />
          <Icon name={kStyles[each].icon} />
          <span class="sr-only">{kStyles[each].label}</span>
        </label>
      ))}
    </fieldset>
  );
}
