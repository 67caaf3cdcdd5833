// Title and remedy of a rule in the language of the page, as far as the rule has
// them; otherwise its own.
import type { RuleTexts } from "#proto/findings";
import { activeLanguage } from "../../lib/language/locale";

interface TranslatedRule {
  readonly title: string;
  readonly remedy?: string; // of a finding
  readonly translations: Readonly<Record<string, RuleTexts>>;
}

export function ruleTexts(
  rule: TranslatedRule,
  language: string = activeLanguage(),
): { title: string; remedy: string } {
  const texts = rule.translations[language];
  return {
    title: texts?.title || rule.title,
    remedy: texts?.remedy || (rule.remedy ?? ""),
  };
}
