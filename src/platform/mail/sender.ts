/** Parses the setting MAIL_FROM: an address or `Name <address>`. The name may be empty. */
export function parseSender(text: string): { name: string; email: string } {
  const [, name, email] = /^\s*(\S.*?)?\s*<([^<>]+)>\s*$/.exec(text) ?? []
  return email === undefined
    ? { name: '', email: text }
    : { name: (name ?? '').replace(/^"(.*)"$/, '$1'), email }
}
