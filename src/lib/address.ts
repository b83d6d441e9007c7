const GROUPS_OF_NETWORK = 4

/**
 * What counts as one client address for limits: an IPv4 address as it is, but of an IPv6 address the
 * network of 64 bits, inside of which a client may take a new address for every request. Anything else
 * counts as itself.
 */
export function networkOf(address: string): string {
  const text = address.toLowerCase()
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/.exec(text)?.[1]
  if (mapped !== undefined) {
    return mapped
  }
  if (!/^[0-9a-f:]*:[0-9a-f:]*$/.test(text)) {
    return text
  }
  const [head = '', tail] = text.split('::')
  const front = groupsOf(head)
  const back = tail === undefined ? [] : groupsOf(tail)
  const zeros = Array.from({ length: Math.max(0, 8 - front.length - back.length) }, () => '0')
  return `${[...front, ...zeros, ...back].slice(0, GROUPS_OF_NETWORK).join(':')}::/64`
}

function groupsOf(part: string): string[] {
  const groups = part === '' ? [] : part.split(':')
  return groups.map((group) => group.replace(/^0+(?=.)/, ''))
}
