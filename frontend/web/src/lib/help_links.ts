// The site's links of the help menu, from <meta name="carme-documentation"> and
// <meta name="carme-support">, which carme-frontend adds if they are configured.

export interface HelpLinks {
  readonly documentation: string; // an https URL; empty: none
  readonly support: string; // a mail address; empty: none
}

// Whatever the page says, a link opens a page of the web or a mail program.
export function parseHelpLinks(
  documentation: string,
  support: string,
): HelpLinks {
  const isWeb = /^https:\/\/[^\s"'<>\\^`{|}]+$/.test(documentation);
  const isMail = /^[A-Za-z0-9.!#$*+=^_~-]+@[A-Za-z0-9.-]+$/.test(support);
  return {
    documentation: isWeb ? documentation : "",
    support: isMail ? support : "",
  };
}

export const helpLinks: HelpLinks = parseHelpLinks(
  contentOf("carme-documentation"),
  contentOf("carme-support"),
);

function contentOf(name: string): string {
  return (
    globalThis.document?.querySelector<HTMLMetaElement>(`meta[name=${name}]`)
      ?.content ?? ""
  );
}
