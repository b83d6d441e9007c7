/** Names that no public server has. */
const LOCAL_NAMES =
  'localhost localdomain local internal intranet private lan corp home test invalid onion'.split(
    ' ',
  )
const LOCAL_DOMAIN = 'home.arpa'

/** IPv4 networks that are not public, as their address and the number of leading bits. */
const LOCAL_IPV4_NETWORKS: readonly (readonly [address: string, bits: number])[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
]

/** Whether the host of a parsed URL is a public IP address or a name that may belong to a public server. */
export function isPublicHost(hostname: string): boolean {
  if (hostname.startsWith('[')) {
    return isPublicIpv6(hostname.slice(1, -1))
  }
  const name = hostname.replace(/\.+$/, '')
  if (/^\d+\.\d+\.\d+\.\d+$/.test(name)) {
    return isPublicIpv4(name)
  }
  const labels = name.split('.')
  const domain = labels.slice(-2).join('.')
  const isName = labels.length > 1 && !labels.includes('')
  return isName && !LOCAL_NAMES.includes(labels.at(-1) ?? '') && domain !== LOCAL_DOMAIN
}

function isPublicIpv4(address: string): boolean {
  const number = toNumber(address)
  return !LOCAL_IPV4_NETWORKS.some(([network, bits]) => {
    const size = 2 ** (32 - bits)
    return Math.floor(number / size) === Math.floor(toNumber(network) / size)
  })
}

function toNumber(address: string): number {
  return address.split('.').reduce((sum, part) => sum * 256 + Number(part), 0)
}

/** Global unicast alone, without the networks that embed IPv4 addresses or are for documentation. */
function isPublicIpv6(address: string): boolean {
  const [first = 0, second = 0] = address.split('::')[0]?.split(':').map(parseGroup) ?? []
  const isGlobal = first >= 0x2000 && first <= 0x3fff
  const isSpecial =
    first === 0x2002 ||
    first === 0x3fff ||
    (first === 0x2001 && (second < 0x200 || second === 0xdb8))
  return isGlobal && !isSpecial
}

function parseGroup(group: string): number {
  return Number.parseInt(group || '0', 16)
}
