/** A mail server, and how it is spoken to. */
export type SmtpServer = {
  readonly host: string
  readonly port: number
  /** TLS from the first byte; otherwise the session begins in the clear. */
  readonly isImplicitTls: boolean
  readonly credentials: { readonly user: string; readonly pass: string } | null
}

const DEFAULT_PORTS: Readonly<Record<string, number>> = { 'smtp:': 587, 'smtps:': 465 }

/**
 * Parses `smtp://user:password@host:587` or `smtps://…:465`. User and password may be missing together, and are
 * percent-encoded. Null for anything else.
 */
export function parseSmtpUrl(text: string): SmtpServer | null {
  const url = URL.parse(text)
  const defaultPort = url === null ? undefined : DEFAULT_PORTS[url.protocol]
  if (url === null || defaultPort === undefined || url.hostname === '' || hasMore(url)) {
    return null
  }
  const [user, pass] = [decode(url.username), decode(url.password)]
  if (user === null || pass === null || (user === '') !== (pass === '')) {
    return null
  }
  return {
    host: url.hostname.replace(/^\[(.*)\]$/, '$1'),
    port: url.port === '' ? defaultPort : Number(url.port),
    isImplicitTls: url.protocol === 'smtps:',
    credentials: user === '' ? null : { user, pass },
  }
}

function hasMore({ pathname, search, hash }: URL): boolean {
  return !['', '/'].includes(pathname) || search !== '' || hash !== ''
}

function decode(text: string): string | null {
  try {
    return decodeURIComponent(text)
  } catch {
    return null
  }
}
