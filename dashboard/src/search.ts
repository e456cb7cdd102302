// The part of an address behind the question mark: filters and the place in a list.

type Raw = Record<string, unknown>;

/** The parameters of a screen, each of which may be missing. */
export type Parameters<Name extends string> = { [N in Name]?: string | undefined };

/** Keeps those parameters that a screen knows and that say something, as text. */
export function pick<Name extends string>(...names: Name[]): (raw: Raw) => Parameters<Name> {
  return (raw) => {
    const known = names.filter((name) => typeof raw[name] === 'string' && raw[name] !== '');
    return Object.fromEntries(known.map((name) => [name, raw[name]])) as Parameters<Name>;
  };
}

/** Only those parameters that are there. */
export function given<P extends Parameters<string>>(parameters: P): { [N in keyof P]?: string } {
  return Object.fromEntries(Object.entries(parameters).filter(([, value]) => value !== undefined)) as { [N in keyof P]?: string };
}

/** Reads and writes parameters as the text that they are: a search for 123 is no number. */
export const search = {
  parse: (query: string): Raw => Object.fromEntries(new URLSearchParams(query)),
  write: (parameters: Raw): string => {
    const given = Object.entries(parameters).filter(([, value]) => value !== undefined && value !== '');
    const text = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
    return text === '' ? '' : `?${text}`;
  },
};

/** Where the parameter `to` leads, as the router wants it: a page of the dashboard, whatever stands in the address. */
export function placeOf(to: string | undefined): { to: '/'; search: Raw } {
  const { pathname, search: query } = new URL(to ?? '/', 'http://dashboard/');
  // The types know the places by name; one that there is not leads to the page that says so.
  return { to: (pathname.startsWith('/') ? pathname : '/') as '/', search: search.parse(query) };
}
