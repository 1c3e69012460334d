const KEY = "token";

/** Takes the token out of the address (`#token=…`), so that it is neither bookmarked nor shown, and keeps it. */
export function takeToken(): string | undefined {
  const given = /^#token=([^&]+)$/.exec(location.hash)?.[1];
  if (given) {
    const token = decodeURIComponent(given);
    keep(token);
    history.replaceState(history.state, "", `${location.pathname}${location.search}#/`);
    return token;
  }
  return kept();
}

function keep(token: string): void {
  try {
    sessionStorage.setItem(KEY, token);
  } catch {
    // Storage is closed to us: the token lasts as long as this page.
  }
}

function kept(): string | undefined {
  try {
    return sessionStorage.getItem(KEY) ?? undefined;
  } catch {
    return undefined;
  }
}
