// The links of mails carry a token. It is taken out of the address before anything else runs, so that it stands in no
// history, no screenshot and no Referer.
const pages = ['/dashboard/verify', '/dashboard/reset', '/dashboard/invitation', '/dashboard/email'];

let token = '';

export function takeLink(): void {
  if (!pages.includes(window.location.pathname)) return;

  const given = new URLSearchParams(window.location.search).get('token');
  if (given === null) return;

  token = given;
  window.history.replaceState(null, '', window.location.pathname);
}

/** The token of the link by which this page was opened; empty when there was none. */
export const linkToken = () => token;
