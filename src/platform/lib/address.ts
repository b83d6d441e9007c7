const IPV6_GROUPS = 8
const NETWORK_GROUPS = 4

/**
 * The network under which limits count a client: an IPv6 address counts as its /64, because a client may take
 * a new address of it for every request; anything else counts as itself.
 */
export function toNetwork(address: string): string {
  const text = address.toLowerCase()
  const mappedIpv4 = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/.exec(text)?.[1]
  if (mappedIpv4 !== undefined) {
    return mappedIpv4
  }
  if (!/^[0-9a-f:]*:[0-9a-f:]*$/.test(text)) {
    return text
  }
  const [head = '', tail] = text.split('::')
  const front = splitGroups(head)
  const back = tail === undefined ? [] : splitGroups(tail)
  const zeros = Array.from(
    { length: Math.max(0, IPV6_GROUPS - front.length - back.length) },
    () => '0',
  )
  return `${[...front, ...zeros, ...back].slice(0, NETWORK_GROUPS).join(':')}::/64`
}

function splitGroups(part: string): string[] {
  const groups = part === '' ? [] : part.split(':')
  return groups.map((group) => group.replace(/^0+(?=.)/, ''))
}
